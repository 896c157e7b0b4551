import { type ChildProcess, fork } from 'node:child_process';
import type { PictureDecoder } from '#server/providers/ports.ts';
import { collect } from '../body.ts';
import { StorageRefusal, storageErrors } from '../errors.ts';
import type { PictureAnswer, PictureJob } from './jobs.ts';

/** Unpacks, changes and packs pictures, away from the server's own memory. */
export type Pictures = PictureDecoder & {
  /** Throws `StorageRefusal` for what is no picture, what is too large to unpack, and when too many wait. */
  make(job: PictureJob): Promise<Uint8Array>;
  /** A picture of at most `most` bytes as JPEG, upright, without metadata: what is kept is pixels. */
  reencode(bytes: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array>;
  close(): void;
};

/** A photo as it is kept: pixels and nothing else. */
const PLAIN = { formats: ['jpeg', 'png', 'webp'], resize: null, output: 'jpeg', quality: 90 } as const;
const WORKERS = 2;
const WAITING_MAX = 64;
const PATIENCE_MS = 20_000;
const IDLE_MS = 60_000;
/** Bytes of pictures that are coming and waiting; who comes when it is full is asked to come again. */
const ROOM = 128 * 1024 * 1024;

type Waiting = { job: PictureJob; settle: (bytes: Uint8Array | null) => void; fail: (error: Error) => void };

export function createPictures(): Pictures {
  const idle: ChildProcess[] = [];
  const queue: Waiting[] = [];
  let running = 0;
  let taken = 0;
  let closed = false;

  function start(): ChildProcess {
    const child = fork(new URL('./worker.ts', import.meta.url), {
      serialization: 'advanced',
      execArgv: ['--max-old-space-size=128', '--disable-warning=ExperimentalWarning'],
      // It is told nothing of ours.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('error', () => undefined); // its end is heard as 'exit'
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
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
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
      rest(child);
    });
    child.send(waiting.job, (error) => {
      if (error) child.kill('SIGKILL');
    });
  }

  /** Waits for the next picture, but not for ever, and keeps nobody from stopping. */
  function rest(child: ChildProcess): void {
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

  /** Does something with a picture of at most `most` bytes while there is room for them. */
  async function within(most: number, work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    if (taken + most > ROOM) throw storageErrors.busy();
    taken += most;
    try {
      return await work();
    } finally {
      taken -= most;
    }
  }

  return {
    make,
    reencode: (source, most) => within(most, async () => make({ ...PLAIN, bytes: await collect(source, most) })),
    repack(bytes, edge) {
      const resize = { width: edge, height: edge, fit: 'inside' } as const;
      return within(bytes.byteLength, () => make({ ...PLAIN, bytes, resize })).catch((error: unknown) => {
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
