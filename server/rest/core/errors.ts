import type { DatabaseError } from '#server/db/database.ts';
import { BUSY_MESSAGE } from '#server/http/classify-error.ts';

/** A refusal in PostgREST's format: `{code, message, details, hint}` with a status. */
export class RestRefusal extends Error {
  override readonly name = 'RestRefusal';
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    code: string,
    message: string,
    details: unknown = null,
    hint: string | null = null,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.hint = hint;
    this.headers = headers;
  }
}

/** One path to a relation (`to`), as PGRST201 lists them. */
export type Choice = {
  readonly cardinality: string;
  readonly embedding: string;
  readonly relationship: string;
  readonly to: string;
};

const short = (text: string): string => text.slice(0, 80);

/** How a function's arguments arrived: in the query, in a JSON object, or as a body that is a single value. */
export type Sent = 'query' | 'json' | 'text' | 'xml' | 'binary';
const SINGLE: Readonly<Record<Sent, string | null>> = {
  query: null,
  json: null,
  text: 'text',
  xml: 'xml',
  binary: 'bytea',
};

/** Codes and messages of PostgREST 12–13 (docs: "Errors"), by the stage that raises them. */
export const restErrors = {
  // Parsing.
  /** `what`: e.g. `select parameter`; `at`: where parsing stopped, from 0. */
  query: (what: string, text: string, at = 0) =>
    new RestRefusal(
      400,
      'PGRST100',
      `"failed to parse ${what} (${short(text)})" (line 1, column ${at + 1})`,
      at < text.length ? `unexpected ${JSON.stringify(text[at])}` : 'unexpected end of input',
    ),
  body: (what: string) => new RestRefusal(400, 'PGRST102', what),
  contentType: (type: string) => new RestRefusal(415, 'PGRST102', `Content-Type not acceptable: ${short(type)}`),
  range: (offset: number, total: number) =>
    new RestRefusal(
      416,
      'PGRST103',
      'Requested range not satisfiable',
      `An offset of ${offset} was requested, but there are only ${total} rows.`,
      null,
      { 'content-range': `*/${total}` },
    ),
  negativeLimit: () =>
    new RestRefusal(
      416,
      'PGRST103',
      'Requested range not satisfiable',
      'Limit should be greater than or equal to zero.',
    ),
  emptyRange: () =>
    new RestRefusal(
      416,
      'PGRST103',
      'Requested range not satisfiable',
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    ),
  rpcMethod: (name: string) => new RestRefusal(405, 'PGRST101', `Cannot use the ${short(name)} method on RPC`),
  volatileGet: () => new RestRefusal(405, '25006', 'cannot execute a volatile function in a read-only transaction'),
  putFilters: () =>
    new RestRefusal(405, 'PGRST105', "Filters must include all and only primary key columns with 'eq' operators"),
  putLimit: () => new RestRefusal(400, 'PGRST114', 'limit/offset querystring parameters are not allowed for PUT'),
  putKey: () => new RestRefusal(400, 'PGRST115', 'Payload values do not match URL in primary key column(s)'),
  schema: (names: readonly string[], requested: string) =>
    new RestRefusal(
      406,
      'PGRST106',
      `Invalid schema: ${short(requested)}`,
      null,
      `Only the following schemas are exposed: ${names.join(', ')}`,
    ),
  accept: (types: string) =>
    new RestRefusal(406, 'PGRST107', `None of these media types are available: ${short(types)}`),
  notSingle: (rows: number) =>
    new RestRefusal(
      406,
      'PGRST116',
      'Cannot coerce the result to a single JSON object',
      `The result contains ${rows} rows`,
    ),
  method: (name: string) => new RestRefusal(405, 'PGRST117', `Unsupported HTTP method: ${short(name)}`),
  preference: (which: readonly string[]) =>
    new RestRefusal(
      400,
      'PGRST122',
      'Invalid preferences given with handling=strict',
      `Invalid preferences: ${short(which.join(', '))}`,
    ),
  maxAffected: (rows: number) =>
    new RestRefusal(
      400,
      'PGRST124',
      'Query result exceeds max-affected preference constraint',
      `The query affects ${rows} rows`,
    ),
  maxAffectedOne: () =>
    new RestRefusal(
      400,
      'PGRST128',
      'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
    ),
  noOpenapi: () => new RestRefusal(404, 'PGRST126', 'Root endpoint metadata is disabled'),
  tooMany: (wait: number) =>
    new RestRefusal(429, 'over_request_rate_limit', 'Too many requests. Please try again later.', null, null, {
      'retry-after': String(wait),
    }),
  busy: (wait: number) =>
    new RestRefusal(503, 'server_busy', BUSY_MESSAGE, null, null, { 'retry-after': String(wait) }),
  path: () => new RestRefusal(404, 'PGRST125', 'Invalid path specified in request URL'),
  tooDeep: () => new RestRefusal(400, 'PGRST100', 'The request is nested too deeply'),
  /** `fault` completes "The pattern …". */
  costlyPattern: (operator: string, fault: string) =>
    new RestRefusal(
      400,
      'pattern_too_costly',
      `The ${operator === 'text search' ? operator : `pattern of ${operator}`} ${fault}`,
      null,
      'Use a shorter, simpler pattern.',
    ),
  tooCostly: (what: string, most: number) =>
    new RestRefusal(
      400,
      'request_too_costly',
      `The request has more than ${most} ${what}`,
      null,
      'Ask for less at once, or set limits on embedded lists.',
    ),
  tooLong: () => new RestRefusal(400, 'PGRST100', 'The request asks for too much at once'),

  // Lookup in the schema cache.
  noTable: (schema: string, name: string, hint: string | null) =>
    new RestRefusal(
      404,
      'PGRST205',
      `Could not find the table '${schema}.${short(name)}' in the schema cache`,
      null,
      hint === null ? null : `Perhaps you meant the table '${schema}.${hint}'`,
    ),
  noColumn: (table: string, name: string, like: readonly string[]) =>
    new RestRefusal(
      400,
      '42703',
      `column ${table}.${short(name)} does not exist`,
      null,
      like.length === 0
        ? null
        : `Perhaps you meant to reference ${like.map((column) => `the column "${table}.${column}"`).join(' or ')}.`,
    ),
  ungrouped: (table: string, name: string) =>
    new RestRefusal(
      400,
      '42803',
      `column "${table}.${name}" must appear in the GROUP BY clause or be used in an aggregate function`,
    ),
  noType: (name: string) => new RestRefusal(400, '42704', `type "${short(name)}" does not exist`),
  noWriteColumn: (table: string, name: string) =>
    new RestRefusal(400, 'PGRST204', `Could not find the '${short(name)}' column of '${table}' in the schema cache`),
  /** `like`: a similar name and the name that it would replace. */
  noRelation: (
    schema: string,
    from: string,
    to: string,
    hint: string | null,
    like: { readonly name: string; readonly replaced: string } | null,
  ) =>
    new RestRefusal(
      400,
      'PGRST200',
      `Could not find a relationship between '${from}' and '${short(to)}' in the schema cache`,
      `Searched for a foreign key relationship between '${from}' and '${short(to)}'${hint === null ? '' : ` using the hint '${short(hint)}'`} in the schema '${schema}', but no matches were found.`,
      like === null ? null : `Perhaps you meant '${like.name}' instead of '${short(like.replaced)}'.`,
    ),
  ambiguous: (from: string, to: string, choices: readonly Choice[]) =>
    new RestRefusal(
      300,
      'PGRST201',
      `Could not embed because more than one relationship was found for '${from}' and '${short(to)}'`,
      choices.map(({ cardinality, embedding, relationship }) => ({ cardinality, embedding, relationship })),
      `Try changing '${short(to)}' to one of the following: ${choices.map((choice) => `'${choice.to}!${choice.relationship.split(' ')[0] ?? ''}'`).join(', ')}. Find the desired relationship in the 'details' key.`,
    ),
  /** `sent`: how the arguments arrived; `hint`: a similar function, or one with its arguments. */
  noFunction: (schema: string, name: string, given: readonly string[], sent: Sent, hint: string | null) => {
    const called = `${schema}.${short(name)}`;
    const list = short(given.join(', '));
    const single = SINGLE[sent];
    const listed = given.length === 0 ? ' without parameters' : `(${list})`;
    const searched =
      given.length === 0 ? ' without parameters' : ` with parameter${given.length === 1 ? '' : 's'} ${list}`;
    const or = sent === 'json' ? ' or with a single unnamed json/jsonb parameter' : '';
    return new RestRefusal(
      404,
      'PGRST202',
      `Could not find the function ${called}${single === null ? listed : ''} in the schema cache`,
      `Searched for the function ${called}${single === null ? `${searched}${or}` : ` with a single unnamed ${single} parameter`}, but no matches were found in the schema cache.`,
      single !== null || hint === null ? null : `Perhaps you meant to call the function ${schema}.${hint}`,
    );
  },
  overloaded: (choices: readonly string[]) =>
    new RestRefusal(
      300,
      'PGRST203',
      `Could not choose the best candidate function between: ${choices.join(', ')}`,
      null,
      'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
    ),
  /** Two embedded relations with the same name in the answer. */
  sameName: (from: string, name: string) =>
    new RestRefusal(400, '42712', `table name "${from}_${short(name)}_1" specified more than once`),
  notEmbedded: (name: string) =>
    new RestRefusal(
      400,
      'PGRST108',
      `'${short(name)}' is not an embedded resource in this request`,
      null,
      `Verify that '${short(name)}' is included in the 'select' query parameter.`,
    ),
  relatedOrder: (from: string, to: string) =>
    new RestRefusal(
      400,
      'PGRST118',
      `A related order on '${short(to)}' is not possible`,
      `'${from}' and '${short(to)}' do not form a many-to-one or one-to-one relationship`,
    ),
  embedFilter: (name: string) =>
    new RestRefusal(
      400,
      'PGRST120',
      `Bad operator on the '${short(name)}' embedded resource`,
      'Only is null or not is null filters are allowed on embedded resources',
    ),
  aggregates: () => new RestRefusal(400, 'PGRST123', 'Use of aggregate functions is not allowed'),
} as const;

