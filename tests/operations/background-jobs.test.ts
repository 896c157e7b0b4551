import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addDays, studioDate } from '#rules/studio-time.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import { createBackgroundJobs, measureJobs } from '#server/operations/jobs/background-jobs.ts';
import type { Database } from '#server/db/database.ts';
import { deleteFullLimits } from '#server/http/limits.ts';
import { createMetrics } from '#server/http/metrics/metrics.ts';
import { showAccess } from '#server/operations/access/show-access.ts';
import { startNightlyCheck } from '#server/operations/reconciliation/compare-ledger.ts';
import type { JobKind } from '#rules/alerts/jobs.ts';
import { enqueue, jobKinds, WORKERS, workersFor } from '#server/operations/core/jobs.ts';
import { ALL_JOBS } from '#server/operations/jobs/all-jobs.ts';
import type { Task } from '#server/queue/scheduler.ts';
import { type Job, type JobHandler, LONGEST_WAIT_MS } from '#server/queue/jobs.ts';
import { addPerson, createBookingSystem, embedded, HOUR, MINUTE, START } from './booking-system.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import type { Services } from '#server/operations/core/services.ts';

const KINDS: readonly JobKind[] = [
  'mail.booking-confirmed',
  'mail.booking-cancelled',
  'mail.refund',
  'mail.payment-returned',
  'mail.payment-processing',
  'mail.payment-failed',
  'mail.access-code',
  'mail.id-decision',
  'mail.review-waiting',
  'mail.job-alert',
  'access.request',
  'access.revoke',
  'payment.refund',
  'payment.partial-refund',
  'image.delete',
  'power.follow',
  'pass.apple',
  'pass.google',
];
let db: Database;
let close: () => Promise<void>;
let now = START;
const clock = (): Date => new Date(now);

beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  now = START;
  await db.query('delete from private.outbox');
  await db.query(`delete from private.lease where name = 'reconcile'`);
});

/** Background jobs whose handlers only record their kind; the other options replace the parts that a test checks. */
function jobsWith(
  more: {
    releaseExpiredHolds?: (stop: () => boolean) => Promise<number>;
    reconcilePayments?: () => Promise<number>;
    handlers?: Partial<Record<JobKind, JobHandler>>;
    paymentsCapacity?: number;
    addresses?: readonly string[];
    tasks?: readonly Task[];
    db?: Database;
    workers?: ReturnType<typeof workersFor>;
  } = {},
) {
  const ran: string[] = [];
  const errors: Record<string, unknown>[] = [];
  const quiet = (): void => undefined;
  const note: JobHandler = async (job) => {
    ran.push(job.kind);
    return 'done';
  };
  const releaseExpiredHolds = async (stop: () => boolean): Promise<number> => {
    ran.push(stop() ? 'release, stopped' : 'release');
    return 0;
  };
  const reconcilePayments = async (): Promise<number> => {
    ran.push('reconcile');
    return 0;
  };
  const services = servicesWith({
    db: more.db ?? db,
    clock,
    log: { info: quiet, warn: quiet, error: (fields) => void errors.push(fields) },
    mail: { send: () => Promise.resolve() },
    config: { alertAddresses: more.addresses ?? [] },
    siteUrl: 'https://studio.example',
    business: () => firstSettings,
  });
  const { queue: runner, scheduler } = createBackgroundJobs(services, {
    workers: more.workers ?? WORKERS,
    releaseExpiredHolds: more.releaseExpiredHolds ?? releaseExpiredHolds,
    reconcilePayments: more.reconcilePayments ?? reconcilePayments,
    circuits:
      more.paymentsCapacity === undefined
        ? {}
        : { payments: { capacity: () => more.paymentsCapacity ?? 0, isOpen: () => more.paymentsCapacity === 0 } },
    tasks: more.tasks ?? [],
    kinds: jobKinds(
      ALL_JOBS.map((job) => ({
        ...job,
        handle: (_services: Services, dueJob: Job) => (more.handlers?.[job.kind] ?? note)(dueJob),
      })),
      services,
      more.workers,
    ),
  });
  return { jobs: { scheduler, drain: () => runner.run() }, ran, errors };
}
const queue = (kind: JobKind): Promise<void> => enqueue(db, { kind, subjectId: randomUUID(), dueAt: clock() });

test('every kind of job has a worker, and one round runs each of them once', async () => {
  for (const kind of KINDS) await queue(kind);
  const { jobs, ran } = jobsWith();
  expect(await jobs.drain()).toBe(KINDS.length);
  expect(ran.toSorted()).toEqual(KINDS.toSorted());
  expect(await jobs.drain()).toBe(0);
});

test('without a wallet its worker does not run, and what is left of its jobs is closed by another one', async () => {
  const set = { apple: {}, google: {} };
  expect(workersFor(set)).toEqual(WORKERS);
  const workers = workersFor({ ...set, google: null });
  expect(Object.keys(WORKERS).filter((name) => !(name in workers))).toEqual(['google-passes']);
  await queue('pass.google');
  const { jobs, ran } = jobsWith({ workers });
  expect(await jobs.drain()).toBe(1);
  expect(ran).toEqual(['pass.google']);
});

