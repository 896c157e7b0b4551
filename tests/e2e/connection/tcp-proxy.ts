import { connect, createServer, type Socket } from 'node:net';

/** A proxy that passes requests through, and can cut or refuse WebSockets. */
type TcpProxy = {
  readonly url: string;
  /** Cuts every open WebSocket without a close frame. */
  cut(): void;
  /** Sets whether new WebSockets are refused. */
  refuse(refusing: boolean): void;
  /** Returns the number of WebSockets requested so far. */
  count(): number;
  close(): Promise<void>;
};

/** Opens a proxy on a free port for a local port. */
export async function openTcpProxy(target: number): Promise<TcpProxy> {
  const all = new Set<Socket>();
  const upgraded = new Set<Socket>();
  let refusing = false;
  let requests = 0;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const end = (): void => {
      for (const socket of [client, upstream]) {
        all.delete(socket);
        upgraded.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, upstream]) all.add(socket.on('error', end).on('close', end));
    client.on('data', (chunk) => {
      if (!/^GET [^\n]*\r\n(?:[^\n]*\r\n)*?upgrade: websocket\r\n/i.test(chunk.toString('latin1'))) return;
      requests += 1;
      if (refusing) return end();
      upgraded.add(client).add(upstream);
    });
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://localhost:${address.port}`,
    cut: () => upgraded.forEach((socket) => socket.destroy()),
    refuse: (value) => void (refusing = value),
    count: () => requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        all.forEach((socket) => socket.destroy());
      }),
  };
}
