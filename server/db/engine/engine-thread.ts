import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { DatabaseError } from '../database.ts';
import { type EngineStart, type FromEngine, SIGNALS, SIGNALS_BYTES, type ToEngine } from './signals.ts';

/** The statement was stopped by terminating the engine. It carries PostgreSQL's own message. */
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

type Pending = { readonly resolve: (bytes: Uint8Array) => void; readonly reject: (reason: Error) => void };

/** The part of a worker thread that the server uses. */
export type EngineWorker = Pick<Worker, 'postMessage' | 'terminate' | 'cpuUsage'> & {
  on(event: 'message', listener: (message: FromEngine) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  once(event: 'exit', listener: () => void): unknown;
};

/** Starts a worker with an engine. Tests may run the engine elsewhere. */
export type CreateWorker = (start: EngineStart) => EngineWorker;

const createWorker: CreateWorker = (start) =>
  new Worker(new URL('worker.ts', import.meta.url), { workerData: start, execArgv: [] });

/** One worker thread with an engine. */
export type Thread = {
  readonly worker: EngineWorker;
  readonly signals: Int32Array;
  /** The number of pipelines sent to the thread. */
  sent: number;
  pending: Pending | null;
  /** Whether the engine is prepared. From then on, the thread is replaced if it exits. */
  usable: boolean;
  /** Why the server is ending the thread; null while it runs. */
  ending: 'stop' | 'close' | null;
};

/** How long the engine may take to close cleanly. */
const CLOSE_MS = 60_000;
/**
 * If the thread used less than this share of a core, it was waiting for the CPU rather than working, because the machine is busy. Its
 * statement may then take up to twice its time limit.
 */
const STARVED_SHARE = 0.5;
/** How long to wait for a thread's CPU usage. */
const USAGE_TIMEOUT_MS = 200;
/** How long the answer of a finished pipeline may take to arrive. */
const ARRIVAL_MS = 100;

/** The engine could not open its folder. The message is the one that the engine reported. */
export class EngineNotOpened extends Error {
  override readonly name = 'EngineNotOpened';
}

/** The engine's file system throws objects such as `{ name: 'ErrnoError', errno: 51 }`. */
function getReason(error: unknown): string {
  if (error instanceof Error) return error.message;
  if (typeof error !== 'object' || error === null) return String(error);
  const parts = Object.entries(error).filter(([, value]) => typeof value !== 'object' && typeof value !== 'function');
  return parts.map(([name, value]) => `${name} ${String(value)}`).join(', ');
}

/**
 * Starts a worker thread and waits until its engine is open. `opened` gets the thread before anything else can happen to it; `ended` is
 * called once when an opened thread exits. Throws `EngineNotOpened`.
 */
export async function startThread(
  from: Pick<EngineStart, 'location' | 'existing' | 'sync'>,
  {
    opened,
    ended,
    create = createWorker,
  }: {
    opened: (thread: Thread) => void;
    ended: (thread: Thread, reason: string) => void;
    create?: CreateWorker | undefined;
  },
): Promise<Thread> {
  const shared = new SharedArrayBuffer(SIGNALS_BYTES);
  const start: EngineStart = { ...from, program: await compileProgram(), signals: shared };
  const worker = create(start);
  const signals = new Int32Array(shared);
  const thread: Thread = { worker, signals, sent: 0, pending: null, usable: false, ending: null };
  await new Promise<void>((resolve, reject) => {
    let isOpen = false;
    let reason = 'it reported no error';
    worker.on('message', (message: FromEngine) => {
      if (message === 'open') {
        isOpen = true;
        opened(thread);
        resolve();
      } else if (message instanceof Uint8Array) thread.pending?.resolve(message);
    });
    worker.on('error', (error) => {
      reason = getReason(error);
    });
    worker.on('exit', () => {
      if (isOpen) ended(thread, reason);
      else reject(new EngineNotOpened(reason));
    });
  });
  return thread;
}

/** The engine's WebAssembly module, compiled once per process and off the main thread. */
let program: Promise<WebAssembly.Module> | null = null;
function compileProgram(): Promise<WebAssembly.Module> {
  program ??= (async () => {
    const file = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
    return WebAssembly.compile(await readFile(file));
  })();
  return program;
}

/** Sends a pipeline or `image` and returns the answer; transfers the pipeline's bytes. Terminates the thread after `limitMs`. */
export function send(thread: Thread, message: ToEngine, limitMs: number | null): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | null = null;
    const settle = (): void => {
      if (timer) clearTimeout(timer);
      thread.pending = null;
    };
    thread.pending = {
      resolve(bytes) {
        settle();
        resolve(bytes);
      },
      reject(reason) {
        settle();
        reject(reason);
      },
    };
    thread.sent += 1;
    if (limitMs !== null) timer = watch(thread, limitMs, (next) => void (timer = next));
    thread.worker.postMessage(message, message instanceof Uint8Array ? [message.buffer] : []);
  });
}

/** Closes the thread cleanly, so that the next start need not replay what it wrote. */
export async function closeThread(thread: Thread): Promise<void> {
  thread.ending = 'close';
  const timer = setTimeout(() => void thread.worker.terminate(), CLOSE_MS);
  const over = new Promise<void>((resolve) => thread.worker.once('exit', () => resolve()));
  thread.worker.postMessage('close' satisfies ToEngine);
  await over;
  clearTimeout(timer);
}

/** Whether the thread has finished everything that was sent to it, even if the answer has not yet arrived. */
export function isFinished({ signals, sent }: Thread): boolean {
  return Atomics.load(signals, SIGNALS.finished) >= sent;
}

/**
 * Terminates the thread when its current pipeline has used up `limitMs`. Returns the timer to clear when the pipeline is done;
 * `onTimer` receives each timer that replaces it.
 */
function watch(thread: Thread, limitMs: number, onTimer: (timer: NodeJS.Timeout | null) => void): NodeJS.Timeout {
  const pipeline = thread.sent;
  const began = performance.now();
  const isOver = (): boolean => thread.sent !== pipeline || thread.pending === null;
  const hasAnswered = (): boolean => Atomics.load(thread.signals, SIGNALS.finished) >= pipeline;
  /** CPU time used, in milliseconds; 0 if the thread does not report it, which counts as waiting for CPU. */
  const used = async (): Promise<number> => {
    const timeout = new Promise<null>((resolve) => setTimeout(() => resolve(null), USAGE_TIMEOUT_MS).unref());
    const usage = await Promise.race([thread.worker.cpuUsage(), timeout]).catch(() => null);
    return usage ? (usage.user + usage.system) / 1000 : 0;
  };
  let earlier: { readonly at: number; readonly used: number } | null = null;
  const check = async (): Promise<void> => {
    const now = performance.now();
    const cpu = await used();
    if (isOver()) return;
    if (hasAnswered()) return onTimer(setTimeout(() => void check(), ARRIVAL_MS));
    const starved = earlier === null || (cpu - earlier.used) / (now - earlier.at) < STARVED_SHARE;
    const remainingMs = limitMs * (starved ? 2 : 1) - (performance.now() - began);
    earlier ??= { at: now, used: cpu };
    if (remainingMs > 0) return onTimer(setTimeout(() => void check(), Math.min(remainingMs, limitMs / 2)));
    thread.ending = 'stop';
    await thread.worker.terminate();
  };
  // Checks at half of the limit first, so that the check at the end has a CPU measurement to compare with.
  return setTimeout(() => void check(), limitMs / 2);
}