// The longest matching prefix decides, as in `pgErrorStatus` of PostgREST 13 (src/PostgREST/Error.hs).
const STATUSES: readonly (readonly [string, number])[] = [
  ['23503', 409],
  ['23505', 409],
  ['25006', 405],
  ['42883', 404],
  ['42P01', 404],
  ['42P17', 500],
  ['53400', 500],
  // The view does not support this kind of write: the method is wrong, not the server (PostgREST returns 500).
  ['55000', 405],
  ['57P01', 503],
  ['P0001', 400],
  ['08', 503],
  ['09', 500],
  ['0L', 403],
  ['0P', 403],
  ['25', 500],
  ['28', 403],
  ['2D', 500],
  ['38', 500],
  ['39', 500],
  ['3B', 500],
  ['40', 500],
  ['53', 503],
  ['54', 500],
  ['55', 500],
  ['57', 500],
  ['58', 500],
  ['F0', 500],
  ['HV', 500],
  ['P0', 500],
  ['XX', 500],
];

/** Maps SQLSTATE to HTTP status as PostgREST does. */
export function statusOfSqlState(code: string, guest: boolean, message = ''): number {
  // A missing filter is the caller's error. Any other 21000 means that a query returned too many rows, which is the server's error.
  if (code === '21000') return message.endsWith('requires a WHERE clause') ? 400 : 500;
  if (code === '42501') return guest ? 401 : 403;
  if (/^PT[2-5]\d\d$/.test(code)) return Number(code.slice(2));
  return STATUSES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 400;
}

