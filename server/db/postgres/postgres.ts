import pg from 'pg';
import {
  type Database,
  DatabaseError,
  type Principal,
  type Query,
  type Result,
  type Transaction,
} from '../database.ts';
import { type Statement, typed } from '../pipeline.ts';
import type { RunTransaction } from '../scheduling/scheduler.ts';
import { serverTicket, type Ticket } from '../scheduling/ticket.ts';
import { toAddress } from './address.ts';
import { isReadOnly } from './connect.ts';
import { refusedWrite, runPipeline, runPipelines, sendUnnamed, STALE } from './postgres-pipeline.ts';
import { createReplica, isRead, type Replica } from './replica.ts';
import {
  createPostgresSchedulers,
  DEFAULT_QUEUE,
  type PostgresQueue,
  type PostgresSchedulers,
} from './postgres-schedulers.ts';
import { type LoginName, startupOptions } from './session-settings.ts';
import { becomePrincipal, classOfPrincipal } from '../principal.ts';
import { requestMark } from '../request-scope.ts';
import { queryAndRollBack } from '../roll-back.ts';
import { toTransaction } from '../transaction.ts';
import type { WorkClass } from '../work-class.ts';

export type PostgresOptions = {
  /** The login for the server's own work. */
  readonly backendUrl: string;
  /** The login that can only become a caller. */
  readonly authenticatorUrl: string;
  /** The number of connections of each login. */
  readonly poolSize: number;
  /** Whether the two addresses lead to a pooler that assigns a connection for one transaction at a time, such as PgBouncer. */
  readonly pooled?: boolean;
  /** The address for the backend login without a pooler, which listening needs. Defaults to `backendUrl`. */
  readonly listenUrl?: string;
  /** The two logins on a streaming replica, and how old its data may be when it serves guests. */
  readonly replica?: { readonly backendUrl: string; readonly authenticatorUrl: string; readonly maxLagMs: number };
  readonly queue?: PostgresQueue;
  /** Returns whether a caller (`Principal.caller`) is staff. Their statements take precedence over those of customers. */
  readonly isStaff?: (caller: string) => boolean;
  /** Logs broken connections. */
  readonly warn: (message: string) => void;
};

/** The connections of one login. */
type Login = {
  readonly pool: pg.Pool;
  readonly warn: PostgresOptions['warn'];
  /** Increased when the server turns out to be read-only. Connections of earlier generations are not used again. */
  generation: number;
};
type Core = {
  readonly options: PostgresOptions;
  readonly backend: Login;
  readonly callers: Login;
  readonly schedulers: PostgresSchedulers;
  /** Runs callers' transactions that may share a connection and a write. */
  readonly runInBatch: RunTransaction;
  readonly listeners: Set<{ stop(): Promise<void> }>;
  readonly replica: Replica | null;
};

/** The maximum number of transactions that share a write. */
const BATCH_MAX = 8;

/** Creates a `Database` that uses a PostgreSQL server with two logins. No connection is opened before the first statement. */
export function createPostgres(options: PostgresOptions): Database {
  const callers = openLogin(options.authenticatorUrl, 'authenticator', options);
  const schedulers = createPostgresSchedulers(options.poolSize, options.queue ?? DEFAULT_QUEUE);
  const backend = openLogin(options.backendUrl, 'backend', options);
  return createDatabase(
    {
      options,
      backend,
      callers,
      schedulers,
      runInBatch: schedulers.quick.batching(BATCH_MAX, (runs) =>
        withClient(callers, (client) => runPipelines(client, runs)),
      ),
      listeners: new Set(),
      replica: openReplica(options, backend, schedulers),
    },
    null,
  );
}

/**
 * Returns the database for work of one class. If `workClass` is null, each caller's statements are in the class of that caller, and all
 * others in the class of the server.
 */
