/** One condition of a filter: `column=[not.]op.value`. */
export type Condition = {
  readonly column: string;
  readonly negated: boolean;
  readonly operator: Operator;
  /** The values: several for `in`, otherwise one. */
  readonly values: readonly string[];
};

const OPERATORS = [
  'eq',
  'neq',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'like',
  'ilike',
  'is',
  'match',
  'imatch',
  'isdistinct',
] as const;
export type Operator = (typeof OPERATORS)[number];

const IN_VALUES_MAX = 100;
const FILTER_MAX = 20_000;

/** An invalid filter. The message reaches the application. */
export class FilterFault extends Error {
  override readonly name = 'FilterFault';
}

/** Reads a filter: conditions joined by commas, all of which must hold. A blank filter has none. Throws `FilterFault`. */
export function readFilter(text: string): readonly Condition[] {
  if (text.trim() === '') return [];
  if (text.length > FILTER_MAX) throw unreadable(`filter must not exceed ${FILTER_MAX} characters`);
  // PostgreSQL cannot store a NUL.
  if (text.includes('\0')) throw unreadable('filter must not contain a null character');
  return splitTopLevel(text).map(readCondition);
}

function readCondition(text: string): Condition {
  if (text.trim() === '') throw unreadable('filter must not contain empty segments (check for extra commas)');
  const equals = text.indexOf('=');
  if (equals < 1) throw unreadable(JSON.stringify([text]));
  const column = text.slice(0, equals).trim();
  const rest = text.slice(equals + 1);
  const negated = rest.startsWith('not.');
  const [name = '', ...values] = (negated ? rest.slice('not.'.length) : rest).split('.');
  const operator = OPERATORS.find((operator) => operator === name);
  if (operator === undefined || values.length === 0)
    throw unreadable(`[${JSON.stringify(column)}, ${JSON.stringify(rest)}]`);
  const value = values.join('.');
  return { column, negated, operator, values: operator === 'in' ? readList(value) : [unquote(value)] };
}

function readList(value: string): readonly string[] {
  const inner = /^\((?<inner>.*)\)$/s.exec(value.trim())?.groups?.['inner'];
  if (inner === undefined) throw unreadable('`in` filter value must be wrapped by parentheses');
  const values = inner.trim() === '' ? [] : splitTopLevel(inner).map((part) => unquote(part.trim()));
  if (values.length > IN_VALUES_MAX)
    throw new FilterFault(`too many values for \`in\` filter. Maximum ${IN_VALUES_MAX}`);
  return values;
}

const unreadable = (what: string): FilterFault => new FilterFault(`Error parsing \`filter\` params: ${what}`);

/** Splits at commas outside parentheses and quotes. A quote opens only after `.`, `(`, `,` or at the start; a backslash escapes within it. */
function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (quoted && char === '\\') {
      part += char + (text[index + 1] ?? '');
      index += 1;
      continue;
    }
    if (char === '"' && (quoted || /(^|[.(,])$/.test(part))) quoted = !quoted;
    else if (!quoted && char === '(') depth += 1;
    else if (!quoted && char === ')') depth -= 1;
    if (char === ',' && !quoted && depth === 0) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part];
}

function unquote(value: string): string {
  const inner = /^"(?<inner>.*)"$/s.exec(value)?.groups?.['inner'];
  return inner === undefined ? value : inner.replaceAll(/\\(.)/gs, '$1');
}
