import { restErrors } from '../core/errors.ts';
import { createCursor, type Cursor } from './cursor.ts';
import { type Field, readField, readMember, readValue } from './grammar.ts';
import { type Order, parseColumns, parseOrder, parseSelect, type SelectItem } from './select.ts';

/**
 * Stage one: the content of a request before any lookup. Every value is taken out of the text and put into `values`, and the parsed tree
 * refers to it by index. The rest is the request's shape: requests that differ only in values share one plan and one prepared statement.
 */
export type Read = {
  /** The request's text without its values. */
  readonly shape: string;
  readonly values: readonly string[];
  /** The values as one text. */
  readonly valuesText: string;
  readonly params: readonly Param[];
};
type Param =
  | { readonly kind: 'select' | 'columns' | 'on_conflict'; readonly text: string }
  | { readonly kind: 'order'; readonly path: string; readonly text: string }
  | { readonly kind: 'limit' | 'offset'; readonly path: string; readonly value: number }
  | { readonly kind: 'condition'; readonly path: string; readonly condition: Condition }
  /** An argument of a function called by GET. */
  | { readonly kind: 'argument'; readonly name: string; readonly value: number };

/** Operators that take a field and a value, as PostgreSQL spells them. */
export const COMPARISONS = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxl: '&>',
  nxr: '&<',
  adj: '-|-',
} as const;
type Comparison = keyof typeof COMPARISONS;
const isComparison = (text: string): text is Comparison => Object.hasOwn(COMPARISONS, text);
const SEARCHES = ['fts', 'plfts', 'phfts', 'wfts'] as const;
type Search = (typeof SEARCHES)[number];
const STATES = ['null', 'not_null', 'true', 'false', 'unknown'] as const;
type State = (typeof STATES)[number];
const QUANTIFIED: ReadonlySet<string> = new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'match', 'imatch']);

/** A test of one field; `value` is an index into the request's values. */
export type Test =
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly quantifier: 'any' | 'all' | null;
      readonly value: number;
    }
  | { readonly kind: 'in'; readonly value: number }
  | { readonly kind: 'is'; readonly state: State }
  | { readonly kind: 'search'; readonly operator: Search; readonly language: string | null; readonly value: number };
export type Condition =
  | { readonly kind: 'test'; readonly field: Field; readonly negated: boolean; readonly test: Test }
  | {
      readonly kind: 'logic';
      readonly operator: 'and' | 'or';
      readonly negated: boolean;
      readonly of: readonly Condition[];
    };

/** The conditions, order and limits of one level: the table itself (path '') or an embedded relation (`a.b`). */
export type Level = {
  readonly conditions: readonly Condition[];
  readonly order: readonly Order[];
  readonly limit: number | null;
  readonly offset: number | null;
};
export type Parsed = {
  readonly select: readonly SelectItem[];
  readonly levels: ReadonlyMap<string, Level>;
  readonly columns: readonly string[] | null;
  readonly onConflict: readonly string[];
  readonly arguments: readonly { readonly name: string; readonly value: number }[];
};

const DEPTH_MAX = 10;
const VALUES_MAX = 1_000;
const EMPTY: Level = { conditions: [], order: [], limit: null, offset: null };
export const levelAt = (parsed: Parsed, path: string): Level => parsed.levels.get(path) ?? EMPTY;

/**
 * Separates a query's values from its shape. `call`: a plain `name=value` is an argument of a function. Throws `RestRefusal` (PGRST100).
 */
export function readQuery(search: URLSearchParams, call: boolean): Read {
  const values: string[] = [];
  const params: Param[] = [];
  let shape = '';
  for (const [key, text] of search) {
    const param = readParam(key, text, values, call);
    params.push(param);
    // A parameter that holds a value adds only its kind to the shape; any other adds its whole text.
    shape += `${key.length}:${key}=${param.kind === 'condition' ? JSON.stringify(param.condition) : 'text' in param ? `${param.text.length}:${param.text}` : '?'}&`;
    if (values.length > VALUES_MAX) throw restErrors.tooLong();
  }
  return { shape, values, valuesText: JSON.stringify(values), params };
}

function readParam(key: string, text: string, values: string[], call: boolean): Param {
  const addValue = (value: string): number => values.push(value) - 1;
  if (key === 'select' || key === 'columns' || key === 'on_conflict') return { kind: key, text };
  const { path, field } = readKey(key);
  const levelPath = path.join('.');
  const keyword = field.path.length === 0 ? field.name : '';
  if (keyword === 'order') return { kind: 'order', path: levelPath, text };
  if (keyword === 'limit' || keyword === 'offset') {
    if (keyword === 'limit' && /^-\d{1,15}$/.test(text)) throw restErrors.negativeLimit();
    if (!/^\d{1,15}$/.test(text)) throw restErrors.query(`${keyword} parameter`, text);
    return { kind: keyword, path: levelPath, value: addValue(text) };
  }
  if (keyword === 'and' || keyword === 'or') {
    const negated = path.at(-1) === 'not';
    const condition = readLogic(createCursor(text, 'logic tree'), keyword, negated, addValue, 0);
    return { kind: 'condition', path: (negated ? path.slice(0, -1) : path).join('.'), condition };
  }
  const found = readTest(text);
  if (found) return { kind: 'condition', path: levelPath, condition: toCondition(field, found, addValue) };
  if (!call) throw restErrors.query('filter', text);
  return { kind: 'argument', name: key, value: addValue(text) };
}

