import { connect as connectTcp, createServer, type Socket } from 'node:net';

/** Forwards each connection to the next port that accepts it. */
export function startBalancer(ports: readonly number[]): Promise<{ port: number; close: () => void }> {
  let turn = 0;
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    open.add(incoming);
    incoming.on('error', () => incoming.destroy());
    incoming.once('close', () => open.delete(incoming));
    const forward = (tries: number): void => {
      if (tries === 0) return void incoming.destroy();
      const outgoing = connectTcp(ports[(turn += 1) % ports.length] ?? 0, 'localhost');
      outgoing.once('connect', () => {
        outgoing.off('error', next);
        outgoing.on('error', () => incoming.destroy());
        outgoing.once('close', () => incoming.destroy());
        incoming.once('close', () => outgoing.destroy());
        incoming.pipe(outgoing).pipe(incoming);
      });
      const next = (): void => forward(tries - 1);
      outgoing.once('error', next);
    };
    forward(ports.length);
  });
  return new Promise((resolve) => {
    server.listen(0, () => {
      const address = server.address();
      resolve({
        port: address !== null && typeof address === 'object' ? address.port : 0,
        close() {
          server.close();
          for (const socket of open) socket.destroy();
        },
      });
    });
  });
}
