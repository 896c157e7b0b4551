import type { DatabaseLoad, WorkClass } from './work-class.ts';

/**
 * The database as the rest of the server sees it; the embedded engine and PostgreSQL behave the same. Values out: int/float/int8 → number,
 * numeric → string, bool → boolean, timestamptz → Date, date → 'YYYY-MM-DD', json/jsonb → parsed, bytea → Uint8Array, arrays → arrays,
 * everything else → string; SQL null → null. Values in: Date → ISO text, Uint8Array → bytea, array → Postgres array, plain object → JSON
 * text, others as text. Every statement uses the extended protocol: parameters only, one statement per text.
 */
export type Row = Record<string, unknown>;

export type Result<R = Row> = {
  readonly rows: R[];
  /** The number of rows returned or changed. */
  readonly count: number;
};

/** Runs one statement in one round trip. Throws `DatabaseError`. */
export type Query = <R = Row>(text: string, values?: readonly unknown[]) => Promise<Result<R>>;

/** Runs statements. The database commits each one at once; a transaction does not. */
export type Queryable = {
  readonly query: Query;
  /** Like `query`, but returns the first row or null. */
  readonly queryRow: <R = Row>(text: string, values?: readonly unknown[]) => Promise<R | null>;
};

/** Statements that are committed or rolled back together. */
export type Transaction = Queryable;

/** The identity that a statement runs as: it becomes the role and the `request.*` settings of the transaction. */
export type Principal = {
  readonly role: string;
  /** JSON of the verified claims; becomes `request.jwt.claims`. */
  readonly claims: string;
  /** Further transaction-local settings, e.g. {'request.method': 'GET'}. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Identifies the caller, e.g. `ip:203.0.113.7` or `user:<id>`: callers take turns, and their stopped statements are counted. */
  readonly caller?: string;
};

/** The database itself. Its own `query` and `queryRow` run as the server. */
export type Database = Queryable & {
  readonly kind: 'pglite' | 'postgres';
  readonly durability: 'postgres-durable' | 'pglite-synced' | 'pglite-process-safe' | 'memory';
  /**
   * Runs `work` in a transaction as the server itself: commits when `work` resolves, rolls back when it throws. Never call a provider
   * inside.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs one statement as a caller: role, claims and query in one round trip and one transaction. `rollback` undoes it afterwards.
   * `started` is called when the statement has had its turn and is about to be sent: the statement reads no data older than that.
   */
  as<R = Row>(
    principal: Principal,
    text: string,
    values?: readonly unknown[],
    options?: { rollback?: boolean; started?: (() => void) | undefined },
  ): Promise<Result<R>>;
  /** Runs several statements as a caller in one transaction. */
  transactionAs<T>(principal: Principal, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Calls `onPayload` for every NOTIFY on `channel`, and with '' if some may have been missed. Returns a function that stops listening. */
  listen(channel: string, onPayload: (payload: string) => void): Promise<() => Promise<void>>;
  /**
   * Returns the whole seconds for which this caller (`Principal.caller`) is refused after too many stopped statements; null if it is not
   * refused.
   */
  suspension(caller: string): number | null;
  /** Returns the same database for work of another class. By default, the server's own statements are of the class `server`. */
  inClass(workClass: WorkClass): Database;
  /** The number of waiting and refused statements, by class. */
  load(): DatabaseLoad;
  close(): Promise<void>;
};

/** An error from PostgreSQL with its fields. APIs turn the SQLSTATE into their protocol's error. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** SQLSTATE, e.g. '23505'; '08006' if the connection was lost. */
  readonly code: string;
  readonly detail: string | null;
  readonly hint: string | null;
  readonly constraint: string | null;
  readonly table: string | null;
  readonly column: string | null;
  constructor(
    fields: {
      code: string;
      message: string;
      detail?: string | null;
      hint?: string | null;
      constraint?: string | null;
      table?: string | null;
      column?: string | null;
    },
    cause?: unknown,
  ) {
    super(fields.message, { cause });
    this.code = fields.code;
    this.detail = fields.detail ?? null;
    this.hint = fields.hint ?? null;
    this.constraint = fields.constraint ?? null;
    this.table = fields.table ?? null;
    this.column = fields.column ?? null;
  }
}

/** The caller is refused before anything runs, after too many stopped statements. PostgREST turns `PT429` into status 429. */
export class CallerStopped extends DatabaseError {
  /** In whole seconds. */
  readonly retryAfter: number;
  constructor(retryAfter: number) {
    super({ code: 'PT429', message: 'Too many of your requests took too long. Please try again later.' });
    this.retryAfter = retryAfter;
  }
}

/** The statement is refused because too many of its class wait, or because it waited too long. `PT503` becomes status 503. */
export class DatabaseBusy extends DatabaseError {
  /** In whole seconds. */
  readonly retryAfter: number;
  constructor(retryAfter: number) {
    super({ code: 'PT503', message: 'The server is busy. Please try again in a moment.' });
    this.retryAfter = retryAfter;
  }
}

/** Whether a statement failed because a unique value is already taken. */
export function isUniqueViolation(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.code === '23505';
}
