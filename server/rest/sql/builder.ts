import { restErrors } from '../errors.ts';
import { readList } from '../parse/query.ts';

/** Where the value of a `$n` comes from when the statement is run. */
export type Binder =
  /** A value the caller wrote, by its place in the request. */
  | { readonly from: 'value'; readonly at: number; readonly as: 'text' | 'pattern' | 'list' | 'array' | 'offset' }
  /** Every value of an argument that takes any number of them. */
  | { readonly from: 'values'; readonly at: readonly number[] }
  | { readonly from: 'value'; readonly at: number; readonly as: 'limit'; readonly max: number | null }
  /** A word of the question itself that is not SQL: a key of the answer, a step of a JSON path. */
  | { readonly from: 'constant'; readonly value: string }
  | { readonly from: 'body' }
  /** How much the answer may hold; its parts are counted apart from the whole. */
  | { readonly from: 'bound'; readonly of: keyof AnswerBounds };

/** What an answer may hold: bytes of the whole, bytes and rows of all embedded lists together. */
export type AnswerBounds = { readonly bytes: number; readonly partBytes: number; readonly partRows: number };

/** SQL whose only words from outside are `$n`. */
export type Statement = { readonly text: string; readonly binders: readonly Binder[] };

/** Collects binders while text is written. */
export type SqlBuilder = {
  readonly binders: Binder[];
  /** How many rows a list shows at most. */
  readonly maxRows: number;
  /** The `$n` of a value; the same one for the same value. */
  bind(binder: Binder): string;
  /** A name for a relation in the text. */
  alias(): string;
};

export function createSqlBuilder(maxRows: number): SqlBuilder {
  const binders: Binder[] = [];
  const known = new Map<string, string>();
  let aliases = 0;
  return {
    binders,
    maxRows,
    bind(binder) {
      const key = JSON.stringify(binder);
      const place = known.get(key) ?? `$${binders.push(binder)}`;
      known.set(key, place);
      return place;
    },
    alias: () => `t${(aliases += 1)}`,
  };
}

/** Text of an answer, refused when it holds more than the caller may be answered. */
export function buildWhole(builder: SqlBuilder, text: string): string {
  return `answer.whole(${text}, ${builder.bind({ from: 'bound', of: 'bytes' })})`;
}

/** A list inside an answer, counted together with all others; `rows`: how many it has. */
export function buildPart(builder: SqlBuilder, list: string, rows: string): string {
  const [bytes, most] = [
    builder.bind({ from: 'bound', of: 'partBytes' }),
    builder.bind({ from: 'bound', of: 'partRows' }),
  ];
  return `answer.part(${list}, ${rows}, ${bytes}, ${most})`;
}

/** The values of a statement, from those of one request. `body`: the request's, as it came. */
export function bindValues(
  binders: readonly Binder[],
  values: readonly string[],
  body: string | Uint8Array | null,
  bounds: AnswerBounds,
): unknown[] {
  return binders.map((binder) => {
    if (binder.from === 'constant') return binder.value;
    if (binder.from === 'body') return body;
    if (binder.from === 'bound') return bounds[binder.of];
    if (binder.from === 'values') return binder.at.map((place) => values[place] ?? '');
    const text = values[binder.at] ?? '';
    switch (binder.as) {
      case 'text':
        return text;
      case 'pattern':
        return text.replaceAll('*', '%');
      case 'array':
        return text.startsWith('{') ? text : [text];
      case 'list':
        return readListOf(text);
      case 'offset':
        return Number(text);
      case 'limit':
        return binder.max === null ? Number(text) : Math.min(Number(text), binder.max);
    }
  });
}

/** `(a,b)`; a list that does not end where it should is the caller's mistake. */
function readListOf(text: string): string[] {
  if (!/^\(.*\)$/s.test(text)) throw restErrors.query('filter', text);
  return readList(text);
}
