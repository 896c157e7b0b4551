import { serialize } from 'pg-protocol';
import type { Result, Row } from './database.ts';
import { decodeValue, encodeValue } from './values.ts';

/** One statement of a flight: its text and the values of its `$n`. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] };

export type Field = { readonly name: string; readonly typeOid: number };

/** Prepared statements kept per connection: odd shapes push out what was asked least lately, never what is asked all the time. */
const NAMES_MAX = 600;
const names = new Map<string, string>();

/**
 * A name for a statement's text. A name may come to stand for another text later; a connection that has parsed it for the old one
 * closes that first.
 */
export function statementName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) {
    names.delete(text); // so that the order of the map is the order of asking
    names.set(text, known);
    return known;
  }
  const oldest = names.size < NAMES_MAX ? undefined : names.entries().next().value;
  if (oldest) names.delete(oldest[0]);
  const name = oldest ? oldest[1] : `s${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** What a connection remembers: the text it has parsed by each name, and the columns each answers with; and what is under way. */
export type Memory = {
  readonly parsed: Map<string, string>;
  readonly parsing: { readonly name: string; readonly text: string }[];
  readonly closing: string[];
  readonly fields: Map<string, Field[]>;
};

export function createMemory(): Memory {
  return { parsed: new Map(), parsing: [], closing: [], fields: new Map() };
}

/** The connection has parsed the statement it was sent next. */
export function noteParsed(memory: Memory): void {
  const one = memory.parsing.shift();
  if (one) memory.parsed.set(one.name, one.text);
}

/** The connection has forgotten the statement it was told next to forget. */
export function noteClosed(memory: Memory): void {
  const name = memory.closing.shift() ?? '';
  memory.parsed.delete(name);
  memory.fields.delete(name);
}

/**
 * The messages of one flight: parse (where the connection has not yet), bind and execute for each statement and a single Sync,
 * so that PostgreSQL runs them as one transaction and answers once. `names` are `statementName` of each.
 */
export function writePipeline(memory: Memory, statements: readonly Statement[], names: readonly string[]): Buffer[] {
  memory.parsing.length = 0;
  memory.closing.length = 0;
  const parts: Buffer[] = [];
  statements.forEach(({ text, values }, i) => {
    const name = names[i] ?? '';
    const parsed = memory.parsed.get(name);
    if (parsed !== undefined && parsed !== text) {
      memory.closing.push(name);
      parts.push(serialize.close({ type: 'S', name }));
    }
    if (parsed !== text) {
      memory.parsing.push({ name, text });
      parts.push(serialize.parse({ text, name }));
    }
    parts.push(serialize.bind({ statement: name, values: values.map(encodeValue) }));
    if (parsed !== text || !memory.fields.has(name)) parts.push(serialize.describe({ type: 'P' }));
    parts.push(serialize.execute());
  });
  parts.push(serialize.sync());
  return parts;
}

/** Rows as objects, from the columns' text. */
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

/**
 * The callers of `Query<R>` say what columns they asked for; the engine cannot know.
 * This is the one place where that word is taken.
 */
export function typed<R>(result: Result): Result<R> {
  return result as Result<unknown> as Result<R>;
}
