import { LRUCache } from 'lru-cache';
import { serialize } from 'pg-protocol';
import type { DatabaseError, Result, Row } from './database.ts';
import { decodeValue, encodeValue } from './values.ts';

/** One statement of a pipeline: its text and the values of its `$n`. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] };

/** The results of a pipeline's statements, or the error with which it failed. */
export type Outcome = Result[] | DatabaseError;

/** A pipeline and the function that receives its outcome. */
export type PipelineRun = { readonly statements: readonly Statement[]; readonly done: (outcome: Outcome) => void };

export type Field = { readonly name: string; readonly typeOid: number };

/** The maximum number of prepared statements per connection; beyond it, the name of the least recently used one is reused. */
const NAMES_MAX = 600;
const names = new LRUCache<string, string>({ max: NAMES_MAX });

/**
 * Returns a name for a statement's text. A name may later be reused for another text; a connection that has prepared the old one closes
 * it first.
 */
export function statementName(text: string): string {
  const existing = names.get(text);
  if (existing !== undefined) return existing;
  const dropped = names.size < NAMES_MAX ? undefined : names.pop();
  const name = dropped ?? `s${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** The prepared statements of a connection: the text and the result columns of each name, and the names that are being parsed or closed. */
export type StatementCache = {
  readonly parsed: Map<string, string>;
  readonly parsing: { readonly name: string; readonly text: string }[];
  readonly closing: string[];
  readonly fields: Map<string, Field[]>;
};

export function createStatementCache(): StatementCache {
  return { parsed: new Map(), parsing: [], closing: [], fields: new Map() };
}

/** Whether a connection has prepared this text under this name and knows its result columns. */
export function isPrepared({ parsed, fields }: StatementCache, name: string, text: string): boolean {
  return parsed.get(name) === text && fields.has(name);
}

/** Records that the connection has parsed the next statement in `parsing`. */
export function noteParsed(cache: StatementCache): void {
  const statement = cache.parsing.shift();
  // The unnamed statement ends with its transaction.
  if (statement && statement.name !== '') cache.parsed.set(statement.name, statement.text);
}

/** Records that the connection has closed the next statement in `closing`. */
export function noteClosed(cache: StatementCache): void {
  const name = cache.closing.shift() ?? '';
  cache.parsed.delete(name);
  cache.fields.delete(name);
}

/**
 * Writes the messages of one pipeline: parse (unless prepared), bind and execute for each statement, and a single Sync, so that PostgreSQL
 * runs them as one transaction and answers once. `names`: the `statementName` of each statement, or empty for a statement that is not kept.
 */
export function writePipeline(
  cache: StatementCache,
  statements: readonly Statement[],
  names: readonly string[],
): Buffer[] {
  cache.parsing.length = 0;
  cache.closing.length = 0;
  const parts: Buffer[] = [];
  statements.forEach(({ text, values }, i) => {
    const name = names[i] ?? '';
    const parsed = cache.parsed.get(name);
    if (parsed !== undefined && parsed !== text) {
      cache.closing.push(name);
      parts.push(serialize.close({ type: 'S', name }));
    }
    if (parsed !== text) {
      cache.parsing.push({ name, text });
      parts.push(serialize.parse({ text, name }));
    }
    parts.push(serialize.bind({ statement: name, values: values.map(encodeValue) }));
    if (parsed !== text || !cache.fields.has(name)) parts.push(serialize.describe({ type: 'P' }));
    parts.push(serialize.execute());
  });
  parts.push(serialize.sync());
  return parts;
}

/** Decodes a row's texts into an object. */
export function readRow(fields: readonly Field[], texts: readonly (string | null)[]): Row {
  const row: Row = {};
  for (let i = 0; i < fields.length; i += 1) {
    const field = fields[i];
    if (field) row[field.name] = decodeValue(field.typeOid, texts[i] ?? null);
  }
  return row;
}

/** 'INSERT 0 3' → 3, 'SELECT 2' → 2, 'BEGIN' → 0. */
export function commandCount(tag: string): number {
  const count = Number(tag.slice(tag.lastIndexOf(' ') + 1));
  return Number.isFinite(count) ? count : 0;
}

/** Casts a result to the row type that the caller of `Query<R>` states; the only place where this happens. */
export function typed<R>(result: Result): Result<R> {
  return result as Result<unknown> as Result<R>;
}
