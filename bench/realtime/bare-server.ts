import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { WebSocketServer } from 'ws';

/** The limit of the realtime bench: `ws` alone, sending each message to all other sockets. */
export type BareServer = { readonly port: number; readonly pid: number; stop(): void };

/** The channel whose notifications the bare server sends to all sockets. */
export const BARE_CHANNEL = 'bench_bare';

/** Starts a bare server in a separate process. `databaseUrl`: the database at which it listens to `BARE_CHANNEL`. */
export async function startBareServer(databaseUrl: string): Promise<BareServer> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['bare', databaseUrl]);
  const port = await new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message))));
  return { port, pid: child.pid ?? 0, stop: () => void child.kill() };
}

async function serve(databaseUrl: string): Promise<void> {
  const wss = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const sendToAll = (data: Buffer, except?: object): void => {
    for (const client of wss.clients) if (client !== except) client.send(data);
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(parts).toString('utf8'));
      for (const message of messages) sendToAll(Buffer.from(JSON.stringify(message)));
      response.writeHead(202).end();
    });
  });
  server.on('upgrade', (request, stream, head) => {
    wss.handleUpgrade(request, stream, head, (socket) => {
      socket.on('message', (data) => {
        if (Buffer.isBuffer(data)) sendToAll(data, socket);
      });
    });
  });
  process.once('disconnect', () => process.exit());
  const listener = new pg.Client({ connectionString: databaseUrl });
  await listener.connect();
  listener.on('notification', ({ payload }) => sendToAll(Buffer.from(payload ?? '')));
  await listener.query(`listen ${BARE_CHANNEL}`);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // Cast: a TCP server has an AddressInfo once it listens.
  process.send?.((server.address() as AddressInfo).port);
}

if (process.argv[2] === 'bare') await serve(process.argv[3] ?? '');
