import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { DatabaseError } from '../database.ts';
import { type EngineStart, type FromEngine, SIGNALS, SIGNALS_BYTES, type ToEngine } from './signals.ts';

/** A statement that was ended by ending the engine; PostgreSQL's own words for it. */
export class StatementStopped extends DatabaseError {
  constructor() {
    super({ code: '57014', message: 'canceling statement due to statement timeout' });
  }
}

/** The engine ended under a statement; whether a change was kept is not known. */
export class EngineLost extends DatabaseError {
  constructor(message: string) {
    super({ code: '08006', message });
  }
}

export type EngineHost = {
  /** Which worker is meant: what one was told (names of statements, an open transaction) the next does not know. */
  generation(): number;
  isUp(): boolean;
  /** Waits until the engine can be asked. Throws `EngineLost` when it will not come back. */
  ready(): Promise<void>;
  /**
   * Sends one flight's bytes, which are given away, and answers the engine's. One at a time, only while it is up. After `limitMs` the
   * engine is ended and started again: throws `StatementStopped`; `EngineLost` when it ended by itself.
   */
  run(bytes: Uint8Array<ArrayBuffer>, limitMs: number | null): Promise<Uint8Array>;
  /** Ends an engine that answered what it must not; another is started. */
  abandon(): Promise<void>;
  /** All of it as it stands. */
  image(): Promise<Blob>;
  /** Ends the worker in order and starts another, which gives grown memory back. Only between flights. */
  recycle(): Promise<void>;
  heapMegabytes(): number;
  /** Ends it for good, in order. Only between flights. */
  close(): Promise<void>;
};

export type HostOptions = {
  readonly location: string | Blob | null;
  /** Prepares a new engine before anybody else may ask it. */
  readonly prepare: (run: EngineHost['run']) => Promise<void>;
  /** Told after another engine has taken the place of one; what the old one was to tell may be lost. */
  readonly replaced: () => void;
  readonly warn: (line: string) => void;
  /** Told once when the engine could not be brought back. */
  readonly broken: (error: Error) => void;
};

/** Attempts to open in a row that failed, after which the engine is given up. */
const OPENS_MAX = 3;
/** Ends in a row that nobody asked for, no statement answered between them, after which it is given up too. */
const CRASHES_MAX = 10;
const RETRY_MS = 250;
/** How long an engine may take to close in order. */
const CLOSE_MS = 60_000;
/**
 * A statement on a machine that does other work is given up to twice its time: less than this share of a core says that it was kept
 * waiting itself.
 */
const STARVED_SHARE = 0.5;
/** How long is waited for a thread to say what it has used. */
const LATE_MS = 200;
/** How long an answer that the worker says is finished may be on its way. */
const ARRIVAL_MS = 100;

/** The engine's program is compiled once per process, off the main thread. */
let program: Promise<WebAssembly.Module> | null = null;
function compileProgram(): Promise<WebAssembly.Module> {
  program ??= (async () => {
    const file = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
    return WebAssembly.compile(await readFile(file));
  })();
  return program;
}

type Pending = { readonly resolve: (bytes: Uint8Array) => void; readonly reject: (reason: Error) => void };
type Thread = {
  readonly worker: Worker;
  readonly signals: Int32Array;
  /** Flights given to it. */
  sent: number;
  pending: Pending | null;
  /** It has been prepared: from then on it is replaced when it ends. */
  usable: boolean;
  /** It is being ended by us, and this is why. */
  ending: 'stop' | 'close' | null;
};

/**
 * Ends the thread when its present flight has had `limitMs`. Answers the timer that is to be cleared when the flight is over;
 * `again` is told of each that takes its place.
 */
function watch(which: Thread, limitMs: number, again: (timer: NodeJS.Timeout | null) => void): NodeJS.Timeout {
  const pipeline = which.sent;
  const began = performance.now();
  const isOver = (): boolean => which.sent !== pipeline || which.pending === null;
  const isFinished = (): boolean => Atomics.load(which.signals, SIGNALS.finished) >= pipeline;
  /** Milliseconds of a core; 0 when the thread does not say, which counts as kept waiting. */
  const used = async (): Promise<number> => {
    const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), LATE_MS).unref());
    const usage = await Promise.race([which.worker.cpuUsage(), late]).catch(() => null);
    return usage ? (usage.user + usage.system) / 1000 : 0;
  };
  let seen: { readonly at: number; readonly used: number } | null = null;
  const look = async (): Promise<void> => {
    const now = performance.now();
    const cpu = await used();
    if (isOver()) return;
    if (isFinished()) return again(setTimeout(() => void look(), ARRIVAL_MS));
    const starved = seen === null || (cpu - seen.used) / (now - seen.at) < STARVED_SHARE;
    const left = limitMs * (starved ? 2 : 1) - (performance.now() - began);
    seen ??= { at: now, used: cpu };
    if (left > 0) return again(setTimeout(() => void look(), Math.min(left, limitMs / 2)));
    which.ending = 'stop';
    await which.worker.terminate();
  };
  // Halfway, so that what it has used by the end of its time can be compared.
  return setTimeout(() => void look(), limitMs / 2);
}

