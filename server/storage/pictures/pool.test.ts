import { once } from 'node:events';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PictureJob } from './jobs.ts';
import { closePool, createPicturePool, type PicturePool, runJob } from './pool.ts';

let pool: PicturePool;
let job: PictureJob;
beforeEach(async () => {
  pool = createPicturePool();
  const photo = sharp({ create: { width: 40, height: 20, channels: 3, background: '#123' } });
  job = { bytes: await photo.png().toBuffer(), formats: ['png'], resize: null, output: 'jpeg' };
});
afterEach(() => {
  vi.useRealTimers();
  closePool(pool, new Error('closed'));
});

test('a picture is made in a new process when the idle one has just ended', async () => {
  await runJob(pool, job);
  const child = pool.idle[0]?.child;
  child?.kill('SIGKILL');
  expect((await runJob(pool, job))?.byteLength).toBeGreaterThan(100);
  expect(pool.idle.some((entry) => entry.child === child)).toBe(false);
});

test('a process that has work again is not ended by the timer of its last pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await runJob(pool, job);
  const child = pool.idle[0]?.child;
  const work = runJob(pool, job);
  vi.advanceTimersByTime(15_000);
  await work;
  vi.advanceTimersByTime(50_000);
  expect([child?.killed, pool.idle.map((entry) => entry.child === child)]).toEqual([false, [true]]);
});

test('a process ends after a minute without work, and is not given another picture', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await runJob(pool, job);
  const child = pool.idle[0]?.child;
  vi.advanceTimersByTime(61_000);
  expect(pool.idle).toEqual([]);
  if (child) await once(child, 'exit');
  expect(child?.killed).toBe(true);
});
