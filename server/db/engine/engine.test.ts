import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'pg-protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migratedFolder, migratedImage } from '#tests/support/image.ts';
import { withinRequest } from '../request-scope.ts';
import { createPglite, type Embedded, type PgliteOptions } from './pglite.ts';
import { startEngine } from './host.ts';
import { startMaintenance } from './maintenance.ts';

let root: string;
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'engine-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function newFolder(): Promise<string> {
  const folder = join(root, String((folders += 1)));
  await migratedFolder(folder);
  return folder;
}
const getCode = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  );
const BURNING =
  'select count(*) from generate_series(1, 1000) a, generate_series(1, 1000) b, generate_series(1, 1000) c, generate_series(1, 1000) d';

/** Bytes that are not a protocol message: the engine never answers them. */
const SILENCE = (): Uint8Array<ArrayBuffer> => new Uint8Array([0xff, 0, 0, 0, 4]);

test('with sync the engine asks for every commit on the disk, and what it wrote is there when it opens again', async () => {
  const folder = await newFolder();
  const first = await createPglite(folder, { sync: true });
  expect(first.durability).toBe('pglite-synced');
  expect(await first.queryRow('show fsync')).toEqual({ fsync: 'on' });
  await first.query('create table public.synced (n int)');
  await first.query('insert into public.synced values (1)');
  await first.close();
  const second = await createPglite(folder);
  expect(await second.queryRow('show fsync')).toEqual({ fsync: 'off' });
  expect(await second.queryRow('select n from public.synced')).toEqual({ n: 1 });
  await second.close();
}, 120_000);

