import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { readSchema } from '#server/db/schema/schema.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { openPostgres } from '#server/db/postgres/open-postgres.ts';
import { migratedImage } from '#tests/support/image.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import {
  deleteClosedJobs,
  endJobs,
  enqueue,
  lockJob,
  type Job,
  type JobHandler,
  type JobOutcome,
  LONGEST_WAIT_MS,
  nextTry,
} from './jobs.ts';
import { LEASE_SECONDS, renewLeases, runBatch, runRound, type Worker } from './worker.ts';

const DATABASE = new URL('../../database/', import.meta.url).pathname;
const START = Date.parse('2026-05-01T00:00:00Z');
const MINUTE = 60_000;
const HOURS_DOWN = process.env['TEST_LONG'] ? 72 : 6;

type Opened = { db: Database; close(): Promise<void> };
const silent = { report: () => undefined, warn: () => undefined };
const engines: { name: string; open: () => Promise<Opened> }[] = [
  {
    name: 'embedded',
    async open() {
      const db = await openEmbedded(await migratedImage(), { schema: await readSchema(DATABASE), ...silent });
      return { db, close: () => db.close() };
    },
  },
  ...(process.env['TEST_POSTGRES_URL'] ? [{ name: 'PostgreSQL', open: openOnPostgres }] : []),
];
async function openOnPostgres(): Promise<Opened> {
  const own = await createMigratedDatabase();
  if (!own) throw new Error('PostgreSQL went away');
  const db = await openPostgres(own.url, { schema: await readSchema(DATABASE), ...silent, poolSize: 8 });
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

  function worker(handle: JobHandler, more: Partial<Worker> = {}): Worker {
    return {
      name: 'test',
      kinds: { 'test.job': { worker: 'test', handle } },
      db,
      clock: () => new Date(now),
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      atOnce: 4,
      running: new Map(),
      ...more,
    };
  }
  async function add(
    more: { kind?: string; recipient?: string; dueAt?: Date; deadlineAt?: Date } = {},
  ): Promise<string> {
    const subjectId = randomUUID();
    await enqueue(db, { kind: 'test.job', subjectId, dueAt: new Date(now), ...more });
    const row = await db.queryRow<{ id: string }>('select id from private.outbox where subject_id = $1::uuid', [
      subjectId,
    ]);
    return row?.id ?? '';
  }
  async function stored(id: string): Promise<StoredJob | null> {
    return db.queryRow<StoredJob>(
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
  const readSubject = async (id: string): Promise<string | null> =>
    (
      await db.queryRow<{ subject: string }>('select subject_id as subject from private.outbox where id = $1::uuid', [
        id,
      ])
    )?.subject ?? null;
  const deleting = (handle: JobHandler): Worker['kinds'] => ({ 'test.job': { worker: 'test', handle, deletes: true } });
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

  test('an alert is raised once, at the third failure of a job, but never for a kind that delivers alerts', async () => {
    const [id, silentId] = [await add(), await add({ kind: 'other.job' })];
    const failing = worker(fails, {
      kinds: {
        'test.job': { worker: 'test', handle: fails },
        'other.job': { worker: 'test', handle: fails, alerts: 'never' },
      },
    });
    const seen: number[] = [];
    for (let round = 0; round < 6; round += 1, now += 20 * MINUTE) {
      await runRound(failing);
      seen.push(await alerts(id));
    }
    expect(seen).toEqual([0, 0, 1, 1, 1, 1]);
    expect(await alerts(silentId)).toBe(0);
    expect(await stored(silentId)).toMatchObject({ tries: 6, alerted: false });
  });

  test('of a kind that alerts once, one open job raises an alert at a time', async () => {
    const [first, second] = [await add(), await add()];
    const failing = worker(fails, {
      atOnce: 1,
      kinds: { 'test.job': { worker: 'test', handle: fails, alerts: 'once' } },
    });
    for (let round = 0; round < 4; round += 1, now += 20 * MINUTE) await runRound(failing);
    expect((await alerts(first)) + (await alerts(second))).toBe(1);
    const [alerted, quiet] = (await alerts(first)) === 1 ? [first, second] : [second, first];
    await endJobs(db, { kinds: ['test.job'], subjectId: await readSubject(alerted), recipients: [] });
    await runRound(failing);
    expect(await alerts(quiet)).toBe(1);
  });

  test('of a kind that deletes its jobs, nothing is kept of a job that is done', async () => {
    const id = await add();
    await runRound(worker(async () => 'done', { kinds: deleting(async () => 'done') }));
    expect(await stored(id)).toBeNull();
    expect(await alerts(id)).toBe(0);
  });

  test('of a kind that deletes its jobs, a job is dropped with an alert when its deadline has passed', async () => {
    const [late, open] = [await add({ deadlineAt: new Date(now + MINUTE) }), await add()];
    const failing = worker(fails, { kinds: deleting(fails) });
    await runRound(failing);
    expect(await stored(late)).toMatchObject({ error: 'down', tries: 1 });
    now += MINUTE;
    await runRound(failing);
    expect(await stored(late)).toBeNull();
    expect(await stored(open)).toMatchObject({ done: false, tries: 2 });
    const { rows } = await db.query(
      `select details from public.audit_logs where action = 'alert' and resource_type = 'outbox' and resource_id = $1`,
      [late],
    );
    expect(rows).toMatchObject([{ details: { dropped: true, kind: 'test.job', reason: 'down' } }]);
  });

  test('ended jobs of a subject or a recipient are not run; other kinds and done jobs stay', async () => {
    const mine = await add({ recipient: 'a@example.com' });
    const [bySubject, otherKind, other] = [
      await add(),
      await add({ kind: 'other.job', recipient: 'a@example.com' }),
      await add({ recipient: 'b@example.com' }),
    ];
    const done = await add({ recipient: 'a@example.com' });
    await db.query('update private.outbox set done_at = $2::timestamptz where id = $1::uuid', [done, new Date(now)]);
    await endJobs(db, {
      kinds: ['test.job'],
      subjectId: await readSubject(bySubject),
      recipients: ['a@example.com', null],
    });
    const remaining = await db.query<{ id: string }>('select id from private.outbox');
    expect(remaining.rows.map(({ id }) => id).toSorted()).toEqual([otherKind, other, done].toSorted());
    expect(await lockJob(db, mine)).toBe(false);
    expect(await lockJob(db, other)).toBe(true);
  });

  test('closed jobs of some kinds are deleted after a while', async () => {
    const close = async (id: string, at: number): Promise<unknown> =>
      db.query(`update private.outbox set closed_at = $2::timestamptz, close_reason = 'over' where id = $1::uuid`, [
        id,
        new Date(at),
      ]);
    const [old, recent, other, open] = [await add(), await add(), await add({ kind: 'other.job' }), await add()];
    await close(old, now - 1);
    await close(recent, now);
    await close(other, now - 1);
    await deleteClosedJobs(db, ['test.job'], new Date(now));
    const remaining = await db.query<{ id: string }>('select id from private.outbox');
    expect(remaining.rows.map(({ id }) => id).toSorted()).toEqual([recent, other, open].toSorted());
  });

  test('a batch claims once: what its jobs add waits for the next one', async () => {
    await add();
    let ran = 0;
    const adding = worker(async () => {
      ran += 1;
      await add();
      return 'done';
    });
    expect(await runBatch(adding)).toBe(1);
    expect(ran).toBe(1);
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
    const twice = runRound({ ...first });
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
        await db.queryRow<{ until: Date }>('select lease_until as until from private.outbox where id = $1::uuid', [id])
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

  test('jobs with a deadline run first, and no more are started than the capacity allows', async () => {
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
    let capacity = 1;
    await runRound(worker(note, { capacity: () => capacity-- }));
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
