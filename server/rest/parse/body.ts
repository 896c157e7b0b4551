import { checkJson, JsonRefused } from '#server/http/bodies/json.ts';
import { type Bounds, refuseOver } from '../core/bounds.ts';
import { restErrors, type Sent } from '../core/errors.ts';

/** A request's body. The database gets the original text of JSON, so that no number loses a digit. */
export type Body = {
  readonly sent: Exclude<Sent, 'query'>;
  /** The body as a JSON list, whether it arrived as a list, a single object or CSV. */
  readonly listText: string;
  /** The body as it arrived. */
  readonly raw: string | Uint8Array;
  /** The keys that all objects share; null if the body does not consist of objects. */
  readonly keys: readonly string[] | null;
  /** The number of objects; null if they were not counted. */
  readonly count: number | null;
};

/** Accepted content types. Null means that tables and functions both accept the type. */
const TYPES: readonly (readonly [RegExp, Exclude<Sent, 'query'> | 'csv', 'table' | 'call' | null])[] = [
  [/^application\/(vnd\.pgrst\.\w+\+)?json\s*(;|$)/i, 'json', null],
  [/^text\/csv\s*(;|$)/i, 'csv', 'table'],
  [/^text\/plain\s*(;|$)/i, 'text', 'call'],
  [/^(text|application)\/xml\s*(;|$)/i, 'xml', 'call'],
  [/^application\/octet-stream\s*(;|$)/i, 'binary', 'call'],
];

/** `columnsNamed`: the request names the columns itself. `newRows`, `bodyMembers`: limits for the rows and values of a body. */
type BodyOptions = { readonly columnsNamed: boolean } & Pick<Bounds, 'newRows' | 'bodyMembers'>;

/** Maximum depth to which a body may be nested. Each level uses some of the database's stack. */
const DEPTH_MAX = 100;

/** Reads a request's body. Throws PGRST102 if it cannot be parsed, 400 if it has too many rows. */
export async function readBody(request: Request, kind: 'table' | 'call', options: BodyOptions): Promise<Body> {
  const type = request.headers.get('content-type') ?? '';
  const sent = TYPES.find(([pattern, , only]) => pattern.test(type) && (only ?? kind) === kind)?.[1];
  if (sent === 'text' || sent === 'xml') return { ...ONE, sent, raw: await request.text() };
  if (sent === 'binary') return { ...ONE, sent, raw: new Uint8Array(await request.arrayBuffer()) };
  const bytes = Buffer.from(await request.arrayBuffer());
  const text = bytes.toString('utf8').trim();
  if (text === '') {
    if (kind === 'table') throw restErrors.body('Empty or invalid json');
    return { sent: 'json', listText: '[{}]', raw: '{}', keys: [], count: 1 };
  }
  // CSRF protection: browsers send some content types to other sites without a preflight, but none of the accepted ones.
  if (sent === undefined) throw restErrors.contentType(type);
  if (sent === 'json') checkMembers(bytes, options);
  else checkCells(bytes, options);
  const body = sent === 'csv' ? fromTable(text) : fromJson(text, kind, options);
  if (kind === 'table') refuseOver('rows', body.count ?? 0, options.newRows);
  return body;
}

/** Refuses JSON (PGRST102) that is short to send but expensive to parse or to store. */
function checkMembers(bytes: Buffer, { bodyMembers }: BodyOptions): void {
  try {
    checkJson(bytes, { members: bodyMembers, depth: DEPTH_MAX });
  } catch (error) {
    throw error instanceof JsonRefused ? restErrors.body(error.message) : error;
  }
}

/** Refuses CSV (PGRST102) with too many cells. Counts separators, which may overestimate the number. */
function checkCells(bytes: Buffer, { bodyMembers }: BodyOptions): void {
  let cells = 1;
  for (const byte of bytes) if (byte === COMMA || byte === LINE_FEED) cells += 1;
  if (cells > bodyMembers) throw restErrors.body(`The body has more than ${bodyMembers} values`);
}

const [COMMA, LINE_FEED] = [0x2c, 0x0a];

const ONE = { listText: '', keys: null, count: null };

function fromJson(text: string, kind: 'table' | 'call', { columnsNamed, newRows }: BodyOptions): Body {
  const listText = text.startsWith('[') ? text : `[${text}]`;
  // With `columns=` only the database parses the body.
  if (columnsNamed && kind === 'table')
    return { sent: 'json', listText, raw: text, keys: [], count: countRows(text, newRows) };
  return { sent: 'json', listText, raw: text, ...readKeys(text, kind) };
}

/** Counts the rows of a body whose keys do not matter. Returns null if no limit applies. */
function countRows(text: string, newRows: number): number | null {
  if (!text.startsWith('[')) return 1;
  return newRows === Infinity ? null : readKeys(text, 'table', false).count;
}

function readKeys(
  text: string,
  kind: 'table' | 'call',
  sameKeys = true,
): { keys: readonly string[] | null; count: number | null } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw restErrors.body('Empty or invalid json');
  }
  if (isObject(value)) return { keys: Object.keys(value), count: 1 };
  if (kind === 'call') return { keys: null, count: null };
  if (!Array.isArray(value) || !value.every(isObject)) throw restErrors.body('Empty or invalid json');
  if (!sameKeys) return { keys: [], count: value.length };
  const keys = Object.keys(value[0] ?? {});
  const expected = new Set(keys);
  const same = value.every((row) => {
    const own = Object.keys(row);
    return own.length === keys.length && own.every((key) => expected.has(key));
  });
  if (!same) throw restErrors.body('All object keys must match');
  return { keys, count: value.length };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Reads CSV (RFC 4180) with a header line. An unquoted NULL is null. */
function fromTable(text: string): Body {
  const [names = [], ...lines] = readLines(text);
  const keys = names.map((cell) => cell.text);
  if (new Set(keys).size !== keys.length || lines.some((line) => line.length !== keys.length))
    throw restErrors.body('All lines must have same number of fields');
  const list = lines.map((line) =>
    Object.fromEntries(
      line.map((cell, index) => [keys[index] ?? '', cell.text === 'NULL' && !cell.quoted ? null : cell.text]),
    ),
  );
  return { sent: 'json', listText: JSON.stringify(list), raw: text, keys, count: list.length };
}

type Cell = { readonly text: string; readonly quoted: boolean };

function readLines(text: string): Cell[][] {
  const lines: Cell[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  while (cell.lastIndex <= text.length) {
    const found = cell.exec(text);
    if (!found) throw restErrors.body('Empty or invalid csv');
    const [, quoted, bare = '', end] = found;
    lines
      .at(-1)
      ?.push(
        quoted === undefined ? { text: bare, quoted: false } : { text: quoted.replaceAll('""', '"'), quoted: true },
      );
    if (end === '') return lines;
    if (end !== ',') lines.push([]);
  }
  return lines;
}
