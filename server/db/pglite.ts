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
import { rolledBack, transactionOf } from './postgres.ts';
import { becomePrincipal } from './principal.ts';

export type Embedded = Database & {
  /** Runs a script of many statements, as migrations are, without a time limit; never with anything a user wrote. */
  script(sql: string): Promise<void>;
  /** All of it as it stands, as one file another can begin with. */
  image(): Promise<Blob>;
  /** Megabytes the engine has taken. They never become fewer until it is recycled. */
  heapMegabytes(): number;
  /** Whether nothing runs and nothing waits. */
  idle(): boolean;
  /** Closes the engine in order and opens it again, which gives back the memory it took; what is asked meanwhile waits. */
  recycle(): Promise<void>;
};

/** Where an embedded database lives: a folder, or memory, in which it begins empty or as an image has it. */
export type DataLocation = string | null | Blob;

/** Milliseconds a statement may run, and a transaction may take from its beginning to its end; null: as long as it likes. */
export type EngineLimits = {
  readonly guest: number | null;
  readonly caller: number | null;
  readonly server: number | null;
  /** Migrations and upkeep. */
  readonly script: number | null;
};

/**
 * Guests and callers wait for each other's statements, so these are short. The server's own are known and few; one that takes this
 * long is a fault of ours, and everybody is waiting for it.
 */
const LIMITS: EngineLimits = { guest: 1_000, caller: 3_000, server: 15_000, script: 600_000 };
/** A database in memory cannot come back after its engine was ended, so nothing in it is ended. */
const NO_LIMITS: EngineLimits = { guest: null, caller: null, server: null, script: null };

/** What a new engine is told before its first statement; that long only on a machine that does much else. */
const PREPARE_MS = 60_000;
const SESSION = `set timezone to 'UTC'; set datestyle to 'ISO, MDY'; set intervalstyle to 'iso_8601'; set bytea_output to 'hex'`;

export type PgliteOptions = {
  readonly limits?: Partial<EngineLimits>;
  readonly warn?: (line: string) => void;
  /** Told once when the engine could not be brought back after it had ended. */
  readonly broken?: (error: Error) => void;
};

/** For whom something runs: whose turn it takes, how long it may take, and who is counted when it has to be stopped. */
type Turn = { readonly lane: string; readonly limitMs: number | null; readonly caller?: string | undefined };

