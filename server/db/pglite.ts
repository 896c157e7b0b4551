import pg from 'pg';
import { serialize } from 'pg-protocol';
import {
  type Database,
  DatabaseError,
  type Principal,
  type Query,
  type Result,
  type Row,
  type Transaction,
} from './database.ts';
import { readAnswer, type ServerError } from './engine/answer.ts';
import { type EngineHost, EngineLost, startEngine, StatementStopped } from './engine/host.ts';
import { createStops } from './engine/stops.ts';
import { createFairQueue, SERVER_LANE } from './engine/fair-queue.ts';
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
import { transactionOf } from './postgres.ts';
import { becomePrincipal } from './principal.ts';
import { queryAndRollBack } from './roll-back.ts';

export type Embedded = Database & {
  /** Runs a script of many statements, such as a migration, without a caller's time limit. Never pass user input. */
  script(sql: string): Promise<void>;
  /** A snapshot of the whole database, from which another can start. */
  image(): Promise<Blob>;
  /** The engine's memory in megabytes. It only shrinks when the engine is recycled. */
  heapMegabytes(): number;
  /** Whether nothing runs and nothing waits. */
  idle(): boolean;
  /** Closes and reopens the engine, which frees memory; statements wait meanwhile. */
  recycle(): Promise<void>;
};

/** Where an embedded database lives: a folder; or in memory, empty (null) or from an image. */
export type DataLocation = string | null | Blob;

/** The time limits of a statement, or of a transaction from its first statement to its end, in milliseconds; null: none. */
export type EngineLimits = {
  readonly guest: number | null;
  readonly caller: number | null;
  readonly server: number | null;
  /** Migrations and maintenance. */
  readonly script: number | null;
};

/**
 * Callers wait for each other's statements, so their limits are short. The server's own statements are few and fast: one that takes this
 * long is a bug, and everyone waits for it.
 */
const LIMITS: EngineLimits = { guest: 1_000, caller: 3_000, server: 15_000, script: 600_000 };
/** No limits in memory: stopping a statement terminates the engine, which loses the data. */
const NO_LIMITS: EngineLimits = { guest: null, caller: null, server: null, script: null };

/** The time limit of a new engine's first settings; normally a few milliseconds. */
const PREPARE_MS = 60_000;
const SESSION = `set timezone to 'UTC'; set datestyle to 'ISO, MDY'; set intervalstyle to 'iso_8601'; set bytea_output to 'hex'`;

export type PgliteOptions = {
  readonly limits?: Partial<EngineLimits>;
  readonly warn?: (line: string) => void;
  /** Called once when the engine cannot be restarted. */
  readonly broken?: (error: Error) => void;
};

/** Who something runs for: its lane in the queue, its time limit, and the caller to count when it is stopped. */
type Turn = { readonly lane: string; readonly limitMs: number | null; readonly caller?: string | undefined };

/**
 * Opens the embedded database in a worker thread. There is one connection: pipelines queue, and a transaction holds the engine until it
 * ends. Stopping a statement that runs too long terminates the worker; a new one opens the same folder. Statements run as superuser until
 * they become a caller, so only `script` may hold several statements.
 */
