import type { EventEmitter } from 'node:events';
import pg from 'pg';
import {
  type Database,
  DatabaseError,
  type Principal,
  type Query,
  type Result,
  type Row,
  type Transaction,
} from './database.ts';
import {
  commandCount,
  createStatementCache,
  type Field,
  type StatementCache,
  noteClosed,
  noteParsed,
  readRow,
  type Statement,
  statementName,
  typed,
  writePipeline,
} from './pipeline.ts';
import { becomePrincipal } from './principal.ts';
import { queryAndRollBack } from './roll-back.ts';

type FieldMessage = { fields: { name: string; dataTypeID: number }[] };
type ErrorMessage = {
  code?: string;
  message: string;
  detail?: string;
  hint?: string;
  constraint?: string;
  table?: string;
  column?: string;
};

const statementCaches = new WeakMap<EventEmitter, StatementCache>();

function statementCacheOf(connection: EventEmitter): StatementCache {
  const existing = statementCaches.get(connection);
  if (existing) return existing;
  const cache = createStatementCache();
  statementCaches.set(connection, cache);
  connection.on('parseComplete', () => noteParsed(cache));
  connection.on('closeComplete', () => noteClosed(cache));
  return cache;
}

/**
 * Several statements in one round trip: parse, bind and execute for each and a single Sync, so that PostgreSQL runs them as one
 * transaction and answers once. This keeps row-level security cheap.
 */
class Pipeline implements pg.Submittable {
  readonly #statements: readonly Statement[];
  readonly #names: string[];
  readonly #done: (outcome: DatabaseError | Result[]) => void;
  readonly #results: { rows: Row[]; count: number }[] = [];
  #current: { rows: Row[]; count: number } = { rows: [], count: 0 };
  #fields: readonly Field[] = [];
  #cache: StatementCache | null = null;
  #failed: DatabaseError | null = null;

  constructor(statements: readonly Statement[], done: (outcome: DatabaseError | Result[]) => void) {
    this.#statements = statements;
    this.#names = statements.map((statement) => statementName(statement.text));
    this.#done = done;
  }

  submit(connection: pg.Connection): void {
    const cache = statementCacheOf(connection);
    this.#cache = cache;
    // One buffer, one write: each write is a system call.
    connection.stream.write(Buffer.concat(writePipeline(cache, this.#statements, this.#names)));
    this.#expect(0);
  }

  #expect(index: number): void {
    const name = this.#names[index];
    this.#fields = (name ? this.#cache?.fields.get(name) : undefined) ?? [];
  }

  handleRowDescription(message: FieldMessage): void {
    const fields = message.fields.map((field) => ({ name: field.name, typeOid: field.dataTypeID }));
    const name = this.#names[this.#results.length];
    if (name) this.#cache?.fields.set(name, fields);
    this.#fields = fields;
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    this.#current.rows.push(readRow(this.#fields, message.fields));
  }

  handleCommandComplete(message: { text: string }): void {
    const name = this.#names[this.#results.length];
    if (name && this.#cache?.fields.has(name) === false) this.#cache.fields.set(name, []);
    this.#current.count = commandCount(message.text);
    this.#results.push(this.#current);
    this.#current = { rows: [], count: 0 };
    this.#expect(this.#results.length);
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handlePortalSuspended(): void {}

  handleError(error: ErrorMessage): void {
    this.#failed = refusalOf(error);
    // pg drops a query at its first error, so `handleReadyForQuery` will not be called: answer now. Later messages stay in pg's queue.
    this.#done(this.#failed);
  }

  handleReadyForQuery(): void {
    if (!this.#failed) this.#done(this.#results);
  }
}

function refusalOf(error: ErrorMessage): DatabaseError {
  const code = error.code && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : '08006';
  return new DatabaseError(
    {
      code,
      message: error.message,
      detail: error.detail ?? null,
      hint: error.hint ?? null,
      constraint: error.constraint ?? null,
      table: error.table ?? null,
      column: error.column ?? null,
    },
    error,
  );
}

/** Errors after which a connection's prepared statements may be stale. */
const STALE = new Set(['0A000', '26000', '42P05', '08006', '57P01']);

function runPipeline(client: pg.ClientBase, statements: readonly Statement[]): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Pipeline(statements, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome))),
    );
  });
}

export type PostgresOptions = {
  /** The login for the server's own work. */
  readonly backendUrl: string;
  /** The login that can only become a caller. */
  readonly authenticatorUrl: string;
  readonly poolSize: number;
  /** Logs broken connections. */
  readonly warn: (message: string) => void;
};

