import { LRUCache } from 'lru-cache';
import { type Read, readQuery } from './query.ts';

/** Queries remembered. */
const QUERIES_MAX = 500;
/** Characters of a query that is remembered. */
const QUERY_MAX = 1_000;

/** The same parsed object for the same text: people ask for the same rooms and days again and again. */
const queries = new LRUCache<string, Read>({ max: QUERIES_MAX });

/** Reads the query of a table's address, as `readQuery` does. */
export function readKnownQuery(text: string): Read {
  const found = queries.get(text);
  if (found) return found;
  const read = readQuery(new URLSearchParams(text), false);
  if (text.length <= QUERY_MAX) queries.set(text, read);
  return read;
}
