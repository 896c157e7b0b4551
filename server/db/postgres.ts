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
  createMemory,
  type Field,
  type Memory,
  noteClosed,
  noteParsed,
  readRow,
  type Statement,
  statementName,
  typed,
  writePipeline,
} from './pipeline.ts';
import { becomePrincipal } from './principal.ts';

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

const memories = new WeakMap<EventEmitter, Memory>();

function memoryOf(connection: EventEmitter): Memory {
  const known = memories.get(connection);
  if (known) return known;
  const memory = createMemory();
  memories.set(connection, memory);
  connection.on('parseComplete', () => noteParsed(memory));
  connection.on('closeComplete', () => noteClosed(memory));
  return memory;
}

/**
 * Several statements in one network flight: parse, bind, execute for each and a single Sync, so PostgreSQL runs them as one
 * transaction and answers once. This is what keeps row-level security cheap (docs/decisions: one network flight).
 */
class Pipeline implements pg.Submittable {
  readonly #statements: readonly Statement[];
  readonly #names: string[];
  readonly #done: (outcome: DatabaseError | Result[]) => void;
  readonly #results: { rows: Row[]; count: number }[] = [];
  #current: { rows: Row[]; count: number } = { rows: [], count: 0 };
  #fields: readonly Field[] = [];
  #memory: Memory | null = null;
  #failed: DatabaseError | null = null;

  constructor(statements: readonly Statement[], done: (outcome: DatabaseError | Result[]) => void) {
    this.#statements = statements;
    this.#names = statements.map((statement) => statementName(statement.text));
    this.#done = done;
  }

  submit(connection: pg.Connection): void {
    const memory = memoryOf(connection);
    this.#memory = memory;
    // One buffer, one write: several would be as many system calls' worth of work.
    connection.stream.write(Buffer.concat(writePipeline(memory, this.#statements, this.#names)));
    this.#expect(0);
  }

  #expect(index: number): void {
    const name = this.#names[index];
    this.#fields = (name ? this.#memory?.fields.get(name) : undefined) ?? [];
  }

  handleRowDescription(message: FieldMessage): void {
    const fields = message.fields.map((field) => ({ name: field.name, typeOid: field.dataTypeID }));
    const name = this.#names[this.#results.length];
    if (name) this.#memory?.fields.set(name, fields);
    this.#fields = fields;
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    this.#current.rows.push(readRow(this.#fields, message.fields));
  }

  handleCommandComplete(message: { text: string }): void {
    const name = this.#names[this.#results.length];
    if (name && this.#memory?.fields.has(name) === false) this.#memory.fields.set(name, []);
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
    // The client forgets a flight at its first error, so ReadyForQuery will not come here: answer now. What follows waits in its queue.
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

/** Errors after which a connection's prepared statements can no longer be trusted. */
const STALE = new Set(['0A000', '26000', '42P05', '08006', '57P01']);

function fly(client: pg.ClientBase, statements: readonly Statement[]): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Pipeline(statements, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome))),
    );
  });
}

export type PostgresOptions = {
  /** Login of the server's own work. */
  readonly backendUrl: string;
  /** Login that can only become a caller. */
  readonly authenticatorUrl: string;
  readonly poolSize: number;
  /** For messages about broken idle connections. */
  readonly warn: (message: string) => void;
};

/** Connects to a PostgreSQL server with two logins; nothing is opened before the first statement. */
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
    // A connection that breaks between two statements says so here; without a listener that would end the process.
    const broke = (error: Error): void => {
      stale = true;
      options.warn(`database connection lost: ${error.message}`);
    };
    client.on('error', broke);
    try {
      return await work(client);
    } catch (error) {
      stale ||= error instanceof DatabaseError && STALE.has(error.code);
      throw error;
    } finally {
      client.off('error', broke);
      client.release(stale);
    }
  }

  async function inTransaction<T>(
    pool: pg.Pool,
    first: readonly Statement[],
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    return withClient(pool, async (client) => {
      // The beginning travels with the first statement: one flight less, and work that asks nothing costs none.
      let opening: readonly Statement[] | null = [{ text: 'begin', values: [] }, ...first];
      const query: Query = async <R>(text: string, values: readonly unknown[] = []) => {
        const before = opening ?? [];
        opening = null;
        return typed<R>(last(await fly(client, [...before, { text, values }])));
      };
      try {
        const outcome = await work(transactionOf(query));
        if (!opening) await fly(client, [{ text: 'commit', values: [] }]);
        return outcome;
      } catch (error) {
        if (!opening)
          await fly(client, [{ text: 'rollback', values: [] }]).catch((cause: unknown) => {
            options.warn(`rollback failed: ${String(cause)}`);
          });
        throw error;
      }
    });
  }

  const query: Query = async <R>(text: string, values: readonly unknown[] = []) =>
    typed<R>(last(await withClient(pools.backend, (client) => fly(client, [{ text, values }]))));

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
        return typed<R>(
          await rolledBack((work) => inTransaction(pools.callers, [becomePrincipal(principal)], work), text, values),
        );
      return typed<R>(
        last(await withClient(pools.callers, (client) => fly(client, [becomePrincipal(principal), { text, values }]))),
      );
    },
    transactionAs: (principal, work) => inTransaction(pools.callers, [becomePrincipal(principal)], work),
    listen: async (channel, heard) => {
      const listener = await keepListening(options, channel, heard);
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

const LISTEN_AGAIN_MS = 1_000;

/** Listens on a connection of its own; a lost one is opened again, and then `heard` is told '' for all that may have been missed. */
async function keepListening(
  options: PostgresOptions,
  channel: string,
  heard: (payload: string) => void,
): Promise<{ stop(): Promise<void> }> {
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: options.backendUrl, keepAlive: true });
    client.on('error', (error) => options.warn(`listening connection lost: ${error.message}`));
    client.on('notification', (message) => {
      if (message.channel === channel) heard(message.payload ?? '');
    });
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    client.once('end', () => again());
    return client;
  };
  const again = (): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      open().then((client) => {
        if (stopped) return void client.end();
        current = client;
        heard('');
      }, again);
    }, LISTEN_AGAIN_MS);
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
 * A statement of the server that takes longer is a fault of ours; a transaction in which nothing happens holds locks that others wait
 * for. How long a caller's statement may take is said by the role (`statement_timeout` of `authenticator`, 3 s).
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

/** The two ways to ask, from one. */
export function transactionOf(query: Query): Transaction {
  return {
    query,
    async one<R>(text: string, values: readonly unknown[] = []) {
      const { rows } = await query<R>(text, values);
      return rows[0] ?? null;
    },
  };
}

class Undo extends Error {}

/** Runs one statement and undoes it; answers what it would have answered. */
export async function rolledBack(
  run: (work: (tx: Transaction) => Promise<never>) => Promise<never>,
  text: string,
  values: readonly unknown[],
): Promise<Result> {
  let result: Result | null = null;
  try {
    await run(async (tx) => {
      result = await tx.query(text, values);
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  return result ?? { rows: [], count: 0 };
}