export async function createPglite(location: DataLocation, options: PgliteOptions = {}): Promise<Embedded> {
  const limits = typeof location === 'string' ? { ...LIMITS, ...options.limits } : NO_LIMITS;
  const warn = options.warn ?? (() => undefined);
  const stops = createStops();
  const queue = createFairQueue();
  const listeners = new Map<string, Set<(payload: string) => void>>();
  let closed: Promise<void> | null = null;

  const host = await startEngine({
    location,
    warn,
    broken: options.broken ?? (() => undefined),
    async prepare(run) {
      const listen = [...listeners.keys()].map((channel) => `; listen ${pg.escapeIdentifier(channel)}`);
      const bytes = bytesOf([serialize.query(SESSION + listen.join(''))]);
      if (!readScript(await run(bytes, PREPARE_MS), () => undefined)) throw new Error('its answers are incomplete');
    },
    replaced() {
      for (const channel of listeners.keys()) notify(channel, '');
    },
  });
  const runPipeline = createPipeline(host, notify);

  function notify(channel: string, payload: string): void {
    for (const onPayload of listeners.get(channel) ?? []) queueMicrotask(() => onPayload(payload));
  }

  /** Runs `work` when its turn has come and the engine is up. */
  function exclusive<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new EngineLost('the database is closed'));
    return queue.take(turn.lane, async () => {
      stops.check(turn.caller);
      if (!host.isUp()) await host.ready();
      try {
        return await work();
      } catch (error) {
        if (error instanceof StatementStopped)
          warn(`stopped a statement of ${turn.caller ?? (turn.lane || 'the server')} at its time limit`);
        // A crash during a statement counts too: its caller must not be able to repeat it endlessly.
        if (turn.caller !== undefined && (error instanceof StatementStopped || error instanceof EngineLost))
          stops.add(turn.caller);
        throw error;
      }
    });
  }

  const server: Turn = { lane: SERVER_LANE, limitMs: limits.server };
  const turnOf = (principal: Principal): Turn => ({
    lane: principal.caller ?? principal.role,
    limitMs: principal.role === 'anon' ? limits.guest : limits.caller,
    caller: principal.caller,
  });
  const inTransaction = <T>(
    turn: Turn,
    first: readonly Statement[],
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> => exclusive(turn, () => runTransaction(runPipeline, host, turn.limitMs, first, work));
  const query: Query = async <R>(text: string, values: readonly unknown[] = []) =>
    typed<R>(last(await exclusive(server, () => runPipeline([{ text, values }], server.limitMs))));
  const script = (sql: string): Promise<void> =>
    exclusive(server, async () => {
      const complete = readScript(await host.run(bytesOf([serialize.query(sql)]), limits.script), notify);
      if (complete) return;
      await host.abandon();
      throw new EngineLost('the answer of the database to a script is incomplete');
    });

  return {
    kind: 'pglite',
    durability: typeof location === 'string' ? 'pglite-process-safe' : 'memory',
    query,
    one: transactionOf(query).one,
    transaction: (work) => inTransaction(server, [], work),
    async as<R>(
      principal: Principal,
      text: string,
      values: readonly unknown[] = [],
      choice: { rollback?: boolean } = {},
    ) {
      const turn = turnOf(principal);
      const become = becomePrincipal(principal);
      if (choice.rollback) return queryAndRollBack<R>((work) => inTransaction(turn, [become], work), text, values);
      return typed<R>(last(await exclusive(turn, () => runPipeline([become, { text, values }], turn.limitMs))));
    },
    transactionAs: (principal, work) => inTransaction(turnOf(principal), [becomePrincipal(principal)], work),
    async listen(channel, onPayload) {
      const existing = listeners.get(channel);
      const callbacks = existing ?? new Set();
      callbacks.add(onPayload);
      listeners.set(channel, callbacks);
      if (!existing) await script(`listen ${pg.escapeIdentifier(channel)}`);
      return async () => {
        callbacks.delete(onPayload);
        if (callbacks.size > 0 || listeners.get(channel) !== callbacks || closed) return;
        listeners.delete(channel);
        await script(`unlisten ${pg.escapeIdentifier(channel)}`);
      };
    },
    suspension: (caller) => stops.wait(caller),
    script,
    image: () => exclusive(server, () => host.image()),
    heapMegabytes: () => host.heapMegabytes(),
    idle: () => queue.idle(),
    recycle: () => exclusive(server, () => host.recycle()),
    close() {
      closed ??= queue.take(SERVER_LANE, () => host.close());
      return closed;
    },
  };
}

type RunPipeline = (statements: readonly Statement[], limitMs: number | null) => Promise<Result[]>;

/** Returns a function that sends statements in one pipeline and reads their results; tracks what the current engine has prepared. */
function createPipeline(host: EngineHost, notified: (channel: string, payload: string) => void): RunPipeline {
  let cache: StatementCache = createStatementCache();
  let generation = host.generation();
  return async (statements, limitMs) => {
    if (generation !== host.generation()) {
      generation = host.generation();
      cache = createStatementCache();
    }
    const { fields: columns } = cache;
    const names = statements.map((statement) => statementName(statement.text));
    const bytes = await host.run(bytesOf(writePipeline(cache, statements, names)), limitMs);

    const results: Result[] = [];
    let rows: Row[] = [];
    let fields: readonly Field[] = columns.get(names[0] ?? '') ?? [];
    let failure: DatabaseError | null = null;
    const complete = readAnswer(bytes, {
      parsed: () => noteParsed(cache),
      closed: () => noteClosed(cache),
      fields(described) {
        fields = described;
        const name = names[results.length];
        if (name) columns.set(name, described);
      },
      row: (texts) => void rows.push(readRow(fields, texts)),
      complete(tag) {
        const name = names[results.length];
        if (name && !columns.has(name)) columns.set(name, []);
        results.push({ rows, count: commandCount(tag) });
        rows = [];
        fields = columns.get(names[results.length] ?? '') ?? [];
      },
      failed: (serverError) => {
        failure ??= refusalOf(serverError);
      },
      notified,
    });
    if (!complete) {
      await host.abandon();
      throw new EngineLost('the answer of the database is incomplete');
    }
    const failed: DatabaseError | null = failure;
    if (failed) {
      if (STALE.has(codeOf(failed))) cache = await forgetStatements(host);
      throw failed;
    }
    return results;
  };
}