test('mails are sent last in a round, so that they report its results', async () => {
  for (const kind of KINDS) await queue(kind);
  let others = 0;
  const seen: number[] = [];
  const slow: JobHandler = async () => {
    await db.query('select 1');
    others += 1;
    return 'done';
  };
  const look: JobHandler = async () => {
    seen.push(others);
    return 'done';
  };
  const handlers = Object.fromEntries(KINDS.map((kind) => [kind, kind.startsWith('mail.') ? look : slow]));
  await jobsWith({ handlers }).jobs.drain();
  const mails = KINDS.filter((kind) => kind.startsWith('mail.'));
  expect(seen).toEqual(mails.map(() => KINDS.length - mails.length));
});

test('a booking within the hour gets its code in the same round', async () => {
  await db.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
  );
  const system = await createBookingSystem(db);
  system.state.now = START + 50 * MINUTE;
  const { id } = await system.book(await addPerson(db), {
    startTime: new Date(START + HOUR),
    endTime: new Date(START + 2 * HOUR),
  });
  await system.jobs.drain();
  const { pin } = await showAccess(system.services, id);
  expect(system.mails.map(({ text }) => text.includes(pin ?? 'no code'))).toContain(true);
});

test('access codes, their mails, the lights and passes wait a minute at most between two tries, other jobs a quarter of an hour', () => {
  const rules = new Map(ALL_JOBS.map((job) => [job.kind, job]));
  expect(KINDS.filter((kind) => rules.get(kind)?.longestWaitMs === MINUTE)).toEqual([
    'mail.access-code',
    'access.request',
    'power.follow',
    'pass.apple',
    'pass.google',
  ]);
  expect(rules.get('payment.refund')?.longestWaitMs ?? LONGEST_WAIT_MS).toBe(15 * MINUTE);
});

test('a round of everything releases holds, compares with the provider every five minutes, and forgets full rate limits', async () => {
  await db.query(
    `insert into private.rate_bucket (name, key, full_at) values ('test', 'over', $1::timestamptz), ('test', 'on', $2::timestamptz)`,
    [new Date(now - 1), new Date(now + MINUTE)],
  );
  const tasks = [{ name: 'delete full rate limits', everyMs: 10_000, run: () => deleteFullLimits(db, clock()) }];
  const { jobs, ran, errors } = jobsWith({ tasks });
  await jobs.scheduler.run();
  expect(ran.toSorted()).toEqual(['reconcile', 'release']);
  const { rows } = await db.query<{ key: string }>(`select key from private.rate_bucket where name = 'test'`);
  expect(rows).toEqual([{ key: 'on' }]);
  now += 5 * MINUTE - 1;
  await jobs.scheduler.run();
  now += 1;
  await jobs.scheduler.run();
  expect(ran.filter((task) => task === 'reconcile')).toHaveLength(2);
  expect(errors).toEqual([]);
});

test('no hold is released while the payment provider is known to be down', async () => {
  const { jobs, ran } = jobsWith({ paymentsCapacity: 0 });
  await jobs.scheduler.run();
  expect(ran).toContain('release, stopped');
  const up = jobsWith({ paymentsCapacity: 1 });
  await up.jobs.scheduler.run();
  expect(up.ran).toContain('release');
});

test('a comparison with the provider that failed is made again after half a minute', async () => {
  let calls = 0;
  const { jobs, errors } = jobsWith({
    reconcilePayments: () => {
      calls += 1;
      return Promise.reject(new Error('no answer'));
    },
  });
  await jobs.scheduler.run();
  expect(errors).toMatchObject([{ task: 'reconcile payments' }]);
  now += 30_000 - 1;
  await jobs.scheduler.run();
  expect(calls).toBe(1);
  now += 1;
  await jobs.scheduler.run();
  expect(calls).toBe(2);
});

test('a task that fails is named in the log and stops no other', async () => {
  const { jobs, ran, errors } = jobsWith({ releaseExpiredHolds: () => Promise.reject(new Error('broken')) });
  await queue('image.delete');
  await jobs.scheduler.run();
  expect(ran.toSorted()).toEqual(['image.delete', 'reconcile']);
  expect(errors).toMatchObject([{ task: 'release expired holds' }]);
});

test('a worker whose queue cannot be read is named in the log', async () => {
  const failing: Database = {
    ...db,
    query: (text, values) =>
      text.includes('private.claim_jobs') ? Promise.reject(new Error('broken')) : db.query(text, values),
  };
  const { jobs, errors } = jobsWith({ db: failing });
  await jobs.scheduler.run();
  expect(errors.map(({ task }) => String(task)).toSorted()).toEqual(
    [
      'alerts',
      'apple-passes',
      'campaigns',
      'google-passes',
      'images',
      'locks',
      'mail',
      'payments',
      'power',
      'texts',
    ].map((name) => `worker ${name}`),
  );
});

