import { createServer, type Server, type ServerOptions } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { listen } from './listen.ts';
import type { Overload } from '../overload.ts';

type Fetch = Parameters<typeof getRequestListener>[0];

/** Time limits of a connection, in milliseconds. */
export type ConnectionLimits = {
  /** Time from the first byte, or from the opening of the connection, to the end of the headers. */
  readonly headersTimeout: number;
  /** Time from the first byte to the end of the body, which limits the longest upload. */
  readonly requestTimeout: number;
  /** How often the two limits are checked. */
  readonly connectionsCheckingInterval: number;
};

const LIMITS: ConnectionLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15 * 60_000,
  connectionsCheckingInterval: 2_000,
};
/**
 * This is longer than any proxy or client keeps a connection open. The client therefore closes first, and no request meets a closed
 * connection.
 */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MAX = 100;
const HEADER_BYTES_MAX = 16 * 1024;

/**
 * Starts the HTTP server. Node answers slow headers with 408 and oversized headers with 431, before our code runs. `admit` refuses requests
 * under overload.
 */
export function startHttpServer(
  fetch: Fetch,
  { port, host, admit }: { port: number; host: string | null; admit?: Overload['admit'] },
  onListen: (port: number) => void,
  limits: ConnectionLimits = LIMITS,
): Server {
  const options: ServerOptions = { ...limits, keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: HEADER_BYTES_MAX };
  const listener = getRequestListener(fetch);
  const server = createServer(options, (incoming, outgoing) => {
    const start = (): void => void listener(incoming, outgoing);
    if (admit) admit(incoming, outgoing, start);
    else start();
  });
  server.maxHeadersCount = HEADERS_MAX;
  server.once('listening', () => {
    const address = server.address();
    onListen(address !== null && typeof address === 'object' ? address.port : port);
  });
  listen(server, { port, host });
  return server;
}