/** Reads `rel.sub.field->path`. The names before the last are embedded relations. */
function readKey(key: string): { path: string[]; field: Field } {
  const cursor = createCursor(key, 'filter');
  const path: string[] = [];
  for (;;) {
    const field = readField(cursor);
    if (field.path.length > 0 || !cursor.take('.')) {
      cursor.end();
      return { path, field };
    }
    path.push(field.name);
    if (path.length > DEPTH_MAX) throw restErrors.tooDeep();
  }
}

type FilterParts = { negated: boolean; operator: string; inside: string | null; rest: string };
const TEST = /^(?<not>not\.)?(?<operator>[a-z]+)(?:\((?<inside>[^()]{1,64})\))?\.(?<rest>.*)$/s;
const OPERATORS: ReadonlySet<string> = new Set([...Object.keys(COMPARISONS), ...SEARCHES, 'in', 'is']);

function readTest(text: string): FilterParts | null {
  const groups = TEST.exec(text)?.groups;
  const operator = groups?.['operator'] ?? '';
  if (!groups || !OPERATORS.has(operator)) return null;
  return {
    negated: groups['not'] !== undefined,
    operator,
    inside: groups['inside'] ?? null,
    rest: groups['rest'] ?? '',
  };
}

const findChoice = <T extends string>(list: readonly T[], text: string): T | undefined =>
  list.find((choice) => choice === text);

function toCondition(field: Field, found: FilterParts, addValue: (value: string) => number): Condition {
  return { kind: 'test', field, negated: found.negated, test: toTest(found, addValue) };
}
function toTest({ operator, inside, rest }: FilterParts, addValue: (value: string) => number): Test {
  if (operator === 'is') {
    const state = findChoice(STATES, rest.toLowerCase());
    if (!state || inside !== null) throw restErrors.query('filter', `is.${rest}`, 3);
    return { kind: 'is', state };
  }
  if (operator === 'in') {
    if (inside !== null || !/^\(.*\)$/s.test(rest)) throw restErrors.query('filter', `in.${rest}`, 3);
    return { kind: 'in', value: addValue(rest) };
  }
  const search = findChoice(SEARCHES, operator);
  if (search) return { kind: 'search', operator: search, language: inside, value: addValue(rest) };
  const quantifier = inside === 'any' || inside === 'all' ? inside : null;
  if (!isComparison(operator) || (inside !== null && (quantifier === null || !QUANTIFIED.has(operator))))
    throw restErrors.query('filter', `${operator}.${rest}`);
  return { kind: 'compare', operator, quantifier, value: addValue(rest) };
}

/** Reads `(a.eq.1,not.and(b.gt.2,c.is.null))`. */
function readLogic(
  cursor: Cursor,
  operator: 'and' | 'or',
  negated: boolean,
  addValue: (value: string) => number,
  depth: number,
): Condition {
  if (depth > DEPTH_MAX) throw restErrors.tooDeep();
  const of: Condition[] = [];
  cursor.expect('(');
  do {
    cursor.spaces();
    const logic = cursor.match(/(not\.)?(and|or)(?=\()/y);
    of.push(
      logic
        ? readLogic(cursor, logic[2] === 'or' ? 'or' : 'and', logic[1] !== undefined, addValue, depth + 1)
        : readLeaf(cursor, addValue),
    );
    cursor.spaces();
  } while (cursor.take(','));
  cursor.expect(')');
  if (depth === 0) cursor.end();
  return { kind: 'logic', operator, negated, of };
}

/** Reads one nested condition. Its value ends at a comma or bracket unless it is quoted or a list itself. */
function readLeaf(cursor: Cursor, addValue: (value: string) => number): Condition {
  const field = readField(cursor);
  cursor.expect('.');
  const head = cursor.match(/(not\.)?([a-z]+)(?:\(([^()]{1,64})\))?\./y);
  if (!head || !OPERATORS.has(head[2] ?? '')) throw cursor.wrong();
  const rest = readValue(cursor);
  return toCondition(
    field,
    { negated: head[1] !== undefined, operator: head[2] ?? '', inside: head[3] ?? null, rest },
    addValue,
  );
}

/** Parses the select and order of a query. This is needed only once per shape. */
export function parseQuery(read: Read): Parsed {
  const levels = new Map<string, Level>();
  const change = (path: string, part: (level: Level) => Partial<Level>): void => {
    const level = levels.get(path) ?? EMPTY;
    levels.set(path, { ...level, ...part(level) });
  };
  let select: readonly SelectItem[] = [{ kind: 'star' }];
  let columns: readonly string[] | null = null;
  let onConflict: readonly string[] = [];
  const given: { name: string; value: number }[] = [];
  for (const param of read.params) {
    switch (param.kind) {
      case 'select':
        select = parseSelect(param.text);
        break;
      case 'columns':
        columns = parseColumns(param.text);
        break;
      case 'on_conflict':
        onConflict = parseColumns(param.text);
        break;
      case 'order':
        change(param.path, () => ({ order: parseOrder(param.text) }));
        break;
      case 'limit':
        change(param.path, () => ({ limit: param.value }));
        break;
      case 'offset':
        change(param.path, () => ({ offset: param.value }));
        break;
      case 'condition':
        change(param.path, (level) => ({ conditions: [...level.conditions, param.condition] }));
        break;
      case 'argument':
        given.push({ name: param.name, value: param.value });
    }
  }
  return { select, levels, columns, onConflict, arguments: given };
}

/** Returns the members of `(a,"b,c",d)`. An empty list has none. */
export function readList(text: string): string[] {
  const inside = text.slice(1, -1);
  if (inside.trim() === '') return [];
  const cursor = createCursor(inside, 'filter');
  const members: string[] = [];
  do members.push(readMember(cursor));
  while (cursor.take(','));
  cursor.end();
  if (members.length > VALUES_MAX * 10) throw restErrors.tooLong();
  return members;
}
