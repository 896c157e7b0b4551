import { type ChildProcess, fork } from 'node:child_process';
import type { PictureDecoder } from '#server/providers/ports.ts';
import { collect } from '../body.ts';
import { StorageRefusal, storageErrors } from '../errors.ts';
import type { PictureAnswer, PictureJob } from './jobs.ts';

/** Decodes, transforms and encodes pictures in separate processes. */
export type Pictures = PictureDecoder & {
  /** Throws `StorageRefusal` when the bytes are no picture or too large to decode, and when the queue is full. */
  make(job: PictureJob): Promise<Uint8Array>;
  /** Re-encodes a picture of at most `maxBytes` as an upright JPEG without metadata. */
  reencode(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array>;
  close(): void;
};

/** The job for stored photos: pixels without metadata. */
const REENCODE = { formats: ['jpeg', 'png', 'webp'], resize: null, output: 'jpeg', quality: 90 } as const;
const WORKERS = 2;
const WAITING_MAX = 64;
const TIMEOUT_MS = 20_000;
const IDLE_MS = 60_000;
/** The most bytes of pictures being received or queued; beyond it callers get 503. */
const MEMORY_MAX = 128 * 1024 * 1024;

type Waiting = { job: PictureJob; settle: (bytes: Uint8Array | null) => void; fail: (error: Error) => void };

export function createPictures(): Pictures {
  const idle: ChildProcess[] = [];
  const queue: Waiting[] = [];
  let running = 0;
  let reserved = 0;
  let closed = false;

  function start(): ChildProcess {
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

  function next(): void {
    const waiting = running < WORKERS ? queue.shift() : undefined;
    if (!waiting) return;
    running += 1;
    const child = idle.pop() ?? start();
    child.ref();
    child.channel?.ref();
    child.removeAllListeners('exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    const settle = (bytes: Uint8Array | null): void => {
      clearTimeout(timer);
      child.removeAllListeners('message');
      child.removeAllListeners('exit');
      running -= 1;
      waiting.settle(bytes);
      next();
    };
    child.once('exit', () => settle(null));
    child.once('message', (answer: PictureAnswer) => {
      settle(answer.bytes);
      park(child);
    });
    child.send(waiting.job, (error) => {
      if (error) child.kill('SIGKILL');
    });
  }

  /** Keeps the process idle for the next picture, for a limited time and without keeping the server alive. */
  function park(child: ChildProcess): void {
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

  async function make(job: PictureJob): Promise<Uint8Array> {
    if (closed || queue.length >= WAITING_MAX) throw storageErrors.busy();
    const bytes = await new Promise<Uint8Array | null>((settle, fail) => {
      queue.push({ job, settle, fail });
      next();
    });
    if (bytes === null) throw storageErrors.picture();
    return bytes;
  }

  /** Runs `work` with `bytes` of memory reserved; refuses when there is too little. */
  async function withMemory(bytes: number, work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    if (reserved + bytes > MEMORY_MAX) throw storageErrors.busy();
    reserved += bytes;
    try {
      return await work();
    } finally {
      reserved -= bytes;
    }
  }

  return {
    make,
    reencode: (source, maxBytes) =>
      withMemory(maxBytes, async () => make({ ...REENCODE, bytes: await collect(source, maxBytes) })),
    repack(bytes, edge) {
      const resize = { width: edge, height: edge, fit: 'inside' } as const;
      return withMemory(bytes.byteLength, () => make({ ...REENCODE, bytes, resize })).catch((error: unknown) => {
        if (!(error instanceof StorageRefusal)) throw error;
        return error.status === 503 ? 'busy' : 'unreadable';
      });
    },
    close() {
      closed = true;
      for (const waiting of queue.splice(0)) waiting.fail(storageErrors.busy());
      for (const child of idle.splice(0)) child.kill();
    },
  };
}
