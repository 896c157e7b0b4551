import { type ChildProcess, fork } from 'node:child_process';
import type { PictureAnswer, PictureJob } from './jobs.ts';

/** Processes that decode pictures, two at a time. Further jobs wait in a queue. */
export type PicturePool = {
  /** Jobs that wait for a process. */
  readonly queue: Waiting[];
  /** Processes without a job. */
  readonly idle: Idle[];
  running: number;
  closed: boolean;
};
/** A process without a job, and the timer that ends it. */
type Idle = { readonly child: ChildProcess; readonly end: NodeJS.Timeout };
type Waiting = {
  readonly job: PictureJob;
  readonly resolve: (bytes: Uint8Array | null) => void;
  readonly reject: (error: Error) => void;
};

const WORKERS = 2;
const TIMEOUT_MS = 20_000;
const IDLE_MS = 60_000;

export const createPicturePool = (): PicturePool => ({ queue: [], idle: [], running: 0, closed: false });

/** Runs a job. Returns null if the picture cannot be decoded. Rejects if the pool closes first. */
export function runJob(pool: PicturePool, job: PictureJob): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    pool.queue.push({ job, resolve, reject });
    startNext(pool);
  });
}

/** Ends idle processes and rejects waiting jobs with `error`. Running jobs finish. */
export function closePool(pool: PicturePool, error: Error): void {
  pool.closed = true;
  for (const waiting of pool.queue.splice(0)) waiting.reject(error);
  for (const { child, end } of pool.idle.splice(0)) {
    clearTimeout(end);
    child.kill();
  }
}

function startNext(pool: PicturePool): void {
  const waiting = pool.running < WORKERS ? pool.queue.shift() : undefined;
  if (!waiting) return;
  pool.running += 1;
  void runWaiting(pool, waiting.job).then((bytes) => {
    pool.running -= 1;
    waiting.resolve(bytes);
    startNext(pool);
  });
}

/**
 * Runs a job in an idle process or, if there is none, in a new one. An idle process may be about to end, because it was idle for too long
 * or still holds the memory of a large picture. Its end therefore says nothing about this picture, and the job runs once more, in a new
 * process. If a new process ends, the picture is the cause.
 */
async function runWaiting(pool: PicturePool, job: PictureJob): Promise<Uint8Array | null> {
  const idle = pool.idle.pop();
  clearTimeout(idle?.end);
  const answer = idle && (await runIn(pool, idle.child, job));
  if (answer === undefined || answer === 'ended') {
    const last = await runIn(pool, startProcess(), job);
    return typeof last === 'string' ? null : last;
  }
  return answer === 'late' ? null : answer;
}

/**
 * Runs a job in a process. Returns `late` if the process was stopped after `TIMEOUT_MS`, and `ended` if it ended before it had answered.
 */
function runIn(pool: PicturePool, child: ChildProcess, job: PictureJob): Promise<Uint8Array | null | 'late' | 'ended'> {
  child.ref();
  child.channel?.ref();
  child.removeAllListeners('exit');
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, TIMEOUT_MS);
    const end = (): void => {
      clearTimeout(timer);
      child.removeAllListeners('message');
      child.removeAllListeners('exit');
    };
    const onExit = (): void => {
      end();
      resolve(isLate ? 'late' : 'ended');
    };
    child.once('exit', onExit);
    child.once('message', (answer: PictureAnswer) => {
      end();
      returnToPool(pool, child);
      resolve(answer.bytes);
    });
    if (child.exitCode !== null || child.signalCode !== null) onExit();
    else
      child.send(job, (error) => {
        if (error) child.kill('SIGKILL');
      });
  });
}

function startProcess(): ChildProcess {
  const child = fork(new URL('./worker.ts', import.meta.url), {
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=128', '--disable-warning=ExperimentalWarning'],
    // The environment is empty, so that no secret reaches the decoders.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('error', () => undefined); // 'exit' follows and is handled
  return child;
}

/** Keeps a process idle for the next picture, for a limited time and without keeping the server alive. */
function returnToPool({ idle, closed }: PicturePool, child: ChildProcess): void {
  if (closed || !child.connected) return void child.kill();
  const leave = (): void => {
    clearTimeout(own.end);
    const at = idle.indexOf(own);
    if (at >= 0) idle.splice(at, 1);
  };
  const end = setTimeout(() => {
    leave();
    child.kill();
  }, IDLE_MS);
  end.unref();
  const own: Idle = { child, end };
  child.once('exit', leave);
  child.unref();
  child.channel?.unref();
  idle.push(own);
}
