import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { readMigrations } from '#server/db/migrate.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { openPostgres } from '#server/db/open-postgres.ts';
import { migratedImage } from '#tests/support/image.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { enqueue, type Job, type JobHandler, type JobOutcome, LONGEST_WAIT_MS, nextTry } from './jobs.ts';
import { LEASE_SECONDS, renewLeases, runRound, type Worker } from './worker.ts';

const MIGRATIONS = new URL('../../database/migrations/', import.meta.url).pathname;
const START = Date.parse('2026-05-01T00:00:00Z');
const MINUTE = 60_000;
const HOURS_DOWN = process.env['TEST_LONG'] ? 72 : 6;

type Opened = { db: Database; close(): Promise<void> };
const silent = { report: () => undefined, warn: () => undefined };
const engines: { name: string; open: () => Promise<Opened> }[] = [
  {
    name: 'embedded',
    async open() {
      const db = await openEmbedded(await migratedImage(), { migrations: await readMigrations(MIGRATIONS), ...silent });
      return { db, close: () => db.close() };
    },
  },
  ...(process.env['TEST_POSTGRES_URL'] ? [{ name: 'PostgreSQL', open: openOnPostgres }] : []),
];
async function openOnPostgres(): Promise<Opened> {
  const own = await createMigratedDatabase();
  if (!own) throw new Error('PostgreSQL went away');
  const db = await openPostgres(own.url, { migrations: await readMigrations(MIGRATIONS), ...silent, poolSize: 8 });
  return { db, close: () => db.close().then(() => own.drop()) };
}

type StoredJob = { done: boolean; closed: string | null; tries: number; error: string | null; alerted: boolean };

