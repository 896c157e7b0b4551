import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { DatabaseError } from '../database.ts';
import { type EngineStart, type FromEngine, SIGNALS, SIGNALS_BYTES, type ToEngine } from './signals.ts';

/** A statement was stopped by terminating the engine; with PostgreSQL's own message. */
export class StatementStopped extends DatabaseError {
  constructor() {
    super({ code: '57014', message: 'canceling statement due to statement timeout' });
  }
}

/** The engine exited during a statement; whether a change was saved is unknown. */
export class EngineLost extends DatabaseError {
  constructor(message: string) {
    super({ code: '08006', message });
  }
}

export type EngineHost = {
  /** The number of the current worker: a new one has neither the prepared statements nor the transaction of the old. */
  generation(): number;
  isUp(): boolean;
  /** Waits until the engine accepts statements. Throws `EngineLost` when it will not come back. */
  ready(): Promise<void>;
  /**
   * Sends the bytes of one pipeline, transferring them, and returns the engine's answer. One at a time, only while the engine is up. After
   * `limitMs` terminates and restarts the engine and throws `StatementStopped`; throws `EngineLost` when it exits unexpectedly.
   */
  run(bytes: Uint8Array<ArrayBuffer>, limitMs: number | null): Promise<Uint8Array>;
  /** Terminates an engine after an incomplete answer; a new one starts. */
  abandon(): Promise<void>;
  /** A snapshot of the whole database. */
  image(): Promise<Blob>;
  /** Closes the worker cleanly and starts another, which frees memory. Only between pipelines. */
  recycle(): Promise<void>;
  heapMegabytes(): number;
  /** Closes the engine for good. Only between pipelines. */
  close(): Promise<void>;
};

export type HostOptions = {
  readonly location: string | Blob | null;
  /** Prepares a new engine before its first statement. */
  readonly prepare: (run: EngineHost['run']) => Promise<void>;
  /** Called after a new engine has replaced the old one, whose notifications may be lost. */
  readonly replaced: () => void;
  readonly warn: (line: string) => void;
  /** Called once when the engine cannot be restarted. */
  readonly broken: (error: Error) => void;
};

/** After this many failed attempts in a row to open the engine, give up. */
const OPENS_MAX = 3;
/** After this many unexpected exits in a row without an answered statement, give up. */
const CRASHES_MAX = 10;
const RETRY_MS = 250;
/** How long the engine may take to close cleanly. */
const CLOSE_MS = 60_000;
/**
 * On a busy machine a statement gets up to twice its time: when its thread used less than this share of a core, it was waiting for CPU,
 * not working.
 */
const STARVED_SHARE = 0.5;
/** How long to wait for a thread's CPU usage. */
const USAGE_TIMEOUT_MS = 200;
/** How long a finished answer may take to arrive. */
const ARRIVAL_MS = 100;
/** The engine's WebAssembly module, compiled once per process and off the main thread. */
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
  /** Pipelines sent to it. */
  sent: number;
  pending: Pending | null;
  /** Prepared: from now on it is replaced when it exits. */
  usable: boolean;
  /** Why we are ending it; null while it runs. */
  ending: 'stop' | 'close' | null;
};

/**
 * Terminates the thread when its current pipeline has used up `limitMs`. Returns the timer to clear when the pipeline is done;
 * `again` receives each timer that replaces it.
 */
function watch(which: Thread, limitMs: number, again: (timer: NodeJS.Timeout | null) => void): NodeJS.Timeout {
  const pipeline = which.sent;
  const began = performance.now();
  const isOver = (): boolean => which.sent !== pipeline || which.pending === null;
  const isFinished = (): boolean => Atomics.load(which.signals, SIGNALS.finished) >= pipeline;
  /** CPU time used, in milliseconds; 0 when the thread does not report it, which counts as waiting for CPU. */
  const used = async (): Promise<number> => {
    const timeout = new Promise<null>((resolve) => setTimeout(() => resolve(null), USAGE_TIMEOUT_MS).unref());
    const usage = await Promise.race([which.worker.cpuUsage(), timeout]).catch(() => null);
    return usage ? (usage.user + usage.system) / 1000 : 0;
  };
  let earlier: { readonly at: number; readonly used: number } | null = null;
  const check = async (): Promise<void> => {
    const now = performance.now();
    const cpu = await used();
    if (isOver()) return;
    if (isFinished()) return again(setTimeout(() => void check(), ARRIVAL_MS));
    const starved = earlier === null || (cpu - earlier.used) / (now - earlier.at) < STARVED_SHARE;
    const left = limitMs * (starved ? 2 : 1) - (performance.now() - began);
    earlier ??= { at: now, used: cpu };
    if (left > 0) return again(setTimeout(() => void check(), Math.min(left, limitMs / 2)));
    which.ending = 'stop';
    await which.worker.terminate();
  };
  // Check halfway first, to have a CPU measurement to compare with at the end.
  return setTimeout(() => void check(), limitMs / 2);
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

  /** Runs once per thread, after it exits: rejects the pending pipeline, and starts a new engine unless the exit was intended. */
  function ended(which: Thread, reason: string): void {
    if (thread !== which) return;
    thread = null;
    const { pending, ending } = which;
    if (ending === 'close') return;
    if (!which.usable) return pending?.reject(new EngineLost(reason));
    const finished = Atomics.load(which.signals, SIGNALS.finished) >= which.sent;
    const stopped = ending === 'stop' && !finished;
    if (!stopped) {
      crashes += 1;
      options.warn(`the database engine exited unexpectedly: ${reason}`);
    }
    if (options.location === null || options.location instanceof Blob)
      giveUp('the in-memory database engine exited and its data is lost');
    else reopen();
    pending?.reject(stopped ? new StatementStopped() : new EngineLost('the database engine exited during a statement'));
  }

  function reopen(): void {
    opening = restart();
    opening.catch(() => undefined); // callers of `ready` get the error
  }

  async function restart(): Promise<void> {
    for (let failed = 0; ; failed += 1) {
      if (failed >= OPENS_MAX || crashes >= CRASHES_MAX) throw giveUp('the database engine cannot be restarted');
      if (failed > 0) await new Promise((resolve) => setTimeout(resolve, RETRY_MS * failed));
      try {
        await open();
        break;
      } catch (error) {
        options.warn(`the database engine did not start: ${error instanceof Error ? error.message : String(error)}`);
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
      let reason = 'it reported no error';
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

  /** Returns the running thread. Throws when there is none. */
  function running(): Thread {
    if (gone) throw gone;
    if (!thread || opening) throw new EngineLost('the database engine is restarting');
    return thread;
  }

  /** Closes the thread cleanly, so that the next start need not replay what it wrote. */
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
      opening = end(old).then(restart);
      opening.catch(() => undefined); // callers of `ready` get the error
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
