/**
 * The engine as the rest of the server sees it: the same on the embedded database and on PostgreSQL.
 * Values come back as: int/float/int8 → number, numeric → string, bool → boolean, timestamptz → Date, date → 'YYYY-MM-DD',
 * json/jsonb → parsed, bytea → Uint8Array, arrays → arrays, everything else → string; SQL null → null.
 * Values go in as: Date → ISO text, Uint8Array → bytea, array → Postgres array, plain object → JSON text, others as text.
 * Every statement runs by the extended protocol: parameters only, one statement per text (promises finding 5).
 */
export type Row = Record<string, unknown>;

export type Result<R = Row> = {
  readonly rows: R[];
  /** Rows returned or changed. */
  readonly count: number;
};

/** Runs one statement in one network flight. Throws `DatabaseError`. */
export type Query = <R = Row>(text: string, values?: readonly unknown[]) => Promise<Result<R>>;

export type Transaction = {
  readonly query: Query;
  /** Like `query`, the first row or null. */
  readonly one: <R = Row>(text: string, values?: readonly unknown[]) => Promise<R | null>;
};

/** Whose eyes a statement is run with: becomes the role and `request.*` settings of its transaction. */
export type Principal = {
  readonly role: string;
  /** JSON of the verified claims; becomes `request.jwt.claims`. */
  readonly claims: string;
  /** Further transaction-local settings, e.g. {'request.method': 'GET'}. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Who it is, e.g. `ip:203.0.113.7` or `user:<id>`: callers take turns, and stopped statements are counted by it. */
  readonly caller?: string;
};

export type Database = {
  readonly kind: 'pglite' | 'postgres';
  readonly durability: 'postgres-durable' | 'pglite-process-safe' | 'memory';
  /** As the server itself. */
  readonly query: Query;
  readonly one: <R = Row>(text: string, values?: readonly unknown[]) => Promise<R | null>;
  /** As the server itself; commits when `work` resolves, rolls back when it throws. Never call a provider inside. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** One statement as a caller, role and claims and query in one network flight and one transaction. `rollback` runs it and undoes it. */
  as<R = Row>(
    principal: Principal,
    text: string,
    values?: readonly unknown[],
    options?: { rollback?: boolean },
  ): Promise<Result<R>>;
  /** Several statements as a caller in one transaction. */
  transactionAs<T>(principal: Principal, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Calls `heard` for every NOTIFY on `channel`, and with '' when some may have been missed; answers how to stop. */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  /** The whole seconds for which this caller (`Principal.caller`) is refused after statements that had to be stopped; null: not at all. */
  suspension(caller: string): number | null;
  close(): Promise<void>;
};

/** What PostgreSQL refused, with its own fields. Expected by doors that turn SQLSTATE into their protocol's error. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** SQLSTATE, e.g. '23505'; '08006' when the connection was lost. */
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

/** A caller whose statements had to be stopped too often is refused before anything runs; `PT429` is PostgREST's way to say status 429. */
export class CallerStopped extends DatabaseError {
  /** Whole seconds. */
  readonly retryAfter: number;
  constructor(retryAfter: number) {
    super({ code: 'PT429', message: 'Too many of your requests took too long. Please try again later.' });
    this.retryAfter = retryAfter;
  }
}
