import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { Database, Principal, Query, Result, Transaction } from '../database.ts';
import { type Statement, typed } from '../pipeline.ts';
import { becomePrincipal, classOfPrincipal } from '../principal.ts';
import { requestMark } from '../request-scope.ts';
import { queryAndRollBack } from '../roll-back.ts';
import { createScheduler, type Scheduler } from '../scheduling/scheduler.ts';
import { serverTicket, type Ticket } from '../scheduling/ticket.ts';
import { toTransaction } from '../transaction.ts';
import { classLimits, type QueueOptions, type WorkClass } from '../work-class.ts';
import { concatBytes, createPipelines, last, onePipeline, readScript, type RunPipeline } from './engine-pipeline.ts';
import { createSharedMessages, type SharedMessages } from './shared-messages.ts';
import { runTransaction } from './engine-transaction.ts';
import { type CreateWorker, EngineLost, StatementStopped } from './engine-thread.ts';
import { type EngineHost, startEngine } from './host.ts';
import { createStops, type Stops } from './stops.ts';

export type Embedded = Database & {
  /** Runs a script of many statements, such as a migration, without a caller's time limit. Never pass user input. */
  script(sql: string): Promise<void>;
  /** A snapshot of the whole database, from which another can start. */
  image(): Promise<Blob>;
  /** The engine's memory in megabytes. It only shrinks when the engine is recycled. */
  heapMegabytes(): number;
  /** Whether no statement runs and none waits. */
  idle(): boolean;
  /** Closes and reopens the engine, which frees memory; statements wait until it is open again. */
  recycle(): Promise<void>;
};

/** Where an embedded database lives: a folder; or in memory, empty (null) or from an image. */
export type DataLocation = string | null | Blob;

/** Time limits in milliseconds, of a statement or of a whole transaction from its first statement; null for no limit. */
type EngineLimits = {
  readonly guest: number | null;
  readonly caller: number | null;
  readonly server: number | null;
  /** For migrations and maintenance. */
  readonly script: number | null;
};

/**
 * Callers wait for each other's statements, so their limits are short. The server's own statements are few and fast: one that takes this
 * long is a bug that delays all callers.
 */
const LIMITS: EngineLimits = { guest: 1_000, caller: 3_000, server: 15_000, script: 600_000 };
/** There are no limits in memory, because stopping a statement terminates the engine and loses the data. */
const NO_LIMITS: EngineLimits = { guest: null, caller: null, server: null, script: null };

/** The time limit for the first settings of a new engine, which normally take a few milliseconds. */
const PREPARE_MS = 60_000;
const SESSION = `set timezone to 'UTC'; set datestyle to 'ISO, MDY'; set intervalstyle to 'iso_8601'; set bytea_output to 'hex'`;

export type PgliteOptions = {
  readonly limits?: Partial<EngineLimits>;
  /** The maximum number of waiting statements per class. */
  readonly waiting?: number;
  /** Returns whether a caller (`Principal.caller`) is staff: their statements go before customers'. */
  readonly isStaff?: (caller: string) => boolean;
  /** In a folder: every commit waits until it is on disk, so that a power failure loses nothing. */
  readonly sync?: boolean;
  readonly warn?: (line: string) => void;
  /** Called once when the engine cannot be restarted. */
  readonly broken?: (error: Error) => void;
  /** Runs the engine somewhere other than in a worker thread. */
  readonly createWorker?: CreateWorker | undefined;
};

/** A piece of work: its ticket in the queue, its time limit, and the caller against whom it counts if it is stopped (`countedAs`). */
type Run = { readonly ticket: Ticket; readonly limitMs: number | null; readonly caller?: string | undefined };

/** There is only one engine, which every class may use in turn. */
const SHARES: Readonly<Record<WorkClass, number>> = { urgent: 1, staff: 1, customer: 1, server: 1, guest: 1 };
/** After a statement that delays others for longer than this, no other such statement starts for the same length of time. */
const LONG_MS = 50;
/** A script is a single statement to those that wait for it, so this also covers the longest script. */
const QUEUE: QueueOptions = { waiting: 400, waitMs: 20_000, ownWaitMs: 900_000 };

/**
 * Returns the key under which stopped statements are counted. All statements of a person count together. The operator's programs share the
 * service key, so after three stops only the expensive statement is refused, not the key.
 */
const countedAs = ({ role, caller }: Principal, text = 'a transaction'): string | undefined =>
  caller !== undefined && role === 'service_role' ? `${caller} with ${text}` : caller;

