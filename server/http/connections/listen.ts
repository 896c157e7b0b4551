import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, type ListenOptions, type Server as NetServer } from 'node:net';
import { platform } from 'node:process';

/** Node accepts one connection per listener in each turn of its event loop. In an overloaded process turns are long, and new connections wait. */
const LISTENERS = 16;
/** Connections that wait to be accepted, as many as Linux allows by default. Beyond that a client tries again only after one and three seconds. */
const BACKLOG = 4_096;

/**
 * Opens the port. On Linux several listeners share it, and the server handles the connections of all. A port that another process has is
 * an 'error' of the server, as with one listener. Processes of a cluster get their connections from the first process.
 */
export function listen(server: Server, address: { readonly port: number; readonly host: string | null }): void {
  const options: ListenOptions = { port: address.port, backlog: BACKLOG };
  if (address.host !== null) options.host = address.host;
  if (platform !== 'linux' || cluster.isWorker) server.listen(options);
  else listenOften(server, options);
}

function listenOften(server: Server, options: ListenOptions): void {
  // Listeners that share a port would share it with those of another process too: a listener that does not share it finds that out.
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

/** A listener that passes its connections on, with the settings of an HTTP server's own. */
function listenFor(server: Server, options: ListenOptions): NetServer {
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
  listener.on('error', (error) => server.emit('error', error));
  return listener.listen(options);
}

/** `server.close` also closes the listeners, and is done when the connections of all have ended. */
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