describe.each(engines)('a worker of the job queue on $name', ({ open }) => {
  let opened: Opened;
  let db: Database;
  let now = START;

  beforeAll(async () => {
    opened = await open();
    db = opened.db;
  }, 120_000);
  afterAll(() => opened.close());
  beforeEach(async () => {
    now = START;
    await db.query('delete from private.outbox');
  });

  function worker(handler: JobHandler, more: Partial<Worker> = {}): Worker {
    return {
      name: 'test',
      kinds: ['test.job'],
      db,
      clock: () => new Date(now),
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      handlers: { 'test.job': handler, 'other.job': handler },
      atOnce: 4,
      running: new Map(),
      ...more,
    };
  }
  async function add(more: { kind?: string; dueAt?: Date; deadlineAt?: Date } = {}): Promise<string> {
    const subjectId = randomUUID();
    await enqueue(db, { kind: 'test.job', subjectId, dueAt: new Date(now), ...more });
    const row = await db.one<{ id: string }>('select id from private.outbox where subject_id = $1::uuid', [subjectId]);
    return row?.id ?? '';
  }
  async function stored(id: string): Promise<StoredJob | null> {
    return db.one<StoredJob>(
      `select done_at is not null as done, close_reason as closed, tries, last_error as error, alerted_at is not null as alerted
       from private.outbox where id = $1::uuid`,
      [id],
    );
  }
  const alerts = async (id: string): Promise<number> =>
    (
      await db.query(
        `select 1 from public.audit_logs where action = 'alert' and resource_type = 'outbox' and resource_id = $1`,
        [id],
      )
    ).count;
  const fails: JobHandler = () => Promise.reject(new Error('down'));

  test(`a job that fails for ${HOURS_DOWN} hours is retried at least every 15 minutes and completes afterwards`, async () => {
    const id = await add();
    let down = true;
    let tries = 0;
    const flaky = worker(async (): Promise<JobOutcome> => {
      tries += 1;
      if (down) throw new Error('down');
      return 'done';
    });
    for (; now < START + HOURS_DOWN * 60 * MINUTE; now += 15 * MINUTE) await runRound(flaky);
    expect(tries).toBe(HOURS_DOWN * 4);
    expect(await stored(id)).toMatchObject({ done: false, closed: null, error: 'down' });
    down = false;
    await runRound(flaky);
    expect(await stored(id)).toMatchObject({ done: true, error: null });
  });

  test('an alert is raised once, at the third failure of a job, but not for silent kinds', async () => {
    const [id, silentId] = [await add(), await add({ kind: 'other.job' })];
    const failing = worker(fails, { kinds: ['test.job', 'other.job'], silentKinds: ['other.job'] });
    const seen: number[] = [];
    for (let round = 0; round < 6; round += 1, now += 20 * MINUTE) {
      await runRound(failing);
      seen.push(await alerts(id));
    }
    expect(seen).toEqual([0, 0, 1, 1, 1, 1]);
    expect(await alerts(silentId)).toBe(0);
    expect(await stored(silentId)).toMatchObject({ tries: 6, alerted: false });
  });

  test('a closed job keeps its reason, raises an alert and is never tried again', async () => {
    const id = await add();
    let tries = 0;
    const late = worker(async () => {
      tries += 1;
      return { closed: 'The session is over.' };
    });
    await runRound(late);
    now += 60 * MINUTE;
    await runRound(late);
    expect(tries).toBe(1);
    expect(await stored(id)).toMatchObject({ done: false, closed: 'The session is over.' });
    expect(await alerts(id)).toBe(1);
  });

  test('a postponed job does not count as failed', async () => {
    const id = await add();
    const unavailable = new Error('not called');
    const waiting = worker(() => Promise.reject(unavailable), {
      postpone: (error) => (error === unavailable ? 10_000 : null),
    });
    for (let round = 0; round < 5; round += 1, now += 11_000) await runRound(waiting);
    expect(await stored(id)).toMatchObject({ tries: 0, error: null, alerted: false });
  });

  test('a job that takes longer than its lease runs only once while its worker is alive', async () => {
    await add();
    const started: string[] = [];
    let finish = (): void => undefined;
    const slowly =
      (name: string): JobHandler =>
      (job) => {
        started.push(`${name} ${job.tries}`);
        return new Promise((resolve) => {
          finish = () => resolve('done');
        });
      };
    const [first, second] = [worker(slowly('first')), worker(slowly('second'))];
    const round = runRound(first);
    await expect.poll(() => started).toHaveLength(1);
    for (let step = 0; step < 6; step += 1) {
      now += (LEASE_SECONDS * 1000) / 2;
      await renewLeases(first);
      expect(await runRound(second)).toBe(0);
    }
    // Even when the clock jumps, a process does not claim a job it is already running.
    now += 10 * LEASE_SECONDS * 1000;
    const twice = runRound({ ...first, handlers: first.handlers });
    expect(await twice).toBe(0);
    finish();
    await round;
    now += 60 * MINUTE;
    expect(await runRound(second)).toBe(0);
    expect(started).toEqual(['first 1']);
  });

  test('a worker renews the lease while a job runs', async () => {
    const id = await add();
    let finish = (): void => undefined;
    const round = runRound(
      worker(
        () =>
          new Promise((resolve) => {
            finish = () => resolve('done');
          }),
        { heartbeatMs: 20 },
      ),
    );
    const leaseUntil = async (): Promise<number> =>
      (
        await db.one<{ until: Date }>('select lease_until as until from private.outbox where id = $1::uuid', [id])
      )?.until.getTime() ?? 0;
    await expect.poll(leaseUntil).toBe(START + LEASE_SECONDS * 1000);
    now += 20_000;
    await expect.poll(leaseUntil).toBe(START + 20_000 + LEASE_SECONDS * 1000);
    finish();
    await round;
  });

  test('a job of a dead process is taken over after its lease, and its late outcome is ignored', async () => {
    const id = await add();
    let die: (error: Error) => void = () => undefined;
    const dead = worker(
      () =>
        new Promise((_resolve, reject) => {
          die = reject;
        }),
      { heartbeatMs: 1_000_000 },
    );
    const round = runRound(dead);
    await expect.poll(() => dead.running.size).toBe(1);
    now += LEASE_SECONDS * 1000 - 1;
    let ran = 0;
    const other = worker(async () => {
      ran += 1;
      return { retryAt: new Date(now + 1_000) };
    });
    await runRound(other);
    expect(ran).toBe(0);
    now += 2;
    await runRound(other);
    expect(ran).toBe(1);
    die(new Error('an answer that comes too late'));
    await round;
    expect(await stored(id)).toMatchObject({ error: null, tries: 1 });
  });

  test('jobs with a deadline run first, and no more are started than `room` allows', async () => {
    const order: string[] = [];
    const ids = [
      await add({ dueAt: new Date(now - 5_000) }),
      await add({ deadlineAt: new Date(now + MINUTE) }),
      await add(),
    ];
    const note = (job: Job): Promise<JobOutcome> => {
      order.push(job.id);
      return Promise.resolve('done');
    };
    let room = 1;
    await runRound(worker(note, { room: () => room-- }));
    expect(order).toEqual([ids[1]]);
    await runRound(worker(note, { atOnce: 1 }));
    expect(order).toEqual([ids[1], ids[0], ids[2]]);
  });

  test('four workers in parallel run each of 60 jobs once', async () => {
    await Promise.all(Array.from({ length: 60 }, () => add()));
    const seen: string[] = [];
    const note = (job: Job): Promise<JobOutcome> => {
      seen.push(job.id);
      return Promise.resolve('done');
    };
    await Promise.all(Array.from({ length: 4 }, () => runRound(worker(note))));
    expect(seen).toHaveLength(60);
    expect(new Set(seen).size).toBe(60);
  });
});

test('the wait doubles up to the longest wait, and is at most an eighth of the time left', () => {
  const now = new Date(START);
  const wait = (tries: number, deadlineMs: number | null, longest?: number): number =>
    nextTry(now, tries, deadlineMs === null ? null : new Date(START + deadlineMs), longest).getTime() - START;
  expect([1, 2, 3, 9, 10, 11, 60].map((tries) => wait(tries, null))).toEqual([
    2_000,
    4_000,
    8_000,
    512_000,
    LONGEST_WAIT_MS,
    LONGEST_WAIT_MS,
    LONGEST_WAIT_MS,
  ]);
  expect(wait(20, 8 * MINUTE)).toBe(MINUTE);
  expect(wait(20, 8 * 60 * MINUTE, MINUTE)).toBe(MINUTE);
  expect(wait(20, 2_000)).toBe(1_000);
  expect(wait(20, -1, MINUTE)).toBe(MINUTE);
});