/** Turns a database error into a refusal. */
export function refusalOfDatabase(error: DatabaseError, guest: boolean): RestRefusal {
  if (error.code === 'PGRST') return raisedRefusal(error);
  return databaseRefusal(error, statusOfSqlState(error.code, guest, error.message));
}

/** Failures that the caller can fix: a query that takes too long, or a subquery that returns more than one row. */
const CALLER_CAN_FIX = new Set(['57014', '21000']);

function databaseRefusal(error: DatabaseError, status: number): RestRefusal {
  // Internal failures of the engine only go to the log. Errors that a function raised are sent to the caller.
  if (status >= 500 && !error.code.startsWith('PT') && !CALLER_CAN_FIX.has(error.code))
    return new RestRefusal(status, error.code, 'The database could not answer', null, null, retryLater(status));
  const headers = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return new RestRefusal(status, error.code, error.message, error.detail, error.hint, headers);
}

const retryLater = (status: number): Record<string, string> => (status === 503 ? { 'retry-after': '2' } : {});

/** Reads `raise sqlstate 'PGRST' using message = '{"code":…,"message":…}', detail = '{"status":…,"headers":{…}}'`. */
function raisedRefusal(error: DatabaseError): RestRefusal {
  const message = readObject(error.message);
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const [code, reason] = [text(message?.['code']), text(message?.['message'])];
  if (!message || code === null || reason === null)
    return malformedRaise(
      `Invalid JSON value for MESSAGE: '${short(error.message)}'`,
      "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
    );
  const detail = readObject(error.detail ?? '');
  const status = detail?.['status'];
  if (!detail || typeof status !== 'number' || status < 200 || status > 599)
    return malformedRaise(
      error.detail === null
        ? 'DETAIL is missing in the RAISE statement'
        : `Invalid JSON value for DETAIL: '${short(error.detail)}'`,
      "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
    );
  const headers = Object.entries(detail['headers'] ?? {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string' && /^[\w-]+$/.test(pair[0]),
  );
  return new RestRefusal(
    status,
    code,
    reason,
    message['details'] ?? null,
    text(message['hint']),
    Object.fromEntries(headers),
  );
}

function malformedRaise(details: string, hint: string): RestRefusal {
  return new RestRefusal(500, 'PGRST121', `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`, details, hint);
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : null;
  } catch {
    return null; // The text is not JSON: it was raised for another purpose.
  }
}
