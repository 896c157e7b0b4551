import { restErrors } from './errors.ts';

/** What a request asks for, before anybody has looked whether it exists. */
export type SelectItem =
  | { readonly kind: 'star' }
  | { readonly kind: 'column'; readonly name: string; readonly alias: string | null; readonly cast: string | null }
  | {
      readonly kind: 'embed';
      readonly relation: string;
      readonly alias: string | null;
      readonly hint: string | null;
      readonly inner: boolean;
      readonly select: readonly SelectItem[];
    };

export type Condition =
  | {
      readonly kind: 'compare';
      readonly column: string;
      readonly negated: boolean;
      readonly operator: Operator;
      readonly value: string;
    }
  | {
      readonly kind: 'logic';
      readonly operator: 'and' | 'or';
      readonly negated: boolean;
      readonly of: readonly Condition[];
    };

const OPERATORS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'in',
  'is',
  'cs',
  'cd',
  'ov',
  'isdistinct',
  'match',
  'imatch',
] as const;
export type Operator = (typeof OPERATORS)[number];

export type Order = { readonly column: string; readonly descending: boolean; readonly nulls: 'first' | 'last' | null };
/** What applies to one level: the table itself (path '') or an embedded relation. */
export type Level = {
  readonly conditions: readonly Condition[];
  readonly order: readonly Order[];
  readonly limit: number | null;
  readonly offset: number;
};
export type Parsed = {
  readonly select: readonly SelectItem[];
  readonly levels: ReadonlyMap<string, Level>;
  readonly onConflict: readonly string[];
  readonly columns: readonly string[] | null;
};

const NAME = /^[A-Za-z_][A-Za-z0-9_$ -]{0,62}$/;
const DEPTH_MAX = 6;
const EMPTY: Level = { conditions: [], order: [], limit: null, offset: 0 };
export const levelAt = (parsed: Parsed, path: string): Level => parsed.levels.get(path) ?? EMPTY;

/** Reads the query of a table request. Throws `RestRefusal` (PGRST100). */
export function parseQuery(search: URLSearchParams): Parsed {
  const levels = new Map<string, Level>();
  const change = (path: string, part: (level: Level) => Partial<Level>): void => {
    const level = levels.get(path) ?? EMPTY;
    levels.set(path, { ...level, ...part(level) });
  };
  let select: readonly SelectItem[] = [{ kind: 'star' }];
  let onConflict: readonly string[] = [];
  let columns: readonly string[] | null = null;
  for (const [key, value] of search) {
    if (key === 'select') select = parseSelect(value);
    else if (key === 'on_conflict') onConflict = nameList(value);
    else if (key === 'columns') columns = nameList(value);
    else {
      const dot = key.lastIndexOf('.');
      const negated = /(^|\.)not\.(and|or)$/.test(key);
      const cut = negated ? key.slice(0, -4).lastIndexOf('.') : dot;
      const word = key.slice(dot + 1);
      const path = negated ? key.replace(/\.?not\.(and|or)$/, '') : key.slice(0, Math.max(cut, 0));
      if (word === 'order') change(path, () => ({ order: parseOrder(value) }));
      else if (word === 'limit') change(path, () => ({ limit: wholeNumber(key, value) }));
      else if (word === 'offset') change(path, () => ({ offset: wholeNumber(key, value) }));
      else if (word === 'and' || word === 'or') {
        const logic = parseLogic(`${word}${value}`, negated);
        change(path, (level) => ({ conditions: [...level.conditions, logic] }));
      } else {
        const condition = parseComparison(name(word), value);
        change(path, (level) => ({ conditions: [...level.conditions, condition] }));
      }
    }
  }
  return { select, levels, onConflict, columns };
}

function name(text: string): string {
  const plain = text.trim().replace(/^"(.*)"$/, '$1');
  if (!NAME.test(plain)) throw restErrors.query(text.slice(0, 80));
  return plain;
}
function nameList(text: string): string[] {
  return text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(name);
}
function wholeNumber(key: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw restErrors.query(`${key}=${text.slice(0, 40)}`);
  return Number(text);
}

