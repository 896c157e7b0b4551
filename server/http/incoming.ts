import { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/** Node's own request; null without a connection, as in tests. */
export function incomingOf(env: unknown): IncomingMessage | null {
  if (env === null || typeof env !== 'object' || !('incoming' in env)) return null;
  return env.incoming instanceof IncomingMessage ? env.incoming : null;
}

/** All headers of a request by their names in lower case. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, several of them separated by commas; null when there is none. */
export function headerIn(headers: HeaderRecord, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return value === undefined ? null : joined(value);
}

export const joined = (value: string | readonly string[]): string =>
  typeof value === 'string' ? value : value.join(', ');

/** The headers of a request. From Node's own object: to list them a `Headers` would be built and sorted first. */
export function headersOf(c: Context): HeaderRecord {
  return incomingOf(c.env)?.headers ?? Object.fromEntries(c.req.raw.headers);
}