describe('the embedded engine in a folder', { timeout: 240_000 }, () => {
  let db: Embedded;
  const warned: string[] = [];
  beforeAll(async () => {
    const options: PgliteOptions = { limits: { server: 2_000 }, warn: (line) => void warned.push(line) };
    db = await createPglite(await newFolder(), options);
    await db.query('create table public.engine_note (n int primary key)');
  }, 120_000);
  afterAll(() => db.close());

  describe('reads that share a message', () => {
    const PAIRS =
      'select count(*)::int / $1::int as n from generate_series(1, $2::int) a, generate_series(1, $2::int) b';
    const read = async (caller: string, divisor: number, size: number): Promise<number | undefined> => {
      const principal = { role: 'anon', claims: '{}', caller, settings: { transaction_read_only: 'on' } };
      return (await db.as<{ n: number }>(principal, PAIRS, [divisor, size])).rows[0]?.n;
    };
    beforeAll(async () => {
      for (let index = 0; index < 8; index += 1) await read('ip:known', 1, 2);
    });

    test('each get their own answer, and one that fails leaves the others alone', async () => {
      const reads = Array.from({ length: 12 }, (_, index) => read(`ip:${index}`, index === 5 ? 0 : 1, index + 1));
      const outcomes = (await Promise.allSettled(reads)).map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value : 'failed',
      );
      expect(outcomes).toEqual([1, 4, 9, 16, 25, 'failed', 49, 64, 81, 100, 121, 144]);
    });

    test('one that exceeds its time is stopped alone and counts for its caller only', async () => {
      const before = warned.length;
      const others = Array.from({ length: 6 }, (_, index) => `ip:other ${index}`);
      const [first, ...reads] = others.map((caller) => read(caller, 1, 3));
      const slow = getCode(read('ip:slow', 1, 1_000_000));
      expect(await Promise.all([first, ...reads, ...others.map((caller) => read(caller, 1, 3))])).toEqual(
        Array.from({ length: 12 }, () => 9),
      );
      expect(await slow).toBe('57014');
      expect(warned.slice(before).filter((line) => line.startsWith('stopped'))).toEqual([
        'stopped a statement of ip:slow at its time limit',
      ]);
    });
  });

  test('rolls back a transaction that stays idle too long and then serves the next statement', async () => {
    const { promise: never, resolve } = Promise.withResolvers<void>();
    let late = '';
    const stuck = db.transaction(async ({ query }) => {
      await query('insert into public.engine_note values (1)');
      await never;
      late = await getCode(query('insert into public.engine_note values (2)'));
    });
    const behind = db.query('select n from public.engine_note');
    expect(await getCode(stuck)).toBe('25P03');
    expect((await behind).rows).toEqual([]);
    resolve();
    await expect.poll(() => late).toBe('25P03');
    expect((await db.query('select n from public.engine_note')).rows).toEqual([]);
  });

  test('stops a slow statement of the server and logs a warning', async () => {
    expect(await getCode(db.query(BURNING))).toBe('57014');
    expect(warned).toContain('stopped a statement of the server at its time limit');
    expect((await db.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
  });

  test('refuses a statement after the end of its transaction', async () => {
    const ended = await db.transaction(async (tx) => {
      await tx.query('select 1');
      return tx;
    });
    expect(await getCode(ended.query('select 2'))).toBe('25P01');
  });

  test('recycling frees memory and keeps rows, listeners and prepared statements', async () => {
    const received: string[] = [];
    await db.listen('engine', (payload) => void received.push(payload));
    await db.query('insert into public.engine_note values (10)');
    await db.script(`select length(repeat(repeat('x', 100000), 600) || 'x')`);
    expect(db.heapMegabytes()).toBeGreaterThan(160);
    await db.recycle();
    expect((await db.query('select n from public.engine_note')).rows).toEqual([{ n: 10 }]);
    expect(db.heapMegabytes()).toBeLessThan(140);
    await db.query(`select pg_notify('engine', 'after')`);
    await expect.poll(() => received.at(-1)).toBe('after');
  });

  test('makes checkpoints, vacuums at night and frees grown memory', async () => {
    const hour = 3_600_000;
    let now = Date.UTC(2026, 10, 21, 3);
    const maintenance = startMaintenance(db, { warn: (line) => void warned.push(line), now: () => now, heapMax: 160 });
    const redo = async (): Promise<unknown> =>
      (await db.queryRow<{ at: string }>('select redo_lsn::text as at from pg_control_checkpoint()'))?.at;
    const first = await redo();
    await maintenance.runOnce();
    expect(await redo()).toBe(first);
    await db.script(
      `create table public.engine_heap as select n, repeat('x', 100) as text from generate_series(1, 120000) n`,
    );
    await maintenance.runOnce();
    expect(await redo()).not.toBe(first);

    await db.query('delete from public.engine_heap');
    const pages = async (): Promise<number> =>
      (await db.queryRow<{ size: number }>(`select pg_relation_size('public.engine_heap') as size`))?.size ?? 0;
    expect(await pages()).toBeGreaterThan(0);
    await db.query(`insert into private.settings (name, value) values ('last_vacuum', to_jsonb($1::float8))`, [now]);
    now += 10 * hour;
    await maintenance.runOnce();
    expect(await pages()).toBeGreaterThan(0);
    now += 14 * hour; // t 03:00 UTC the next day is not a quiet hour
    await maintenance.runOnce();
    expect(await pages()).toBeGreaterThan(0);
    now += 14 * hour;
    await maintenance.runOnce();
    expect(await pages()).toBe(0);

    await db.script(`select length(repeat(repeat('x', 100000), 600) || 'x')`);
    now += hour;
    await maintenance.runOnce();
    expect((await db.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    expect(db.heapMegabytes()).toBeLessThan(140);
    await maintenance.stop();
    expect(warned.filter((line) => line.includes('failed'))).toEqual([]);
  });
});

test('an engine whose folder is missing stays closed, reports it, and does not create an empty database', async () => {
  const folder = await newFolder();
  const { promise: broken, resolve } = Promise.withResolvers<Error>();
  const warned: string[] = [];
  const host = await startEngine({
    location: folder,
    prepare: () => Promise.resolve(),
    replaced: () => undefined,
    warn: (line) => void warned.push(line),
    broken: resolve,
  });
  await rename(folder, `${folder}-away`);
  expect(await getCode(host.run(SILENCE(), 300))).toBe('57014');
  expect(await getCode(host.ready())).toBe('08006');
  expect(await broken).toBeInstanceOf(Error);
  expect(warned).toHaveLength(3);
  expect(existsSync(folder)).toBe(false);
  await host.close();
}, 120_000);

test('a stopped in-memory database is lost and every later use fails', async () => {
  const host = await startEngine({
    location: await migratedImage(),
    prepare: () => Promise.resolve(),
    replaced: () => undefined,
    warn: () => undefined,
    broken: () => undefined,
  });
  const lost = getCode(host.run(SILENCE(), 300));
  expect(await lost).toBe('57014');
  expect(await getCode(host.ready())).toBe('08006');
  await host.close();
}, 120_000);

test('an engine that does not answer is replaced by a new one', async () => {
  let replaced = 0;
  const host = await startEngine({
    location: await newFolder(),
    prepare: () => Promise.resolve(),
    replaced: () => void (replaced += 1),
    warn: () => undefined,
    broken: () => undefined,
  });
  expect(await getCode(host.run(SILENCE(), 300))).toBe('57014');
  await host.ready();
  expect(replaced).toBe(1);
  expect((await host.run(new Uint8Array(serialize.query('select 1')), 3_000)).length).toBeGreaterThan(0);
  await host.close();
}, 120_000);

test('statements of the server for one request wait for those of the same caller, not for those of others in their class', async () => {
  const db = await createPglite(null);
  const people = db.inClass('customer');
  const finished: string[] = [];
  const run = (caller: string, name: string, rows: number): Promise<unknown> =>
    withinRequest(name, () => people.query('select count(*) from generate_series(1, $1::int)', [rows]), caller).then(
      () => finished.push(name),
    );
  await run('ip:a', 'first', 1);
  finished.length = 0;
  await Promise.all([
    ...Array.from({ length: 12 }, (_, index) => run('ip:a', `a${index}`, 200_000)),
    run('ip:b', 'b', 1),
    run('ip:c', 'c', 1),
  ]);
  expect(finished.indexOf('b')).toBeLessThan(4);
  expect(finished.indexOf('c')).toBeLessThan(4);
  await db.close();
}, 60_000);
