import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { readSchema } from '#server/db/schema/schema.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { createBackgroundJobs } from '#server/operations/jobs/background-jobs.ts';
import { enqueue, jobKinds, WORKERS } from '#server/operations/core/jobs.ts';
import { refundPaymentJob } from '#server/operations/payments/refund.ts';
import { CIRCUIT_OPEN, ProviderError } from '#server/providers/call.ts';
import type { Payments } from '#server/providers/ports.ts';
import { runRound } from '#server/queue/worker.ts';
import { migratedImage } from '#tests/support/image.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

const DATABASE = new URL('../../database/', import.meta.url).pathname;
const MINUTE = 60_000;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let db: Database;
let now = Date.parse('2026-05-01T00:00:00Z');
const clock = (): Date => new Date(now);

beforeAll(async () => {
  const schema = await readSchema(DATABASE);
  db = await openEmbedded(await migratedImage(), { schema, report: () => undefined, warn: () => undefined });
}, 120_000);
afterAll(() => db.close());

/** Creates a cancelled booking whose refund is due. */
async function paymentToReturn(): Promise<string> {
  const [studio, booking, payment] = [randomUUID(), randomUUID(), randomUUID()];
  await db.query(`insert into public.studios (id, name, hourly_rate) values ($1::uuid, $2, 49)`, [studio, studio]);
  await db.query(
    `insert into private.booking (id, reference, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
     values ($1::uuid, private.new_reference(), $2::uuid, 'A', '2026-06-01T00:00:00Z', '2026-06-01T01:00:00Z', 'pending', '2026-05-01T00:15:00Z', 1, 4900, 4900)`,
    [booking, studio],
  );
  await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'customer' where id = $1::uuid`, [
    booking,
  ]);
  await db.query(
    `insert into private.payment (id, booking_id, attempt, kind, state, key, session_id, amount_cents, payment_intent_id)
     values ($1::uuid, $2::uuid, 1, 'card', 'refund_pending', $3, $3, 4900, 'pi_1')`,
    [payment, booking, `cs_${payment}`],
  );
  await enqueue(db, { kind: 'payment.refund', subjectId: payment, dueAt: clock() });
  return payment;
}

/** Returns a provider whose answer to a refund the test sets; it records the idempotency keys. */
function fakePayments(refund: Payments['refund']): { payments: Payments; keys: string[] } {
  const keys: string[] = [];
  const never = (): Promise<never> => Promise.reject(new Error('not asked in this test'));
  return {
    keys,
    payments: {
      provider: 'stripe',
      createSession: never,
      getSession: never,
      findSession: never,
      listSessions: () => Promise.resolve([]),
      expireSession: never,
      findSessionOfIntent: never,
      listRefunds: () => Promise.resolve([]),
      createCustomer: never,
      setCustomerEmail: never,
      deleteCustomer: never,
      listCards: never,
      removeCard: never,
      chargeCard: never,
      findCharge: never,
      listLedger: () => Promise.resolve({ entries: [], fees: [], payouts: [] }),
      listDisputes: () => Promise.resolve([]),
      listEvents: () => Promise.resolve([]),
      refund: (input) => {
        keys.push(input.key);
        return refund(input);
      },
      readEvent: () => {
        throw new Error('not asked in this test');
      },
    },
  };
}

function jobsWith(payments: Payments) {
  const services = servicesWith({ db, payments, clock, log, countOutcome: () => undefined });
  const { queue } = createBackgroundJobs(services, {
    workers: WORKERS,
    releaseExpiredHolds: () => Promise.resolve(0),
    reconcilePayments: () => Promise.resolve(0),
    circuits: {},
    tasks: [],
    kinds: jobKinds([refundPaymentJob], services),
  });
  return queue;
}
const readState = async (payment: string): Promise<string | undefined> =>
  (await db.queryRow<{ state: string }>('select state from private.payment where id = $1::uuid', [payment]))?.state;

test('a refund that fails for hours is retried with the same key until it succeeds', async () => {
  const payment = await paymentToReturn();
  const end = now + 5 * 60 * MINUTE;
  const { payments, keys } = fakePayments(() =>
    now < end
      ? Promise.reject(new ProviderError('stripe', 'no_response', { retryable: true, ambiguous: true }))
      : Promise.resolve({ id: 're_1', status: 'succeeded', amountCents: 4900, key: null }),
  );
  const queue = jobsWith(payments);
  for (; now < end + 16 * MINUTE; now += 4 * MINUTE) await queue.run();
  expect(await readState(payment)).toBe('refunded');
  expect(keys.length).toBeGreaterThan(12);
  expect(new Set(keys)).toEqual(new Set([`refund:${payment}`]));
});

test('a job that meets an open circuit is postponed for ten seconds and does not count as failed', async () => {
  const payment = await paymentToReturn();
  const { payments } = fakePayments(() =>
    Promise.reject(new ProviderError('stripe', CIRCUIT_OPEN, { retryable: true })),
  );
  const before = now;
  await jobsWith(payments).run();
  const row = await db.queryRow<{ due_at: Date; tries: number; last_error: string | null }>(
    'select due_at, tries, last_error from private.outbox where subject_id = $1::uuid',
    [payment],
  );
  expect(row).toEqual({ due_at: new Date(before + 10_000), tries: 0, last_error: null });
  expect(await readState(payment)).toBe('refund_pending');
});

test('a worker claims nothing while its circuit is open, then one job as a trial', async () => {
  let ran = 0;
  const payment = [await paymentToReturn(), await paymentToReturn()];
  expect(payment).toHaveLength(2);
  let capacity = 0;
  now += MINUTE;
  const worker = {
    name: 'payments',
    db,
    clock,
    log,
    kinds: {
      'payment.refund': {
        worker: 'payments',
        handle: () => {
          ran += 1;
          capacity = 0;
          return Promise.resolve('done' as const);
        },
      },
    },
    atOnce: 4,
    capacity: () => capacity,
    running: new Map<string, string>(),
  };
  await runRound(worker);
  expect(ran).toBe(0);
  capacity = 1;
  await runRound(worker);
  expect(ran).toBe(1);
});
