import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { readSchema } from '#server/db/schema/schema.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { openPostgres } from '#server/db/postgres/open-postgres.ts';
import { createMigratedDatabase, type TestDatabase } from '#tests/support/postgres.ts';
import { createLeasedLimit, takeBatches } from './leased-limit.ts';
import { createLimits, type TakeLimit } from './limits.ts';

const DATABASE = new URL('../../database/', import.meta.url).pathname;
const LIMIT = { name: 'test', max: 5, seconds: 60 };
const START = Date.parse('2026-05-01T00:00:00Z');
let db: Database;
let own: TestDatabase | null;
let now = START;

function limits(factor = 1): TakeLimit {
  return createLimits({ queryRow: (text, values) => db.queryRow(text, values), clock: () => new Date(now), factor });
}

beforeAll(async () => {
  const options = {
    schema: await readSchema(DATABASE),
    report: () => undefined,
    warn: () => undefined,
  };
  own = await createMigratedDatabase();
  db = own ? await openPostgres(own.url, { ...options, poolSize: 16 }) : await openEmbedded(null, options);
});
afterAll(async () => {
  await db.close();
  await own?.drop();
});

test('admits as many as the limit says, then returns the seconds until the next unit', async () => {
  const take = limits();
  for (let n = 0; n < 5; n += 1) expect(await take(LIMIT, 'a')).toBeNull();
  expect(await take(LIMIT, 'a')).toBe(12);
  now += 11_000;
  expect(await take(LIMIT, 'a')).toBe(1);
  now += 1_000;
  expect(await take(LIMIT, 'a')).toBeNull();
  expect(await take(LIMIT, 'a')).toBe(12);
});

test('counts each key and each limit separately', async () => {
  const take = limits();
  for (let n = 0; n < 5; n += 1) await take(LIMIT, 'b');
  expect(await take(LIMIT, 'b')).not.toBeNull();
  expect(await take(LIMIT, 'c')).toBeNull();
  expect(await take({ ...LIMIT, name: 'other' }, 'b')).toBeNull();
});

test('is full again after its time, and never above its maximum', async () => {
  const take = limits();
  await take(LIMIT, 'd');
  now += 3_600_000;
  for (let n = 0; n < 5; n += 1) expect(await take(LIMIT, 'd')).toBeNull();
  expect(await take(LIMIT, 'd')).not.toBeNull();
});

test('a limit of one in a minute admits one in a minute', async () => {
  const take = limits();
  const once = { name: 'once', max: 1, seconds: 60 };
  expect(await take(once, 'e')).toBeNull();
  expect(await take(once, 'e')).toBe(60);
  now += 59_000;
  expect(await take(once, 'e')).toBe(1);
  now += 1_000;
  expect(await take(once, 'e')).toBeNull();
});

test('admits exactly as many of 200 concurrent requests as the limit says, on two connections', async () => {
  const takers = [limits(4), limits(4)];
  const answers = await Promise.all(Array.from({ length: 200 }, async (_, n) => takers[n % 2]?.(LIMIT, 'f')));
  expect(answers.filter((wait) => wait === null)).toHaveLength(20);
});

test('a key may contain any characters', async () => {
  const take = limits();
  expect(await take(LIMIT, `ip:'; drop table private.rate_bucket; --`)).toBeNull();
  expect(await take(LIMIT, 'x'.repeat(2_000))).toBeNull();
});

test('four processes that take batches of one limit admit exactly as many as it says, then return the same wait', async () => {
  const limit = { name: 'shared', max: 100, seconds: 60 };
  const clock = () => new Date(now);
  const take = takeBatches({ queryRow: (text, values) => db.queryRow(text, values), clock, factor: 1 });
  const processes = Array.from({ length: 4 }, () => createLeasedLimit({ limit, take, clock }));
  const askAll = () =>
    Promise.all(processes.flatMap((completeSignIn) => Array.from({ length: 100 }, () => completeSignIn('ip:a'))));
  const waits = await askAll();
  expect(waits.filter((wait) => wait === null)).toHaveLength(100);
  expect(new Set(waits)).toEqual(new Set([null, 1]));
  now += 60_000;
  const later = await askAll();
  expect(later.filter((wait) => wait === null)).toHaveLength(100);
});

test('a batch is no larger than the rest of the limit, which refills unit by unit', async () => {
  const clock = () => new Date(now);
  const take = takeBatches({ queryRow: (text, values) => db.queryRow(text, values), clock, factor: 1 });
  expect(await take(LIMIT, 'share', 3)).toEqual({ granted: 3, wait: null });
  expect(await take(LIMIT, 'share', 3)).toEqual({ granted: 2, wait: null });
  expect(await take(LIMIT, 'share', 3)).toEqual({ granted: 0, wait: 12 });
  now += 11_000;
  expect(await take(LIMIT, 'share', 3)).toEqual({ granted: 0, wait: 1 });
  now += 1_000;
  expect(await take(LIMIT, 'share', 3)).toEqual({ granted: 1, wait: null });
});
