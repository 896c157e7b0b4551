import { type Read, readQuery } from './query.ts';

/** Queries remembered; beyond that the one that was sent longest ago is dropped. */
const QUERIES_MAX = 500;
/** Characters of a query that is remembered. */
const QUERY_MAX = 1_000;

/** The same parsed object for the same text: people ask for the same rooms and days again and again. */
const known = new Map<string, Read>();

/** Reads the query of a table's address, as `readQuery` does. */
export function readKnownQuery(text: string): Read {
  const found = known.get(text);
  if (found) {
    known.delete(text); // re-insert, so that the map is ordered by last use
    known.set(text, found);
    return found;
  }
  const read = readQuery(new URLSearchParams(text), false);
  if (text.length > QUERY_MAX) return read;
  const [oldest] = known.keys();
  if (known.size >= QUERIES_MAX && oldest !== undefined) known.delete(oldest);
  known.set(text, read);
  return read;
}