/**
 * Opens the embedded database in a worker thread. There is one connection: flights queue behind one another, and a transaction holds
 * the engine until it ends. A statement that runs too long is ended together with the worker, and a new one opens the same folder.
 * The embedding process is superuser inside, so only `script` may hold several statements.
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
      if (!readScript(await run(bytes, PREPARE_MS), () => undefined)) throw new Error('it breaks off its answers');
    },
    replaced() {
      for (const channel of listeners.keys()) tell(channel, '');
    },
  });
  const fly = createPipeline(host, tell);

  function tell(channel: string, payload: string): void {
    for (const heard of listeners.get(channel) ?? []) queueMicrotask(() => heard(payload));
  }

  /** Waits for its turn and for an engine that can be asked. */
  function exclusive<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new EngineLost('the database is closed'));
    return queue.take(turn.lane, async () => {
      stops.check(turn.caller);
      if (!host.isUp()) await host.ready();
      try {
        return await work();
      } catch (error) {
        if (error instanceof StatementStopped)
          warn(`a statement of ${turn.caller ?? (turn.lane || 'the server')} had to be stopped`);
        // An engine that crashed under a statement counts as well: whoever can do that must not do it again and again.
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
  ): Promise<T> => exclusive(turn, () => runTransaction(fly, host, turn.limitMs, first, work));
  const query: Query = async <R>(text: string, values: readonly unknown[] = []) =>
    typed<R>(last(await exclusive(server, () => fly([{ text, values }], server.limitMs))));
  const script = (sql: string): Promise<void> =>
    exclusive(server, async () => {
      const complete = readScript(await host.run(bytesOf([serialize.query(sql)]), limits.script), tell);
      if (complete) return;
      await host.abandon();
      throw new EngineLost('the database broke off in the middle of a script');
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
      if (choice.rollback)
        return typed<R>(await rolledBack((work) => inTransaction(turn, [become], work), text, values));
      return typed<R>(last(await exclusive(turn, () => fly([become, { text, values }], turn.limitMs))));
    },
    transactionAs: (principal, work) => inTransaction(turnOf(principal), [becomePrincipal(principal)], work),
    async listen(channel, heard) {
      const known = listeners.get(channel);
      const hearing = known ?? new Set();
      hearing.add(heard);
      listeners.set(channel, hearing);
      if (!known) await script(`listen ${pg.escapeIdentifier(channel)}`);
      return async () => {
        hearing.delete(heard);
        if (hearing.size > 0 || listeners.get(channel) !== hearing || closed) return;
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

type Fly = (statements: readonly Statement[], limitMs: number | null) => Promise<Result[]>;

/** Sends statements in one flight and reads their results; knows what the present engine has prepared. */
function createPipeline(host: EngineHost, notified: (channel: string, payload: string) => void): Fly {
  let memory: Memory = createMemory();
  let generation = host.generation();
  return async (statements, limitMs) => {
    if (generation !== host.generation()) {
      generation = host.generation();
      memory = createMemory();
    }
    const { fields: columns } = memory;
    const names = statements.map((statement) => statementName(statement.text));
    const bytes = await host.run(bytesOf(writePipeline(memory, statements, names)), limitMs);

    const results: Result[] = [];
    let rows: Row[] = [];
    let fields: readonly Field[] = columns.get(names[0] ?? '') ?? [];
    let failure: DatabaseError | null = null;
    const complete = readAnswer(bytes, {
      parsed: () => noteParsed(memory),
      closed: () => noteClosed(memory),
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
      throw new EngineLost('the database broke off in the middle of an answer');
    }
    const failed: DatabaseError | null = failure;
    if (failed) {
      if (STALE.has(codeOf(failed))) memory = await forgetStatements(host);
      throw failed;
    }
    return results;
  };
}

const codeOf = (error: DatabaseError): string => error.code;

/** Errors after which the engine's prepared statements can no longer be trusted. */
const STALE = new Set(['0A000', '26000', '42P05']);

const DEALLOCATE_MS = 3_000;

async function forgetStatements(host: EngineHost): Promise<Memory> {
  // Inside a failed transaction it is refused, and the next use of a stale name says so again.
  await host.run(bytesOf([serialize.query('deallocate all')]), DEALLOCATE_MS);
  return createMemory();
}

/**
 * Runs `work` in a transaction that begins with its first statement. From then on it may take `limitMs`, its statements and what
 * happens between them: one that waits longer is rolled back, for everybody else waits behind it.
 */
async function runTransaction<T>(
  fly: Fly,
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
  let flying: Promise<unknown> | null = null;
  const query: Query = async <R>(text: string, values: readonly unknown[] = []) => {
    // Statements of one transaction run in order, even when they are not awaited one by one.
    while (flying) await flying;
    if (over) throw over;
    if (generation !== host.generation()) throw interrupted();
    const before = opening ?? [];
    opening = null;
    const pipeline = fly([...before, { text, values }], left());
    flying = pipeline.then(
      () => (flying = null),
      () => (flying = null),
    );
    return typed<R>(last(await pipeline));
  };
  let timer: NodeJS.Timeout | null = null;
  const patience = new Promise<never>((_resolve, reject) => {
    if (limitMs === null) return;
    const check = (): void => {
      // A statement that runs is the watchdog's; only a transaction in which nothing runs is ended here.
      if (flying) timer = setTimeout(check, 10);
      else reject((over = idleTooLong()));
    };
    timer = setTimeout(check, limitMs);
  });
  const finish = async (text: 'commit' | 'rollback'): Promise<void> => {
    while (flying) await flying;
    if (!opening && generation === host.generation() && host.isUp()) await fly([{ text, values: [] }], limitMs);
    else if (!opening && text === 'commit') throw interrupted();
  };
  try {
    const outcome = await Promise.race([work(transactionOf(query)), patience]);
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
  new DatabaseError({ code: '57P01', message: 'the transaction was interrupted; nothing of it was kept' });
const idleTooLong = (): DatabaseError =>
  new DatabaseError({ code: '25P03', message: 'the transaction was open for too long; nothing of it was kept' });

/** One array of its own, which can be given away. */
function bytesOf(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Throws the first error of a script's answer; answers whether the answer is whole. */
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
