import { restErrors } from '../core/errors.ts';
import { readList } from '../parse/query.ts';

/** The source of a `$n` at the time the statement runs. */
export type Binder =
  /** A value from the request, by its index. */
  | { readonly from: 'value'; readonly at: number; readonly as: 'text' | 'pattern' | 'list' | 'array' | 'offset' }
  /** All values of a variadic argument. */
  | { readonly from: 'values'; readonly at: readonly number[] }
  | { readonly from: 'value'; readonly at: number; readonly as: 'limit'; readonly max: number | null }
  /** Text of the request's shape that is not SQL: a key of the answer or a step of a JSON path. */
  | { readonly from: 'constant'; readonly value: string }
  | { readonly from: 'body' }
  /** A size limit of the answer. Nested lists have limits that are separate from those of the whole answer. */
  | { readonly from: 'bound'; readonly of: keyof AnswerBounds };

/** Size limits of an answer. `bytes` limits the whole answer, `partBytes` and `partRows` limit all embedded lists together. */
export type AnswerBounds = { readonly bytes: number; readonly partBytes: number; readonly partRows: number };

/** SQL in which every input from outside is a `$n`. */
export type Statement = { readonly text: string; readonly binders: readonly Binder[] };

/** Collects binders while SQL is built. */
export type SqlBuilder = {
  readonly binders: Binder[];
  /** Maximum number of rows of a list. */
  readonly maxRows: number;
  /** Returns the `$n` of a value. Equal values share one. */
  bind(binder: Binder): string;
  /** Returns a new alias for a relation. */
  alias(): string;
};

export function createSqlBuilder(maxRows: number): SqlBuilder {
  const binders: Binder[] = [];
  const params = new Map<string, string>();
  let aliases = 0;
  return {
    binders,
    maxRows,
    bind(binder) {
      const key = JSON.stringify(binder);
      const param = params.get(key) ?? `$${binders.push(binder)}`;
      params.set(key, param);
      return param;
    },
    alias: () => `t${(aliases += 1)}`,
  };
}

/** Builds the answer's text. The database refuses it if it exceeds the caller's limit. */
export function buildWhole(builder: SqlBuilder, text: string): string {
  return `rest.limit_response(${text}, ${builder.bind({ from: 'bound', of: 'bytes' })})`;
}

/** Builds a list inside an answer, which counts towards the limits of all embedded lists. `rows`: the number of its rows. */
export function buildPart(builder: SqlBuilder, list: string, rows: string): string {
  const [bytes, maxRows] = [
    builder.bind({ from: 'bound', of: 'partBytes' }),
    builder.bind({ from: 'bound', of: 'partRows' }),
  ];
  return `rest.limit_list(${list}, ${rows}, ${bytes}, ${maxRows})`;
}

/** Takes the values of a statement from one request. `body`: the request's body, unchanged. */
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
    if (binder.from === 'values') return binder.at.map((index) => values[index] ?? '');
    const text = values[binder.at] ?? '';
    switch (binder.as) {
      case 'text':
        return text;
      case 'pattern':
        return text.replaceAll('*', '%');
      case 'array':
        return text.startsWith('{') ? text : [text];
      case 'list':
        return parseList(text);
      case 'offset':
        return Number(text);
      case 'limit':
        return binder.max === null ? Number(text) : Math.min(Number(text), binder.max);
    }
  });
}

/** Reads `(a,b)`. Throws PGRST100 if the list is not closed. */
function parseList(text: string): string[] {
  if (!/^\(.*\)$/s.test(text)) throw restErrors.query('filter', text);
  return readList(text);
}
