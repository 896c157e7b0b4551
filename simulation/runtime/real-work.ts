import crypto from 'node:crypto';
import fs from 'node:fs/promises';
import zlib from 'node:zlib';

/**
 * Work of the operating system and of other threads: files, web cryptography, compiling. It takes real time, so its results would arrive in
 * a random order. They are kept until the loop of the simulation delivers them, one at a time and in the order in which the work was started.
 */
type Piece = { isDone: boolean; readonly deliver: () => void };
const pieces: Piece[] = [];

/** Whether work is in progress or its result has not been delivered. */
export const hasRealWork = (): boolean => pieces.length > 0;

/** Delivers the result of the oldest piece of work, if all pieces are done. Returns whether it did. */
export function deliverRealWork(): boolean {
  if (pieces.length === 0 || pieces.some(({ isDone }) => !isDone)) return false;
  pieces.shift()?.deliver();
  return true;
}

type AsyncFunction = (...args: never[]) => Promise<unknown>;

/** Wraps a function so that its result is delivered by the loop of the simulation. */
function inOrder<F extends AsyncFunction>(work: F): F {
  const ordered = function (this: unknown, ...args: never[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let outcome = (): void => undefined;
      const piece: Piece = { isDone: false, deliver: () => outcome() };
      pieces.push(piece);
      const end = (settle: () => void): void => {
        outcome = settle;
        piece.isDone = true;
      };
      work.apply(this, args).then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error)),
      );
    });
  };
  // Cast: it has the parameters and the result of `work`.
  return ordered as unknown as F;
}

const FILE_CALLS = ['readFile', 'writeFile', 'mkdir', 'rm', 'stat', 'readdir', 'rename', 'link', 'unlink'] as const;
const CRYPTO_CALLS = [
  'sign',
  'verify',
  'digest',
  'importKey',
  'exportKey',
  'generateKey',
  'deriveBits',
  'encrypt',
  'decrypt',
] as const;

/** Replaces the functions of Node that use other threads. The caller must make the change visible to ES modules. */
export function ownRealWork(): void {
  for (const name of FILE_CALLS) Object.assign(fs, { [name]: inOrder(fs[name] as AsyncFunction) });
  const subtle = Object.getPrototypeOf(crypto.webcrypto.subtle) as Record<string, AsyncFunction>;
  for (const name of CRYPTO_CALLS) {
    const work = subtle[name];
    if (work) Object.defineProperty(subtle, name, { value: inOrder(work), writable: true, configurable: true });
  }
  // The free space of this machine must not matter.
  const statfs = () => Promise.resolve({ bsize: 4_096, blocks: 2 ** 28, bfree: 2 ** 27, bavail: 2 ** 27 });
  Object.assign(fs, { statfs });
  const { gzipSync } = zlib;
  type Done = (error: Error | null, bytes: Buffer) => void;
  const gzip = (bytes: Uint8Array, options: zlib.ZlibOptions | Done, done?: Done): void => {
    const callback = typeof options === 'function' ? options : done;
    const compressed = gzipSync(bytes, typeof options === 'function' ? {} : options);
    queueMicrotask(() => callback?.(null, compressed));
  };
  Object.assign(zlib, { gzip });
  const compile = inOrder(WebAssembly.compile);
  Object.assign(WebAssembly, { compile });
}