type Listeners = Map<string, Set<(payload: string) => void>>;
type Engine = {
  readonly host: EngineHost;
  readonly scheduler: Scheduler;
  readonly stops: Stops;
  readonly limits: EngineLimits;
  readonly isStaff: ((caller: string) => boolean) | undefined;
  readonly listeners: Listeners;
  readonly runPipeline: RunPipeline;
  /** Callers' reads that may share a message, by their time limit. */
  readonly shared: Readonly<Record<'guest' | 'caller', SharedMessages>>;
  readonly warn: (line: string) => void;
  /** Null until the database is being closed. */
  closing: Promise<void> | null;
};

/**
 * Opens the embedded database in a worker thread. There is one connection: pipelines queue, and a transaction holds the engine until it
 * ends. Stopping a statement that runs too long terminates the worker; a new one opens the same folder. Statements run as superuser until
 * they become a caller, so only `script` may hold several statements.
 */
export async function createPglite(location: DataLocation, options: PgliteOptions = {}): Promise<Embedded> {
  const engine = await openEngine(location, options);
  const { host, scheduler, limits } = engine;
  const server = serverRun(limits);
  const inFolder = options.sync === true ? 'pglite-synced' : 'pglite-process-safe';
  const durability = typeof location === 'string' ? inFolder : 'memory';
  return {
    ...createDatabase(engine, durability, null),
    script: (sql) => runScript(engine, sql),
    image: () => exclusive(engine, server, () => host.image()),
    heapMegabytes: () => host.heapMegabytes(),
    idle: () => scheduler.idle(),
    recycle: () => exclusive(engine, server, () => host.recycle()),
  };
}

/**
 * Returns the database for work of one class. If `workClass` is null, each caller's statements are in the class of that caller, and all
 * others in the class of the server.
 */
function createDatabase(engine: Engine, durability: Database['durability'], workClass: WorkClass | null): Database {
  const { host, scheduler, stops, limits, isStaff } = engine;
  const ownRun = (text: string): Run => ({ ticket: serverTicket(workClass, text), limitMs: limits.server });
  const toRun = (principal: Principal, text?: string): Run => {
    const { role, caller } = principal;
    const found = workClass ?? classOfPrincipal(principal, isStaff);
    const ticket = { workClass: found, caller: caller ?? role, ...(text === undefined ? {} : { text }) };
    return { ticket, limitMs: role === 'anon' ? limits.guest : limits.caller, caller: countedAs(principal, text) };
  };
  const query: Query = async <R>(text: string, values: readonly unknown[] = []) =>
    typed<R>(await runStatements(engine, ownRun(text), [...requestMark(), { text, values }]));
  return {
    kind: 'pglite',
    durability,
    query,
    queryRow: toTransaction(query).queryRow,
    transaction: (work) => inTransaction(engine, ownRun('transaction of the server'), requestMark(), work),
    async as<R>(
      principal: Principal,
      text: string,
      values: readonly unknown[] = [],
      choice: Parameters<Database['as']>[3] = {},
    ) {
      const run = toRun(principal, text);
      const become = becomePrincipal(principal);
      const statements = [become, { text, values }];
      if (isRead(principal) && !choice.rollback)
        return typed<R>(await runShared(engine, run, statements, choice.started));
      if (!choice.rollback) return typed<R>(await runStatements(engine, run, statements, choice.started));
      return queryAndRollBack<R>((work) => inTransaction(engine, run, [become], work), text, values);
    },
    transactionAs: (principal, work) => inTransaction(engine, toRun(principal), [becomePrincipal(principal)], work),
    listen: (channel, onPayload) => listen(engine, channel, onPayload),
    suspension: (caller) => stops.wait(caller),
    inClass: (other) => createDatabase(engine, durability, other),
    load: scheduler.load,
    close() {
      engine.closing ??= scheduler.run(LAST, () => host.close());
      return engine.closing;
    },
  };
}

async function openEngine(location: DataLocation, options: PgliteOptions): Promise<Engine> {
  const listeners: Listeners = new Map();
  const warn = options.warn ?? (() => undefined);
  const host = await startEngine({
    location,
    sync: options.sync === true,
    warn,
    broken: options.broken ?? (() => undefined),
    createWorker: options.createWorker,
    async prepare(run) {
      const listening = [...listeners.keys()].map((channel) => `; listen ${pg.escapeIdentifier(channel)}`);
      const bytes = concatBytes([serialize.query(SESSION + listening.join(''))]);
      if (!readScript(await run(bytes, PREPARE_MS), () => undefined)) throw new Error('its answers are incomplete');
    },
    replaced() {
      for (const channel of listeners.keys()) notify(listeners, channel, '');
    },
  });
  const limits = typeof location === 'string' ? { ...LIMITS, ...options.limits } : NO_LIMITS;
  const queue = { ...QUEUE, waiting: options.waiting ?? QUEUE.waiting };
  const scheduler = createScheduler({ slots: 1, limits: classLimits(1, SHARES, queue), longMs: LONG_MS });
  const runPipelines = createPipelines(host, (channel, payload) => notify(listeners, channel, payload));
  const sharedWithin = (limitMs: number | null): SharedMessages =>
    createSharedMessages(scheduler, host, (pipelines) => runPipelines(pipelines, limitMs));
  return {
    host,
    scheduler,
    stops: createStops(),
    isStaff: options.isStaff,
    limits,
    listeners,
    runPipeline: onePipeline(runPipelines),
    shared: { guest: sharedWithin(limits.guest), caller: sharedWithin(limits.caller) },
    warn,
    closing: null,
  };
}