function createDatabase(core: Core, workClass: WorkClass | null): Database {
  const { options, backend, callers, schedulers, runInBatch, listeners, replica } = core;
  const getTicket = (principal: Principal): Ticket => {
    const found = workClass ?? classOfPrincipal(principal, options.isStaff);
    return { workClass: found, caller: principal.caller ?? found };
  };
  const query: Query = async <R>(text: string, values: readonly unknown[] = []) =>
    typed<R>(
      await schedulers.backend.run(serverTicket(workClass, text), () =>
        runStatements(backend, [...requestMark(), { text, values }]),
      ),
    );
  const transactionAs = <T>(principal: Principal, work: (tx: Transaction) => Promise<T>): Promise<T> =>
    schedulers
      .runTransaction(getTicket(principal), () => inTransaction(callers, [becomePrincipal(principal)], work))
      .finally(() => replica?.wrote(principal));
  const asCaller = async <R>(
    principal: Principal,
    text: string,
    values: readonly unknown[],
    started: (() => void) | undefined,
  ): Promise<Result<R>> => {
    const ticket = getTicket(principal);
    const statements = (who: Principal): Statement[] => [becomePrincipal(who), { text, values }];
    const run = (who: Principal): Promise<Result> => {
      started?.();
      return runStatements(callers, statements(who));
    };
    const runQuickly = (who: Principal): Promise<Result> => runInBatch(ticket, statements(who), started);
    return typed<R>(await schedulers.runStatement(ticket, principal, run, runQuickly));
  };
  return {
    kind: 'postgres',
    durability: 'postgres-durable',
    query,
    queryRow: toTransaction(query).queryRow,
    transaction: (work) =>
      schedulers.backend.run(serverTicket(workClass), () => inTransaction(backend, requestMark(), work)),
    async as<R>(
      principal: Principal,
      text: string,
      values: readonly unknown[] = [],
      choice: Parameters<Database['as']>[3] = {},
    ) {
      if (choice.rollback) return queryAndRollBack<R>((work) => transactionAs(principal, work), text, values);
      const here = (): Promise<Result<R>> => asCaller<R>(principal, text, values, choice.started);
      if (replica?.mayAnswer(principal)) return replica.read((db) => db.as<R>(principal, text, values, choice), here);
      return isRead(principal) ? here() : here().finally(() => replica?.wrote(principal));
    },
    transactionAs,
    async listen(channel, onPayload) {
      const listener = await keepListening(options, channel, (payload) => {
        replica?.changed();
        onPayload(payload);
      });
      listeners.add(listener);
      return async () => {
        listeners.delete(listener);
        await listener.stop();
      };
    },
    suspension: () => null,
    inClass: (other) => createDatabase(core, other),
    load: schedulers.load,
    async close() {
      await Promise.all([...listeners].map((listener) => listener.stop()));
      await Promise.all([backend.pool.end(), callers.pool.end(), replica?.close()]);
    },
  };
}

function openReplica(options: PostgresOptions, backend: Login, schedulers: PostgresSchedulers): Replica | null {
  const { replica, ...primary } = options;
  if (!replica) return null;
  const { maxLagMs, ...urls } = replica;
  return createReplica({
    db: createPostgres({ ...primary, ...urls, pooled: false }),
    primary: async <R>(text: string, values: readonly unknown[] = []) =>
      typed<R>(await schedulers.backend.run(COMPARISON, () => runStatements(backend, [{ text, values }]))),
    maxLagMs,
    warn: options.warn,
  });
}

/** The replica is most useful under load, so its comparison does not wait for other statements of the server. */
const COMPARISON: Ticket = { workClass: 'urgent', caller: 'replica' };

/** Runs statements in one round trip and returns the result of the last. */
async function runStatements(login: Login, statements: readonly Statement[]): Promise<Result> {
  return last(await withClient(login, (client) => runPipeline(client, statements)));
}

