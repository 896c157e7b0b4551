import { restErrors } from '../core/errors.ts';
import { createCursor, type Cursor } from './cursor.ts';
import { type Field, readField, readName, readPath } from './grammar.ts';

const AGGREGATES = ['sum', 'avg', 'max', 'min', 'count'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export type SelectItem =
  | { readonly kind: 'star' }
  | {
      readonly kind: 'column';
      readonly field: Field;
      readonly alias: string | null;
      readonly cast: string | null;
      readonly aggregate: { readonly name: Aggregate; readonly cast: string | null } | null;
    }
  /** `count()`: the number of rows. */
  | { readonly kind: 'count'; readonly alias: string | null; readonly cast: string | null }
  | {
      readonly kind: 'embed';
      readonly relation: string;
      readonly alias: string | null;
      readonly hint: string | null;
      readonly inner: boolean;
      /** `...relation(a)`: its columns become the row's own. */
      readonly spread: boolean;
      readonly select: readonly SelectItem[];
    };

export type Order = {
  /** The embedded relation that contains the column, or null. */
  readonly relation: string | null;
  readonly field: Field;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | null;
};

const DEPTH_MAX = 10;
const ITEMS_MAX = 500;

/** Parses `id,alias:column->a::text,relation!hint!inner(…),...relation(…),price.sum()`. */
export function parseSelect(text: string): SelectItem[] {
  const cursor = createCursor(text, 'select parameter');
  const items = readItems(cursor, 0);
  cursor.end();
  return items;
}

function readItems(cursor: Cursor, depth: number): SelectItem[] {
  if (depth > DEPTH_MAX) throw restErrors.tooDeep();
  const items: SelectItem[] = [];
  cursor.spaces();
  if (cursor.atEnd() || cursor.peek(')')) return items;
  do {
    cursor.spaces();
    items.push(readItem(cursor, depth));
    cursor.spaces();
    if (items.length > ITEMS_MAX) throw restErrors.tooLong();
  } while (cursor.take(','));
  return items;
}

function readItem(cursor: Cursor, depth: number): SelectItem {
  if (cursor.take('*')) return { kind: 'star' };
  const spread = cursor.take('...');
  let name = readName(cursor);
  let alias: string | null = null;
  if (cursor.peek(':') && !cursor.peek('::')) {
    cursor.take(':');
    alias = name;
    name = readName(cursor);
  }
  if (!spread && name === 'count' && cursor.take('()')) return { kind: 'count', alias, cast: readCast(cursor) };
  if (cursor.peek('!') || cursor.peek('(')) return readEmbed(cursor, depth, { relation: name, alias, spread });
  if (spread) throw cursor.wrong();
  const path = readPath(cursor);
  const cast = readCast(cursor);
  return { kind: 'column', field: { name, path }, alias, cast, aggregate: readAggregate(cursor) };
}

function readEmbed(
  cursor: Cursor,
  depth: number,
  embed: { relation: string; alias: string | null; spread: boolean },
): SelectItem {
  let hint: string | null = null;
  let inner = false;
  while (cursor.take('!')) {
    const word = readName(cursor);
    if (word === 'inner') inner = true;
    else if (word !== 'left') hint = word;
  }
  cursor.expect('(');
  const select = readItems(cursor, depth + 1);
  cursor.expect(')');
  return { kind: 'embed', ...embed, hint, inner, select };
}

function readCast(cursor: Cursor): string | null {
  if (!cursor.take('::')) return null;
  const found = cursor.match(/[A-Za-z_][\w ]*/y);
  if (!found) throw cursor.wrong();
  return found[0].trim();
}

function readAggregate(cursor: Cursor): { name: Aggregate; cast: string | null } | null {
  if (!cursor.peek('.')) return null;
  const found = cursor.match(/\.(\w+)\(\)/y);
  const name = AGGREGATES.find((aggregate) => aggregate === found?.[1]);
  if (!name) throw cursor.wrong();
  return { name, cast: readCast(cursor) };
}

/** Parses `a.desc.nullslast,data->b,relation(c).asc`. */
export function parseOrder(text: string): Order[] {
  const cursor = createCursor(text, 'order');
  const orders: Order[] = [];
  do {
    cursor.spaces();
    let field = readField(cursor);
    let relation: string | null = null;
    if (field.path.length === 0 && cursor.take('(')) {
      relation = field.name;
      field = readField(cursor);
      cursor.expect(')');
    }
    const words = cursor.match(/(?:\.(asc|desc))?(?:\.nulls(first|last))?/y);
    const nulls = words?.[2];
    orders.push({
      relation,
      field,
      descending: words?.[1] === 'desc',
      nulls: nulls === 'first' || nulls === 'last' ? nulls : null,
    });
    cursor.spaces();
    if (orders.length > ITEMS_MAX) throw restErrors.tooLong();
  } while (cursor.take(','));
  cursor.end();
  return orders;
}

/** Parses `a,"b c"`. */
export function parseColumns(text: string): string[] {
  if (text.trim() === '') return [];
  const cursor = createCursor(text, 'columns parameter');
  const names: string[] = [];
  do {
    cursor.spaces();
    names.push(readName(cursor));
    cursor.spaces();
    if (names.length > ITEMS_MAX) throw restErrors.tooLong();
  } while (cursor.take(','));
  cursor.end();
  return names;
}
