import { type ChildProcess, fork } from 'node:child_process';
import type { PictureAnswer, PictureJob } from './jobs.ts';

/** Processes that decode pictures, two at a time; jobs beyond that wait in a queue. */
export type PicturePool = {
  /** The jobs that wait for a process. */
  readonly queue: Waiting[];
  /** Processes without a job. */
  readonly idle: ChildProcess[];
  running: number;
  closed: boolean;
};
type Waiting = {
  readonly job: PictureJob;
  readonly resolve: (bytes: Uint8Array | null) => void;
  readonly reject: (error: Error) => void;
};

const WORKERS = 2;
const TIMEOUT_MS = 20_000;
const IDLE_MS = 60_000;

export const createPicturePool = (): PicturePool => ({ queue: [], idle: [], running: 0, closed: false });

/** Runs a job; null when the picture cannot be decoded. Rejects when the pool closes first. */
export function runJob(pool: PicturePool, job: PictureJob): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    pool.queue.push({ job, resolve, reject });
    startNext(pool);
  });
}

/** Ends idle processes and rejects waiting jobs with `error`. Running jobs end by themselves. */
export function closePool(pool: PicturePool, error: Error): void {
  pool.closed = true;
  for (const waiting of pool.queue.splice(0)) waiting.reject(error);
  for (const child of pool.idle.splice(0)) child.kill();
}

function startNext(pool: PicturePool): void {
  const waiting = pool.running < WORKERS ? pool.queue.shift() : undefined;
  if (!waiting) return;
  pool.running += 1;
  const child = pool.idle.pop() ?? startProcess();
  child.ref();
  child.channel?.ref();
  child.removeAllListeners('exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  const settle = (bytes: Uint8Array | null): void => {
    clearTimeout(timer);
    child.removeAllListeners('message');
    child.removeAllListeners('exit');
    pool.running -= 1;
    waiting.resolve(bytes);
    startNext(pool);
  };
  child.once('exit', () => settle(null));
  child.once('message', (answer: PictureAnswer) => {
    settle(answer.bytes);
    returnToPool(pool, child);
  });
  child.send(waiting.job, (error) => {
    if (error) child.kill('SIGKILL');
  });
}

function startProcess(): ChildProcess {
  const child = fork(new URL('./worker.ts', import.meta.url), {
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=128', '--disable-warning=ExperimentalWarning'],
    // No environment: no secret of ours reaches the decoders.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('error', () => undefined); // 'exit' follows and is handled
  return child;
}

/** Keeps a process idle for the next picture, for a limited time and without keeping the server alive. */
function returnToPool({ idle, closed }: PicturePool, child: ChildProcess): void {
  if (closed || !child.connected) return void child.kill();
  const timer = setTimeout(() => child.kill(), IDLE_MS);
  timer.unref();
  child.once('exit', () => {
    clearTimeout(timer);
    const at = idle.indexOf(child);
    if (at >= 0) idle.splice(at, 1);
  });
  child.unref();
  child.channel?.unref();
  idle.push(child);
}