function notify(listeners: Listeners, channel: string, payload: string): void {
  for (const onPayload of listeners.get(channel) ?? []) queueMicrotask(() => onPayload(payload));
}

const serverRun = (limits: EngineLimits): Run => ({
  ticket: { workClass: 'server', caller: 'server' },
  limitMs: limits.server,
});

const LAST: Ticket = { workClass: 'server', caller: 'close' };
const getCallerName = ({ workClass, caller }: Ticket): string => (workClass === 'server' ? 'the server' : caller);

/** Runs `work` when its turn has come and the engine is up. */
function exclusive<T>(engine: Engine, run: Run, work: () => Promise<T>): Promise<T> {
  const { closing, host, scheduler, stops } = engine;
  if (closing) return Promise.reject(new EngineLost('the database is closed'));
  return scheduler.run(run.ticket, async () => {
    stops.check(run.caller);
    if (!host.isUp()) await host.ready();
    try {
      return await work();
    } catch (error) {
      noteStop(engine, run, error);
      throw error;
    }
  });
}

/** Counts a statement that terminated the engine against its caller. */
function noteStop({ stops, warn }: Engine, run: Run, error: unknown): void {
  if (error instanceof StatementStopped) warn(`stopped a statement of ${getCallerName(run.ticket)} at its time limit`);
  // A crash during a statement counts too, so that its caller cannot repeat it endlessly.
  if (run.caller !== undefined && (error instanceof StatementStopped || error instanceof EngineLost))
    stops.add(run.caller);
}

/** Whether a caller's transaction is read-only, so that it may run twice. */
const isRead = ({ settings }: Principal): boolean => settings?.['transaction_read_only'] === 'on';

/** Runs a read in a message that it may share with other reads. Returns the result of its last statement. */
async function runShared(
  engine: Engine,
  run: Run,
  statements: readonly Statement[],
  started?: () => void,
): Promise<Result> {
  const { closing, stops, shared, limits } = engine;
  if (closing) throw new EngineLost('the database is closed');
  stops.check(run.caller);
  try {
    const messages = run.limitMs === limits.guest ? shared.guest : shared.caller;
    const result = await messages(run.ticket, statements, started);
    if (result) return result;
  } catch (error) {
    noteStop(engine, run, error);
    throw error;
  }
  return runStatements(engine, run, statements, started);
}

/** Runs statements in one pipeline and returns the result of the last. */
async function runStatements(
  engine: Engine,
  run: Run,
  statements: readonly Statement[],
  started?: () => void,
): Promise<Result> {
  const work = (): Promise<Result[]> => {
    started?.();
    return engine.runPipeline(statements, run.limitMs);
  };
  return last(await exclusive(engine, run, work));
}

function inTransaction<T>(
  engine: Engine,
  run: Run,
  first: readonly Statement[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return exclusive(engine, run, () => runTransaction(engine.runPipeline, engine.host, run.limitMs, first, work));
}

function runScript(engine: Engine, sql: string): Promise<void> {
  const { host, limits, listeners } = engine;
  return exclusive(engine, serverRun(limits), async () => {
    const bytes = await host.run(concatBytes([serialize.query(sql)]), limits.script);
    if (readScript(bytes, (channel, payload) => notify(listeners, channel, payload))) return;
    await host.abandon();
    throw new EngineLost('the answer of the database to a script is incomplete');
  });
}

/** Adds a listener. The first listener of a channel starts listening, and removing the last one ends it. */
async function listen(
  engine: Engine,
  channel: string,
  onPayload: (payload: string) => void,
): Promise<() => Promise<void>> {
  const { listeners } = engine;
  const existing = listeners.get(channel);
  const callbacks = existing ?? new Set();
  callbacks.add(onPayload);
  listeners.set(channel, callbacks);
  if (!existing) await runScript(engine, `listen ${pg.escapeIdentifier(channel)}`);
  return async () => {
    callbacks.delete(onPayload);
    if (callbacks.size > 0 || listeners.get(channel) !== callbacks || engine.closing) return;
    listeners.delete(channel);
    await runScript(engine, `unlisten ${pg.escapeIdentifier(channel)}`);
  };
}