/** Opens the engine in a worker thread and keeps one running. Throws when the first one does not open. */
export async function startEngine(options: HostOptions): Promise<EngineHost> {
  let thread: Thread | null = null;
  let opening: Promise<void> | null = null;
  let generation = 0;
  let crashes = 0;
  let gone: EngineLost | null = null;

  function giveUp(reason: string): EngineLost {
    gone = new EngineLost(reason);
    options.broken(gone);
    return gone;
  }

  function send(to: Thread, message: ToEngine, limitMs: number | null): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | null = null;
      const settle = (): void => {
        if (timer) clearTimeout(timer);
        to.pending = null;
      };
      to.pending = {
        resolve: (bytes) => {
          settle();
          if (to.usable) crashes = 0;
          resolve(bytes);
        },
        reject: (reason) => {
          settle();
          reject(reason);
        },
      };
      to.sent += 1;
      if (limitMs !== null) timer = watch(to, limitMs, (next) => void (timer = next));
      to.worker.postMessage(message, message instanceof Uint8Array ? [message.buffer] : []);
    });
  }

  /** Once per thread, when it has ended: whoever waits for it is told, and another is started unless that was wanted. */
  function ended(which: Thread, reason: string): void {
    if (thread !== which) return;
    thread = null;
    const { pending, ending: asked } = which;
    if (asked === 'close') return;
    if (!which.usable) return pending?.reject(new EngineLost(reason));
    const finished = Atomics.load(which.signals, SIGNALS.finished) >= which.sent;
    const stopped = asked === 'stop' && !finished;
    if (!stopped) {
      crashes += 1;
      options.warn(`the database engine ended by itself: ${reason}`);
    }
    if (options.location === null || options.location instanceof Blob)
      giveUp('the database in memory ended, and what it held is gone');
    else reopen();
    pending?.reject(stopped ? new StatementStopped() : new EngineLost('the database ended while it was asked'));
  }

  function reopen(): void {
    opening = bringBack();
    opening.catch(() => undefined); // whoever waits for it is told
  }

  async function bringBack(): Promise<void> {
    for (let failed = 0; ; failed += 1) {
      if (failed >= OPENS_MAX || crashes >= CRASHES_MAX) throw giveUp('the database engine cannot be brought back');
      if (failed > 0) await new Promise((resolve) => setTimeout(resolve, RETRY_MS * failed));
      try {
        await open();
        break;
      } catch (error) {
        options.warn(`the database engine did not open: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    opening = null;
    options.replaced();
  }

  async function open(): Promise<void> {
    const signals = new SharedArrayBuffer(SIGNALS_BYTES);
    const start: EngineStart = {
      location: options.location,
      program: await compileProgram(),
      signals,
      again: generation > 0,
    };
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: start, execArgv: [] });
    const made: Thread = {
      worker,
      signals: new Int32Array(signals),
      sent: 0,
      pending: null,
      usable: false,
      ending: null,
    };
    await new Promise<void>((resolve, reject) => {
      let opened = false;
      let reason = 'it gave no reason';
      worker.on('message', (message: FromEngine) => {
        if (message === 'open') {
          opened = true;
          thread = made;
          generation += 1;
          resolve();
        } else if (message instanceof Uint8Array) made.pending?.resolve(message);
      });
      worker.on('error', (error) => {
        reason = error instanceof Error ? error.message : String(error);
      });
      worker.on('exit', () => {
        if (opened) ended(made, reason);
        else reject(new Error(reason));
      });
    });
    await options
      .prepare((bytes, limitMs) => send(made, bytes, limitMs))
      .catch(async (error: unknown) => {
        made.ending = 'close';
        await made.worker.terminate();
        throw error;
      });
    made.usable = true;
  }

  /** The thread that runs. Throws when there is none. */
  function running(): Thread {
    if (gone) throw gone;
    if (!thread || opening) throw new EngineLost('the database engine is being started again');
    return thread;
  }

  /** Ends the thread in order, so that what it wrote need not be read again at the next start. */
  async function end(which: Thread): Promise<void> {
    which.ending = 'close';
    const timer = setTimeout(() => void which.worker.terminate(), CLOSE_MS);
    const over = new Promise<void>((resolve) => which.worker.once('exit', () => resolve()));
    which.worker.postMessage('close' satisfies ToEngine);
    await over;
    clearTimeout(timer);
  }

  await open();
  return {
    generation: () => generation,
    isUp: () => thread !== null && opening === null,
    async ready() {
      if (gone) throw gone;
      await opening;
    },
    run: (bytes, limitMs) => send(running(), bytes, limitMs),
    async abandon() {
      await thread?.worker.terminate();
    },
    async image() {
      const bytes = await send(running(), 'image', null);
      return new Blob([Buffer.from(bytes)]);
    },
    async recycle() {
      const old = running();
      opening = end(old).then(bringBack);
      opening.catch(() => undefined); // whoever waits for it is told
      await opening;
    },
    heapMegabytes: () => (thread ? Atomics.load(thread.signals, SIGNALS.heapMegabytes) : 0),
    async close() {
      await opening?.catch(() => undefined);
      gone ??= new EngineLost('the database is closed');
      if (thread) await end(thread);
    },
  };
}