/** Runs `work` with a connection of the pool, and drops the connection afterwards if it may be broken. */
async function withClient<T>(login: Login, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await takeClient(login);
  const { warn } = login;
  let stale = false;
  // A connection that breaks between two statements emits an error here; if unhandled, it would end the process.
  const onError = (error: Error): void => {
    stale = true;
    warn(`database connection lost: ${error.message}`);
  };
  client.on('error', onError);
  try {
    return await work(client);
  } catch (error) {
    stale ||= error instanceof DatabaseError && STALE.has(error.code);
    throw error;
  } finally {
    client.off('error', onError);
    if (!stale && refusedWrite(client)) stale = await dropReadOnly(login, client);
    client.release(stale);
  }
}

const generations = new WeakMap<pg.PoolClient, number>();

/** Takes a connection from the pool. Drops those of earlier generations. */
async function takeClient(login: Login): Promise<pg.PoolClient> {
  for (;;) {
    const client = await login.pool.connect().catch((cause: unknown) => {
      throw new DatabaseError({ code: '08001', message: 'the database cannot be reached' }, cause);
    });
    const generation = generations.get(client) ?? login.generation;
    generations.set(client, generation);
    if (generation === login.generation) return client;
    client.release(true);
  }
}

/** Returns whether the server of a connection that refused a write has become read-only. If so, drops all connections to it. */
async function dropReadOnly(login: Login, client: pg.PoolClient): Promise<boolean> {
  const readOnly = await isReadOnly(client).catch(() => true);
  if (!readOnly) return false;
  // Other connections to the same server detect it too; one report is enough.
  if (generations.get(client) === login.generation) {
    login.warn('the database has become read-only; its connections are dropped');
    login.generation += 1;
  }
  return true;
}

/** Runs `work` in a transaction that begins with `first`: commits when it resolves, rolls back when it throws. */
async function inTransaction<T>(
  login: Login,
  first: readonly Statement[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return withClient(login, async (client) => {
    // `begin` is sent together with the first statement, which saves a round trip; work without statements needs none.
    let opening: readonly Statement[] | null = [{ text: 'begin', values: [] }, ...first];
    const query: Query = async <R>(text: string, values: readonly unknown[] = []) => {
      const before = opening ?? [];
      opening = null;
      return typed<R>(last(await runPipeline(client, [...before, { text, values }])));
    };
    try {
      const outcome = await work(toTransaction(query));
      if (!opening) await runPipeline(client, [{ text: 'commit', values: [] }]);
      return outcome;
    } catch (error) {
      if (!opening)
        await runPipeline(client, [{ text: 'rollback', values: [] }]).catch((cause: unknown) => {
          login.warn(`rollback failed: ${String(cause)}`);
        });
      throw error;
    }
  });
}

const RECONNECT_MS = 1_000;

/**
 * Listens on its own connection. Reopens a lost connection and then calls `onPayload` with '', because notifications may have been missed.
 */
async function keepListening(
  options: PostgresOptions,
  channel: string,
  onPayload: (payload: string) => void,
): Promise<{ stop(): Promise<void> }> {
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  const { url } = toAddress(options.listenUrl ?? options.backendUrl);
  const open = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, keepAlive: true });
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

function openLogin(url: string, name: LoginName, options: PostgresOptions): Login {
  const pooled = options.pooled === true;
  const pool = new pg.Pool({
    connectionString: toAddress(url).url,
    max: options.poolSize,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 5_000,
    ...(pooled ? {} : { options: startupOptions(name) }),
    keepAlive: true,
  });
  pool.on('error', (error) => options.warn(`idle database connection lost: ${error.message}`));
  pool.on('connect', (client) => {
    // If the server ends a connection in the same packet that opens it, the error is emitted before `withClient` can listen for it.
    client.on('error', () => undefined);
    if (pooled) sendUnnamed(client);
  });
  return { pool, warn: options.warn, generation: 0 };
}

function last(results: readonly Result[]): Result {
  return results.at(-1) ?? { rows: [], count: 0 };
}