/** `id,name,rooms(name)`, `alias:column::text`, `alias:relation!hint!inner(…)`. */
export function parseSelect(text: string, depth = 0): SelectItem[] {
  if (depth > DEPTH_MAX) throw restErrors.query('select is nested too deeply');
  return splitTop(text).map((part) => {
    const embed = /^(?:(?<alias>[^:()]+):)?(?<relation>[^:()!]+)(?<hints>(?:![^()!]+)*)\((?<inside>.*)\)$/s.exec(part);
    if (embed?.groups) {
      const hints = (embed.groups['hints'] ?? '').split('!').filter((hint) => hint !== '');
      return {
        kind: 'embed',
        relation: name(embed.groups['relation'] ?? ''),
        alias: embed.groups['alias'] === undefined ? null : name(embed.groups['alias']),
        hint: hints.find((hint) => hint !== 'inner' && hint !== 'left') ?? null,
        inner: hints.includes('inner'),
        select: parseSelect(embed.groups['inside'] ?? '', depth + 1),
      };
    }
    if (part === '*') return { kind: 'star' };
    const column = /^(?:(?<alias>[^:]+):(?!:))?(?<name>[^:]+)(?:::(?<cast>[a-z0-9_]+))?$/.exec(part);
    if (!column?.groups) throw restErrors.query(part.slice(0, 80));
    return {
      kind: 'column',
      name: name(column.groups['name'] ?? ''),
      alias: column.groups['alias'] === undefined ? null : name(column.groups['alias']),
      cast: column.groups['cast'] ?? null,
    };
  });
}

/** Splits at commas outside brackets and quotes. */
function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let part = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (quoted && char === '\\') {
      part += char + (text[at + 1] ?? '');
      at += 1;
      continue;
    }
    if (char === '"') quoted = !quoted;
    if (!quoted && char === '(') depth += 1;
    if (!quoted && char === ')') depth -= 1;
    if (depth < 0) throw restErrors.query(text.slice(0, 80));
    if (!quoted && depth === 0 && char === ',') {
      parts.push(part.trim());
      part = '';
    } else part += char;
  }
  if (depth !== 0 || quoted) throw restErrors.query(text.slice(0, 80));
  if (part.trim() !== '') parts.push(part.trim());
  return parts;
}

function parseOrder(text: string): Order[] {
  return splitTop(text).map((part) => {
    const [column = '', ...words] = part.split('.');
    for (const word of words)
      if (!['asc', 'desc', 'nullsfirst', 'nullslast'].includes(word)) throw restErrors.query(part.slice(0, 80));
    return {
      column: name(column),
      descending: words.includes('desc'),
      nulls: words.includes('nullsfirst') ? 'first' : words.includes('nullslast') ? 'last' : null,
    };
  });
}

function isOperator(text: string): text is Operator {
  return OPERATORS.some((operator) => operator === text);
}

function parseComparison(column: string, text: string): Condition {
  const match = /^(not\.)?([a-z]+)\.(.*)$/s.exec(text);
  const operator = match?.[2] ?? '';
  if (!match || !isOperator(operator)) throw restErrors.query(`${column}=${text.slice(0, 60)}`);
  return { kind: 'compare', column, negated: match[1] !== undefined, operator, value: match[3] ?? '' };
}

/** `or(a.eq.1,and(b.gt.2,c.is.null))` */
function parseLogic(text: string, negated: boolean, depth = 0): Condition {
  const match = /^(and|or)\((.*)\)$/s.exec(text.trim());
  if (!match || depth > DEPTH_MAX) throw restErrors.query(text.slice(0, 80));
  const of = splitTop(match[2] ?? '').map((part): Condition => {
    const inner = /^(not\.)?((?:and|or)\(.*)$/s.exec(part);
    if (inner) return parseLogic(inner[2] ?? '', inner[1] !== undefined, depth + 1);
    const dot = part.indexOf('.');
    if (dot < 1) throw restErrors.query(part.slice(0, 80));
    const condition = parseComparison(name(part.slice(0, dot)), part.slice(dot + 1));
    return condition.kind === 'compare' ? { ...condition, value: unquote(condition.value) } : condition;
  });
  if (of.length === 0) throw restErrors.query(text.slice(0, 80));
  return { kind: 'logic', operator: match[1] === 'or' ? 'or' : 'and', negated, of };
}

function unquote(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1).replace(/\\(.)/gs, '$1') : text;
}

/** The members of `(a,"b,c",d)`. */
export function parseList(text: string): string[] {
  const inside = /^\((.*)\)$/s.exec(text);
  if (!inside) throw restErrors.query(text.slice(0, 80));
  return splitTop(inside[1] ?? '').map(unquote);
}
