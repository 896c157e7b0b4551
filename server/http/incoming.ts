import { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/** Returns Node's request object, or null without a connection, as in tests. */
export function getIncoming(env: unknown): IncomingMessage | null {
  if (env === null || typeof env !== 'object' || !('incoming' in env)) return null;
  return env.incoming instanceof IncomingMessage ? env.incoming : null;
}

/** All headers of a request by their names in lower case. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the value of a header, or null if it is missing. Several values are joined with commas. */
export function headerIn(headers: HeaderRecord, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return value === undefined ? null : joined(value);
}

export const joined = (value: string | readonly string[]): string =>
  typeof value === 'string' ? value : value.join(', ');

/**
 * Returns the headers of a request from Node's request object, because listing them from a `Headers` object would first build and sort it.
 */
export function getHeaders(c: Context): HeaderRecord {
  return getIncoming(c.env)?.headers ?? Object.fromEntries(c.req.raw.headers);
}
