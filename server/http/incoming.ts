import { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/** Node's own request; null without a connection, as in tests. */
export function incomingOf(env: unknown): IncomingMessage | null {
  if (env === null || typeof env !== 'object' || !('incoming' in env)) return null;
  return env.incoming instanceof IncomingMessage ? env.incoming : null;
}

/** All headers of a request, with names in lower case. From Node's own object: to list them a `Headers` would be built and sorted first. */
export function listHeaders(c: Context): Iterable<readonly [string, string]> {
  const incoming = incomingOf(c.env);
  return incoming === null ? c.req.raw.headers : readIncoming(incoming);
}

function* readIncoming({ headers }: IncomingMessage): Generator<readonly [string, string]> {
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) yield [name, typeof value === 'string' ? value : value.join(', ')];
  }
}
