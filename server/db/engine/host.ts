import { SIGNALS, type ToEngine } from './signals.ts';
import {
  closeThread,
  type CreateWorker,
  EngineLost,
  isFinished,
  send,
  startThread,
  StatementStopped,
  type Thread,
} from './engine-thread.ts';

export type EngineHost = {
  /** The number of the current worker. A new worker has neither the prepared statements nor the transaction of the old one. */
  generation(): number;
  isUp(): boolean;
  /** Waits until the engine accepts statements. Throws `EngineLost` if it cannot be restarted. */
  ready(): Promise<void>;
  /**
   * Sends the bytes of one pipeline, transferring them, and returns the engine's answer. Call it for one pipeline at a time and only while
   * the engine is up. After `limitMs` it terminates and restarts the engine and throws `StatementStopped`; it throws `EngineLost` if the
   * engine exits unexpectedly.
   */
  run(bytes: Uint8Array<ArrayBuffer>, limitMs: number | null): Promise<Uint8Array>;
  /** Terminates an engine after an incomplete answer; a new one starts. */
  abandon(): Promise<void>;
  /** A snapshot of the whole database. */
  image(): Promise<Blob>;
  /** Closes the worker cleanly and starts another, which frees memory. Call it only between pipelines. */
  recycle(): Promise<void>;
  heapMegabytes(): number;
  /** Closes the engine permanently. Call it only between pipelines. */
  close(): Promise<void>;
};

export type HostOptions = {
  readonly location: string | Blob | null;
  /** Whether every commit waits until it is on disk. */
  readonly sync?: boolean;
  /** Prepares a new engine before its first statement. */
  readonly prepare: (run: EngineHost['run']) => Promise<void>;
  /** Called after a new engine has replaced the old one, whose notifications may be lost. */
  readonly replaced: () => void;
  readonly warn: (line: string) => void;
  /** Called once when the engine cannot be restarted. */
  readonly broken: (error: Error) => void;
  readonly createWorker?: CreateWorker | undefined;
};

/** The number of consecutive failed attempts to open the engine after which the server gives up. */
const OPENS_MAX = 3;
/** The number of consecutive unexpected exits, without an answered statement, after which the server gives up. */
const CRASHES_MAX = 10;
const RETRY_MS = 250;

type Host = {
  readonly options: HostOptions;
  thread: Thread | null;
  /** Pending while a thread is being replaced. */
  opening: Promise<void> | null;
  generation: number;
  /** The number of consecutive unexpected exits without an answered statement. */
  crashes: number;
  /** Set when the engine cannot be restarted any more: the reason. */
  gone: EngineLost | null;
};

/** Opens the engine in a worker thread and keeps one running. Throws if the first one does not open. */
export async function startEngine(options: HostOptions): Promise<EngineHost> {
  const host: Host = { options, thread: null, opening: null, generation: 0, crashes: 0, gone: null };
  await open(host);
  return {
    generation: () => host.generation,
    isUp: () => host.thread !== null && host.opening === null,
    async ready() {
      if (host.gone) throw host.gone;
      await host.opening;
    },
    run: (bytes, limitMs) => runOn(host, runningThread(host), bytes, limitMs),
    async abandon() {
      await host.thread?.worker.terminate();
    },
    async image() {
      const bytes = await runOn(host, runningThread(host), 'image', null);
      return new Blob([Buffer.from(bytes)]);
    },
    async recycle() {
      await replaceBy(
        host,
        closeThread(runningThread(host)).then(() => restart(host)),
      );
    },
    heapMegabytes: () => (host.thread ? Atomics.load(host.thread.signals, SIGNALS.heapMegabytes) : 0),
    async close() {
      await host.opening?.catch(() => undefined);
      host.gone ??= new EngineLost('the database is closed');
      if (host.thread) await closeThread(host.thread);
    },
  };
}

/** Returns the thread that takes statements. Throws `EngineLost` if there is none. */
function runningThread({ gone, thread, opening }: Host): Thread {
  if (gone) throw gone;
  if (!thread || opening) throw new EngineLost('the database engine is restarting');
  return thread;
}

async function runOn(host: Host, thread: Thread, message: ToEngine, limitMs: number | null): Promise<Uint8Array> {
  const bytes = await send(thread, message, limitMs);
  if (thread.usable) host.crashes = 0;
  return bytes;
}

/** Starts a thread and prepares its engine. */
async function open(host: Host): Promise<void> {
  const { location, prepare, sync = false } = host.options;
  const thread = await startThread(
    { location, sync, existing: host.generation > 0 },
    {
      opened(started) {
        host.thread = started;
        host.generation += 1;
      },
      ended: (ended, reason) => handleExit(host, ended, reason),
      create: host.options.createWorker,
    },
  );
  await prepare((bytes, limitMs) => runOn(host, thread, bytes, limitMs)).catch(async (error: unknown) => {
    thread.ending = 'close';
    await thread.worker.terminate();
    throw error;
  });
  thread.usable = true;
}

/** Rejects the pending pipeline of a thread that has exited, and starts a new engine unless the exit was intended. */
function handleExit(host: Host, thread: Thread, reason: string): void {
  if (host.thread !== thread) return;
  host.thread = null;
  const { pending, ending } = thread;
  if (ending === 'close') return;
  if (!thread.usable) return pending?.reject(new EngineLost(reason));
  const { location, warn } = host.options;
  const stopped = ending === 'stop' && !isFinished(thread);
  if (!stopped) {
    host.crashes += 1;
    warn(`the database engine exited unexpectedly: ${reason}`);
  }
  if (location === null || location instanceof Blob)
    giveUp(host, 'the in-memory database engine exited and its data is lost');
  else void replaceBy(host, restart(host)).catch(() => undefined);
  pending?.reject(stopped ? new StatementStopped() : new EngineLost('the database engine exited during a statement'));
}

/** Makes statements wait for `opening`. Callers of `ready` get its error. */
function replaceBy(host: Host, opening: Promise<void>): Promise<void> {
  host.opening = opening;
  opening.catch(() => undefined);
  return opening;
}

/** Opens another engine after the old one has exited. Throws `EngineLost` after too many attempts. */
async function restart(host: Host): Promise<void> {
  const { warn, replaced } = host.options;
  for (let failed = 0; ; failed += 1) {
    if (failed >= OPENS_MAX || host.crashes >= CRASHES_MAX)
      throw giveUp(host, 'the database engine cannot be restarted');
    if (failed > 0) await new Promise((resolve) => setTimeout(resolve, RETRY_MS * failed));
    try {
      await open(host);
      break;
    } catch (error) {
      warn(`the database engine did not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  host.opening = null;
  replaced();
}

function giveUp(host: Host, reason: string): EngineLost {
  host.gone = new EngineLost(reason);
  host.options.broken(host.gone);
  return host.gone;
}