const codeOf = (error: DatabaseError): string => error.code;

/** Errors after which the engine's prepared statements may be stale. */
const STALE = new Set(['0A000', '26000', '42P05']);

const DEALLOCATE_MS = 3_000;

async function forgetStatements(host: EngineHost): Promise<StatementCache> {
  // Inside a failed transaction this is refused; the next use of a stale name fails and retries it.
  await host.run(bytesOf([serialize.query('deallocate all')]), DEALLOCATE_MS);
  return createStatementCache();
}

/**
 * Runs `work` in a transaction that begins with its first statement. `limitMs` covers its statements and the time between them: a
 * transaction that stays idle past it is rolled back, because everyone else waits behind it.
 */
async function runTransaction<T>(
  runPipeline: RunPipeline,
  host: EngineHost,
  limitMs: number | null,
  first: readonly Statement[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const generation = host.generation();
  const began = performance.now();
  const left = (): number | null => (limitMs === null ? null : Math.max(1, limitMs - (performance.now() - began)));
  let opening: readonly Statement[] | null = [{ text: 'begin', values: [] }, ...first];
  let over: DatabaseError | null = null;
  let running: Promise<unknown> | null = null;
  const query: Query = async <R>(text: string, values: readonly unknown[] = []) => {
    // Statements of one transaction run in order, even when they are not awaited one by one.
    while (running) await running;
    if (over) throw over;
    if (generation !== host.generation()) throw interrupted();
    const before = opening ?? [];
    opening = null;
    const pipeline = runPipeline([...before, { text, values }], left());
    running = pipeline.then(
      () => (running = null),
      () => (running = null),
    );
    return typed<R>(last(await pipeline));
  };
  let timer: NodeJS.Timeout | null = null;
  const timeout = new Promise<never>((_resolve, reject) => {
    if (limitMs === null) return;
    const check = (): void => {
      // The watchdog stops a running statement; this ends only an idle transaction.
      if (running) timer = setTimeout(check, 10);
      else reject((over = idleTooLong()));
    };
    timer = setTimeout(check, limitMs);
  });
  const finish = async (text: 'commit' | 'rollback'): Promise<void> => {
    while (running) await running;
    if (!opening && generation === host.generation() && host.isUp()) await runPipeline([{ text, values: [] }], limitMs);
    else if (!opening && text === 'commit') throw interrupted();
  };
  try {
    const outcome = await Promise.race([work(transactionOf(query)), timeout]);
    if (timer) clearTimeout(timer);
    over ??= new DatabaseError({ code: '25P01', message: 'the transaction has ended' });
    await finish('commit');
    return outcome;
  } catch (error) {
    if (timer) clearTimeout(timer);
    over ??= new DatabaseError({ code: '25P01', message: 'the transaction has ended' });
    await finish('rollback');
    throw error;
  }
}

const interrupted = (): DatabaseError =>
  new DatabaseError({ code: '57P01', message: 'the transaction was interrupted and rolled back' });
const idleTooLong = (): DatabaseError =>
  new DatabaseError({ code: '25P03', message: 'the transaction was idle for too long and rolled back' });

/** Concatenates into a new array, which can be transferred. */
function bytesOf(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Throws the first error of a script's answer; returns whether the answer is complete. */
function readScript(bytes: Uint8Array, notified: (channel: string, payload: string) => void): boolean {
  const nothing = (): void => undefined;
  const errors: ServerError[] = [];
  const complete = readAnswer(bytes, {
    parsed: nothing,
    closed: nothing,
    fields: nothing,
    row: nothing,
    complete: nothing,
    failed: (serverError) => void errors.push(serverError),
    notified,
  });
  const [first] = errors;
  if (first) throw refusalOf(first);
  return complete;
}

function last(results: readonly Result[]): Result {
  return results.at(-1) ?? { rows: [], count: 0 };
}

const refusalOf = (serverError: ServerError): DatabaseError => new DatabaseError(serverError);
