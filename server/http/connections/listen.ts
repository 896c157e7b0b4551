import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, type ListenOptions, type Server as NetServer } from 'node:net';
import { platform } from 'node:process';

/**
 * Node accepts one connection per listener in each turn of its event loop. In an overloaded process turns are long, so that new connections
 * would wait.
 */
const LISTENERS = 16;
/**
 * Maximum number of connections that wait to be accepted; the default maximum of Linux. Further clients retry only after one and three
 * seconds.
 */
const BACKLOG = 4_096;

/**
 * Opens the port. On Linux several listeners share it, and the server handles the connections of all of them. If another process has the
 * port, the server emits 'error', as with a single listener. Processes of a cluster get their connections from the first process.
 */
export function listen(server: Server, address: { readonly port: number; readonly host: string | null }): void {
  const options: ListenOptions = { port: address.port, backlog: BACKLOG };
  if (address.host !== null) options.host = address.host;
  if (platform !== 'linux' || cluster.isWorker) server.listen(options);
  else listenOften(server, options);
}

function listenOften(server: Server, options: ListenOptions): void {
  // Listeners with `reusePort` would also share the port with another process. This listener has no `reusePort`, so it fails if the port is
  // taken.
  const probe = createServer();
  probe.once('error', (error) => server.emit('error', error));
  probe.listen(options, () => {
    const { port } = probe.address() as AddressInfo;
    probe.close(() => {
      const shared = { ...options, port, reusePort: true };
      closeWith(
        server,
        Array.from({ length: LISTENERS - 1 }, () => listenFor(server, shared)),
      );
      server.listen(shared);
    });
  });
}

/** Creates a listener that passes its connections to the server. Its settings are those of an HTTP server's own listener. */
function listenFor(server: Server, options: ListenOptions): NetServer {
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
  listener.on('error', (error) => server.emit('error', error));
  return listener.listen(options);
}

/** Makes `server.close` close the listeners too. It is done when the connections of all listeners have ended. */
function closeWith(server: Server, listeners: readonly NetServer[]): void {
  const close = server.close.bind(server);
  server.close = (done) => {
    let open = listeners.length + 1;
    let fault: Error | undefined;
    const closed = (error?: Error): void => {
      fault ??= error;
      open -= 1;
      if (open === 0) done?.(fault);
    };
    for (const listener of listeners) listener.close(closed);
    return close(closed);
  };
}
