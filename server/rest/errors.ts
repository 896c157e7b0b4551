import type { DatabaseError } from '#server/db/database.ts';

/** A no in PostgREST's words: `{code, message, details, hint}` with a status (wire.md 3). */
export class RestRefusal extends Error {
  override readonly name = 'RestRefusal';
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly hint: string | null;
  constructor(status: number, code: string, message: string, details: unknown = null, hint: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.hint = hint;
  }
}

export const restErrors = {
  query: (what: string) => new RestRefusal(400, 'PGRST100', `"failed to parse query parameter" (${what})`),
  body: (what: string) => new RestRefusal(400, 'PGRST102', what),
  noTable: (name: string) =>
    new RestRefusal(404, 'PGRST205', `Could not find the table 'public.${name}' in the schema cache`),
  noColumn: (table: string, name: string) => new RestRefusal(400, '42703', `column ${table}.${name} does not exist`),
  noWriteColumn: (table: string, name: string) =>
    new RestRefusal(400, 'PGRST204', `Could not find the '${name}' column of '${table}' in the schema cache`),
  noRelation: (from: string, to: string) =>
    new RestRefusal(
      400,
      'PGRST200',
      `Could not find a relationship between '${from}' and '${to}' in the schema cache`,
      `Searched for a foreign key relationship between '${from}' and '${to}' in the schema 'public', but no matches were found.`,
    ),
  ambiguous: (
    from: string,
    to: string,
    choices: readonly { cardinality: string; embedding: string; relationship: string }[],
  ) =>
    new RestRefusal(
      300,
      'PGRST201',
      `Could not embed because more than one relationship was found for '${from}' and '${to}'`,
      choices,
      `Try changing '${to}' to one of the following: ${choices.map((one) => `'${to}!${one.relationship.split(' ')[0]}'`).join(', ')}. Find the desired relationship in the 'details' key.`,
    ),
  noFunction: (name: string) =>
    new RestRefusal(
      404,
      'PGRST202',
      `Could not find the function public.${name} in the schema cache`,
      `Searched for the function public.${name} with the given parameters, but no matches were found in the schema cache.`,
    ),
  notSingle: (rows: number) =>
    new RestRefusal(
      406,
      'PGRST116',
      'Cannot coerce the result to a single JSON object',
      `The result contains ${rows} rows`,
    ),
  schema: () => new RestRefusal(406, 'PGRST106', 'The schema must be one of the following: public'),
} as const;

/** PostgREST's table from SQLSTATE to status. */
export function statusOfSqlState(code: string, guest: boolean): number {
  if (code === '42501') return guest ? 401 : 403;
  if (/^PT\d{3}$/.test(code)) return Number(code.slice(2));
  const exact: Readonly<Record<string, number>> = {
    '23503': 409,
    '23505': 409,
    '23P01': 409,
    '25006': 405,
    '21000': 400,
    P0001: 400,
    '42883': 404,
    '42P01': 404,
    '42P17': 500,
    '57014': 504,
    '40001': 409,
    '40P01': 409,
  };
  if (exact[code] !== undefined) return exact[code];
  if (code.startsWith('08') || code.startsWith('53')) return 503;
  if (code.startsWith('22') || code.startsWith('23') || code.startsWith('42') || code.startsWith('44')) return 400;
  return 500;
}

export function describeDatabaseError(
  error: DatabaseError,
  guest: boolean,
): { status: number; body: Record<string, unknown> } {
  const status = statusOfSqlState(error.code, guest);
  // What the engine says of its own failures is for the log, not for a stranger.
  const message = status >= 500 ? 'The database could not answer' : error.message;
  return {
    status,
    body: { code: error.code, message, details: status >= 500 ? null : error.detail, hint: error.hint },
  };
}
