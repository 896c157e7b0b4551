import crypto from 'node:crypto';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import FakeTimers from '@sinonjs/fake-timers';
import { createRandom } from './random.ts';
import { ownRealWork } from './real-work.ts';

/** The real functions, for the loop of the simulation and for measuring its speed. */
export const real = { setImmediate, now: performance.now.bind(performance), exit: process.exit.bind(process) };

export type FakeClock = ReturnType<typeof FakeTimers.install>;

/**
 * Replaces the clock, the timers and the randomness of this process. Call it before any other module is imported: modules keep what they
 * find when they are loaded.
 */
export function ownGlobals(seed: number, start: Date): FakeClock {
  const clock = FakeTimers.install({
    now: start,
    toFake: [
      ...(['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
      ...(['setImmediate', 'clearImmediate', 'performance', 'hrtime'] as const),
    ],
    loopLimit: 1_000_000,
  });
  ownRandomness(seed);
  ownPasswords();
  ownRealWork();
  const signalAfter = (milliseconds: number): AbortSignal => {
    const controller = new AbortController();
    const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    setTimeout(() => controller.abort(late), milliseconds);
    return controller.signal;
  };
  Object.assign(AbortSignal, { timeout: signalAfter });
  const began = clock.now;
  Object.assign(process, { uptime: () => (clock.now - began) / 1000 });
  syncBuiltinESMExports();
  return clock;
}

/** The database engine asks the same functions, so its random values follow the seed too. */
function ownRandomness(seed: number): void {
  const random = createRandom(seed, 'program');
  const fill = <T extends ArrayBufferView>(target: T): T => {
    random.fill(new Uint8Array(target.buffer, target.byteOffset, target.byteLength));
    return target;
  };
  const randomBytes = (size: number, done?: (error: null, bytes: Buffer) => void): Buffer | undefined => {
    const bytes = fill(Buffer.alloc(size));
    if (!done) return bytes;
    queueMicrotask(() => done(null, bytes));
    return undefined;
  };
  const randomFillSync = (target: Buffer, offset = 0, size = target.byteLength - offset): Buffer => {
    random.fill(new Uint8Array(target.buffer, target.byteOffset + offset, size));
    return target;
  };
  const randomInt = (low: number, high?: number): number =>
    high === undefined ? random.below(low) : low + random.below(high - low);
  const randomUUID = (): string => {
    const bytes = fill(Buffer.alloc(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  };
  Object.assign(crypto, { randomBytes, randomFillSync, randomInt, randomUUID });
  for (const target of [crypto.webcrypto, Object.getPrototypeOf(crypto.webcrypto) as object]) {
    Object.defineProperty(target, 'getRandomValues', { value: fill, configurable: true, writable: true });
    Object.defineProperty(target, 'randomUUID', { value: randomUUID, configurable: true, writable: true });
  }
  Math.random = random.next;
}

/** Replaces argon2id, which takes 20 ms in another thread, with a digest of the same form. */
function ownPasswords(): void {
  const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as Record<string, unknown>;
  const digest = (password: string): string =>
    `$argon2id$v=19$m=19456,t=2,p=1$c2ltdWxhdGlvbg$${crypto.createHash('sha256').update(password).digest('base64url')}`;
  const verify = (stored: string, password: string): Promise<boolean> => Promise.resolve(stored === digest(password));
  Object.assign(argon2, { hash: (password: string) => Promise.resolve(digest(password)), verify });
}
