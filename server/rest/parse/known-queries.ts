import { LRUCache } from 'lru-cache';
import { type Read, readQuery } from './query.ts';

/** Maximum number of queries that the cache keeps. */
const QUERIES_MAX = 500;
/** Maximum length of a query that the cache keeps, in characters. */
const QUERY_MAX = 1_000;

/** Returns the same parsed object for the same text, because clients read the same rooms and days repeatedly. */
const queries = new LRUCache<string, Read>({ max: QUERIES_MAX });

/** Reads the query of a table's address as `readQuery` does, from the cache if possible. */
export function readKnownQuery(text: string): Read {
  const found = queries.get(text);
  if (found) return found;
  const read = readQuery(new URLSearchParams(text), false);
  if (text.length <= QUERY_MAX) queries.set(text, read);
  return read;
}