/** Connects to a PostgreSQL server with two logins; opens no connection before the first statement. */
export function createPostgres(options: PostgresOptions): Database {
  const pools = {
    backend: openPool(options.backendUrl, options, BACKEND_LIMITS),
    callers: openPool(options.authenticatorUrl, options, CALLER_LIMITS),
  };
  const listeners = new Set<{ stop(): Promise<void> }>();

  async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((cause: unknown) => {
      throw new DatabaseError({ code: '08001', message: 'the database cannot be reached' }, cause);
    });
    let stale = false;
    // A connection that breaks between two statements emits an error here; unhandled, it would end the process.
    const onError = (error: Error): void => {
      stale = true;
      options.warn(`database connection lost: ${error.message}`);
    };
    client.on('error', onError);
    try {
      return await work(client);
    } catch (error) {
      stale ||= error instanceof DatabaseError && STALE.has(error.code);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(stale);
    }
  }

  async function inTransaction<T>(
    pool: pg.Pool,
    first: readonly Statement[],
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    return withClient(pool, async (client) => {
      // `begin` is sent with the first statement: one round trip less, and none for work without statements.
      let opening: readonly Statement[] | null = [{ text: 'begin', values: [] }, ...first];
      const query: Query = async <R>(text: string, values: readonly unknown[] = []) => {
        const before = opening ?? [];
        opening = null;
        return typed<R>(last(await runPipeline(client, [...before, { text, values }])));
      };
      try {
        const outcome = await work(transactionOf(query));
        if (!opening) await runPipeline(client, [{ text: 'commit', values: [] }]);
        return outcome;
      } catch (error) {
        if (!opening)
          await runPipeline(client, [{ text: 'rollback', values: [] }]).catch((cause: unknown) => {
            options.warn(`rollback failed: ${String(cause)}`);
          });
        throw error;
      }
    });
  }

  const query: Query = async <R>(text: string, values: readonly unknown[] = []) =>
    typed<R>(last(await withClient(pools.backend, (client) => runPipeline(client, [{ text, values }]))));

  return {
    kind: 'postgres',
    durability: 'postgres-durable',
    query,
    one: transactionOf(query).one,
    transaction: (work) => inTransaction(pools.backend, [], work),
    async as<R>(
      principal: Principal,
      text: string,
      values: readonly unknown[] = [],
      choice: { rollback?: boolean } = {},
    ) {
      if (choice.rollback)
        return queryAndRollBack<R>(
          (work) => inTransaction(pools.callers, [becomePrincipal(principal)], work),
          text,
          values,
        );
      const statements = [becomePrincipal(principal), { text, values }];
      return typed<R>(last(await withClient(pools.callers, (client) => runPipeline(client, statements))));
    },
    transactionAs: (principal, work) => inTransaction(pools.callers, [becomePrincipal(principal)], work),
    listen: async (channel, onPayload) => {
      const listener = await keepListening(options, channel, onPayload);
      listeners.add(listener);
      return async () => {
        listeners.delete(listener);
        await listener.stop();
      };
    },
    suspension: () => null,
    async close() {
      await Promise.all([...listeners].map((listener) => listener.stop()));
      await Promise.all([pools.backend.end(), pools.callers.end()]);
    },
  };
}

const RECONNECT_MS = 1_000;

/** Listens on its own connection. Reopens a lost one and then calls `onPayload` with '', because notifications may have been missed. */
async function keepListening(
  options: PostgresOptions,
  channel: string,
  onPayload: (payload: string) => void,
): Promise<{ stop(): Promise<void> }> {
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: options.backendUrl, keepAlive: true });
    client.on('error', (error) => options.warn(`listening connection lost: ${error.message}`));
    client.on('notification', (message) => {
      if (message.channel === channel) onPayload(message.payload ?? '');
    });
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    client.once('end', () => reconnect());
    return client;
  };
  const reconnect = (): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      open().then((client) => {
        if (stopped) return void client.end();
        current = client;
        onPayload('');
      }, reconnect);
    }, RECONNECT_MS);
  };
  let current = await open();
  return {
    async stop() {
      stopped = true;
      if (timer) clearTimeout(timer);
      await current.end();
    },
  };
}

/**
 * A statement of the server that takes longer is a bug; an idle transaction holds locks that others wait for. The role limits callers'
 * statements (`statement_timeout` of `authenticator`, 3 s).
 */
const BACKEND_LIMITS = '-c statement_timeout=30s -c idle_in_transaction_session_timeout=30s';
const CALLER_LIMITS = '-c idle_in_transaction_session_timeout=10s';

function openPool(connectionString: string, options: PostgresOptions, limits: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: options.poolSize,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5_000,
    options: `-c timezone=UTC -c datestyle=ISO -c intervalstyle=iso_8601 -c bytea_output=hex ${limits}`,
    keepAlive: true,
  });
  pool.on('error', (error) => options.warn(`idle database connection lost: ${error.message}`));
  return pool;
}

function last(results: readonly Result[]): Result {
  return results.at(-1) ?? { rows: [], count: 0 };
}

/** Derives `one` from `query`. */
export function transactionOf(query: Query): Transaction {
  return {
    query,
    async one<R>(text: string, values: readonly unknown[] = []) {
      const { rows } = await query<R>(text, values);
      return rows[0] ?? null;
    },
  };
}