test('jobs that failed three times are mailed to the owner once a day, in one mail to each address', async () => {
  const failing: JobHandler = () => Promise.reject(new Error('the lock is off'));
  const { jobs } = jobsWith({
    handlers: { 'access.revoke': failing },
    addresses: ['owner@example.com', 'other@example.com'],
  });
  await queue('access.revoke');
  const mails = async () =>
    (
      await db.query<{ to: string; jobs: number }>(
        `select payload ->> 'to' as to, jsonb_array_length(payload -> 'jobs') as jobs from private.outbox where kind = 'mail.job-alert' order by dedupe`,
      )
    ).rows;
  for (let round = 0; round < 4; round += 1) {
    expect(await mails()).toEqual([]);
    await jobs.drain();
    now += 20_000;
  }
  await jobs.scheduler.run();
  const both = [
    { to: 'other@example.com', jobs: 1 },
    { to: 'owner@example.com', jobs: 1 },
  ];
  expect(await mails()).toEqual(both);
  await jobs.drain();
  await jobs.scheduler.run();
  expect(await mails()).toEqual(both);
  now += 24 * HOUR;
  await jobs.scheduler.run();
  expect(await mails()).toHaveLength(4);
});

test('the figures count what is due, failing, closed and how old, and providers that are not called', async () => {
  const metrics = createMetrics();
  const circuit = (open: boolean) => ({ capacity: () => 1, isOpen: () => open });
  measureJobs(metrics, db, clock, [circuit(true), circuit(false), circuit(true)]);
  const read = async () => {
    const lines = (await metrics.text()).split('\n').filter((line) => /^(outbox|provider)_/.test(line));
    return Object.fromEntries(lines.map((line) => line.split(' ')));
  };
  expect(await read()).toEqual({
    outbox_waiting: '0',
    outbox_failing: '0',
    outbox_closed: '0',
    outbox_oldest_seconds: '0',
    provider_circuits_open: '2',
  });
  for (const kind of ['image.delete', 'access.revoke', 'payment.refund', 'mail.access-code'] as const)
    await queue(kind);
  await db.query('update private.outbox set created_at = $1::timestamptz', [clock()]);
  await db.query(`update private.outbox set alerted_at = $1::timestamptz where kind = 'access.revoke'`, [clock()]);
  await db.query(`update private.outbox set done_at = $1::timestamptz where kind = 'image.delete'`, [clock()]);
  await db.query(
    `update private.outbox set closed_at = $1::timestamptz, close_reason = 'over' where kind = 'mail.access-code'`,
    [clock()],
  );
  await enqueue(db, { kind: 'image.delete', subjectId: randomUUID(), dueAt: new Date(now + HOUR) });
  now += 90_000;
  expect(await read()).toMatchObject({
    outbox_waiting: '2',
    outbox_failing: '1',
    outbox_closed: '1',
    outbox_oldest_seconds: '90',
  });
  const text = await metrics.text();
  for (const help of [
    'outbox_waiting Jobs that are due and not done',
    'outbox_failing Open jobs that a person was alerted to: they failed three times or more',
    'outbox_closed Jobs closed without success: by a person, or because their moment passed',
    'outbox_oldest_seconds Age of the oldest job that is not done, counted from when it was first due',
    'provider_circuits_open Providers that are not called at the moment because they did not answer',
  ])
    expect(text).toContain(`# HELP ${help}\n`);
});

test('the nightly check compares the month of a week ago and this one, and not again before its time is over', async () => {
  const night = 24 * HOUR;
  const started = async (at: number): Promise<string[]> => {
    await startNightlyCheck(servicesWith({ db, clock: () => new Date(at) }), night);
    const { rows } = await db.query<{ month: string }>(
      `update private.outbox o set done_at = $1::timestamptz from private.ledger_check c
       where o.kind = 'payment.compare-ledger' and o.subject_id = c.id and o.done_at is null returning to_char(c.month, 'YYYY-MM') as month`,
      [new Date(at)],
    );
    return rows.map(({ month }) => month).toSorted();
  };
  const third = studioDate(new Date(START + 40 * night)).slice(0, 7);
  // 11 am in Sydney, on the 3rd and on the 10th of a month.
  const [early, later] = [3, 10].map((day) => Date.parse(`${third}-${String(day).padStart(2, '0')}T00:00:00Z`));
  if (early === undefined || later === undefined) throw new Error('two days');
  const before = addDays(`${third}-01`, -1).slice(0, 7);
  expect(await started(early)).toEqual([before, third]);
  expect(await started(early + night - 1_000)).toEqual([]);
  expect(await started(early + night + 1_000)).toEqual([before, third]);
  expect(await started(later)).toEqual([third]);
});
