import type { Cursor } from './cursor.ts';

/** The parts of PostgREST's grammar that several parameters share: names, paths into JSON, values. All functions throw PGRST100. */

/** One arrow of `data->a->>b`. */
export type Step = { readonly key: string; readonly asText: boolean };
export type Field = { readonly name: string; readonly path: readonly Step[] };

/** Reads `column->a->>b`. */
export function readField(cursor: Cursor): Field {
  return { name: readName(cursor), path: readPath(cursor) };
}

/** Reads a name, plain or in double quotes. A dash is part of it unless it starts an arrow. */
export function readName(cursor: Cursor): string {
  if (cursor.peek('"')) return readQuoted(cursor);
  const found = cursor.match(/(?:[^\s"(),.:!>-]|-(?!>)| (?=[^\s,)]))+/y);
  if (!found) throw cursor.wrong();
  return found[0];
}

/** Reads the arrows that follow a column. */
export function readPath(cursor: Cursor): Step[] {
  const steps: Step[] = [];
  for (;;) {
    const asText = cursor.take('->>');
    if (!asText && !cursor.take('->')) return steps;
    const key = cursor.peek('"') ? readQuoted(cursor) : cursor.match(/(?:[^"(),.:!>-]|-(?!>))+/y)?.[0];
    if (key === undefined) throw cursor.wrong();
    steps.push({ key, asText });
  }
}

/** Reads the value of a nested condition: quoted text, a bracketed list, or everything up to the next comma or bracket. */
export function readValue(cursor: Cursor): string {
  if (cursor.peek('"')) return readQuoted(cursor);
  if (cursor.peek('(')) return readBalanced(cursor, '(', ')');
  if (cursor.peek('{')) return readBalanced(cursor, '{', '}');
  return cursor.match(/[^,()]*/y)?.[0] ?? '';
}

/** Reads a member of a list. */
export function readMember(cursor: Cursor): string {
  cursor.spaces();
  return cursor.peek('"') ? readQuoted(cursor) : (cursor.match(/[^,"]*/y)?.[0] ?? '');
}

function readQuoted(cursor: Cursor): string {
  const found = cursor.match(/"((?:[^"\\]|\\.)*)"/sy);
  if (!found) throw cursor.wrong();
  return (found[1] ?? '').replace(/\\(.)/gs, '$1');
}

/** Reads a list with its brackets; brackets in quotes do not count. */
function readBalanced(cursor: Cursor, open: string, close: string): string {
  const from = cursor.position();
  let depth = 0;
  while (!cursor.atEnd()) {
    if (cursor.peek('"')) {
      readQuoted(cursor);
      continue;
    }
    const char = cursor.match(/[^"]/sy)?.[0];
    if (char === open) depth += 1;
    if (char === close && (depth -= 1) === 0) return cursor.since(from);
  }
  throw cursor.wrong();
}
