import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listen } from './listen.ts';

const HOST = '127.0.0.1';
const open: { readonly servers: Server[]; readonly sockets: Socket[] } = { servers: [], sockets: [] };
afterEach(() => {
  for (const socket of open.sockets.splice(0)) socket.destroy();
  for (const server of open.servers.splice(0)) server.close();
});

/** Starts a server that never answers, at this port or at a free one. */
async function listening(port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer(() => undefined);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('listening', resolve).once('error', reject);
  listen(server, { port, host: HOST });
  await promise;
  open.servers.push(server);
  return { server, port: (server.address() as AddressInfo).port };
}
function connected(port: number): Socket {
  const socket = connect(port, HOST);
  open.sockets.push(socket.on('error', () => undefined));
  return socket;
}

test('a port that another server listens to is refused with EADDRINUSE', async () => {
  const { port } = await listening();
  await expect(listening(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test.runIf(process.platform === 'linux')(
  '64 connections that come at once are accepted in less than 40 turns',
  async () => {
    const { server, port } = await listening();
    let turns = 0;
    let accepted = 0;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    server.on('connection', () => {
      accepted += 1;
      if (accepted === 64) resolve();
    });
    const count = (): void => {
      turns += 1;
      if (accepted < 64) setImmediate(count);
    };
    for (let index = 0; index < 64; index += 1) connected(port);
    count();
    await all;
    expect(turns).toBeLessThan(40);
  },
);

test('closing is done when the connections of every listener have ended', async () => {
  const { server, port } = await listening();
  let requests = 0;
  server.on('request', () => (requests += 1));
  const sockets = Array.from({ length: 32 }, () => connected(port));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await expect.poll(() => requests).toBe(32);
  let closed = false;
  const closing = new Promise<void>((done) => {
    server.close(() => {
      closed = true;
      done();
    });
  });
  for (const socket of sockets.slice(1)) socket.destroy();
  await expect
    .poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))))
    .toBeLessThan(2);
  expect(closed).toBe(false);
  sockets[0]?.destroy();
  await closing;
  open.servers.length = 0;
});
