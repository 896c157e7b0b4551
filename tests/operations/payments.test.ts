import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { releaseHold } from '#server/operations/bookings/release.ts';
import type { Services } from '#server/operations/core/services.ts';
import { refundPayment } from '#server/operations/payments/refund.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { reconcilePayments } from '#server/operations/reconciliation/reconcile-payments.ts';
import { acceptEvent, handleDueEvents } from '#server/operations/webhooks/handle-events.ts';
import { ProviderError } from '#server/providers/call.ts';
import { createFakeProvider, type FakeProvider, type ProviderMove } from '#tests/support/providers/payments.ts';
import { databases, HOUR, START } from './booking-system.ts';
import { forCalls, servicesWith } from '#tests/support/providers/services.ts';

const RUNS = process.env['TEST_LONG'] ? 500 : 12;
const CENTS = 6_900;
const STUDIO = '5a000000-0000-4000-8000-0000000000ff';

describe.each(databases)('payments on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let now = START;
  let hour = 0;
  let provider: FakeProvider;
  let context: Services;
  const errors: string[] = [];

  beforeAll(async () => {
    ({ db, close } = await open());
    await db.query(`insert into public.studios (id, name, hourly_rate) values ($1::uuid, 'Studio', 49)`, [STUDIO]);
  }, 180_000);
  afterAll(() => close());
  beforeEach(() => {
    now = START;
    newProvider();
  });
  function newProvider(): void {
    provider = createFakeProvider(() => new Date(now));
    errors.length = 0;
    context = servicesWith({
      db,
      payments: provider.payments,
      locks: { revocableModes: ['bridge'] },
      clock: () => new Date(now),
      countOutcome: () => undefined,
      log: { info: () => undefined, warn: () => undefined, error: (_fields, message) => void errors.push(message) },
    });
  }

  /** Creates a hold a month ahead with an open session. */
  async function hold(
    amountCents = CENTS,
  ): Promise<{ id: string; paymentId: string; sessionId: string; start: number }> {
    hour += 1;
    const start = START + (30 * 24 + hour) * HOUR;
    const id = randomUUID();
    const session = provider.session(id, `create:${id}:1`, amountCents);
    await db.query(
      `insert into private.booking (id, reference, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       values ($1::uuid, private.new_reference(), $2::uuid, 'Studio', $3::timestamptz, $4::timestamptz, $5::timestamptz, 1, $6, $6)`,
      [id, STUDIO, new Date(start), new Date(start + HOUR), new Date(now + 15 * 60_000), CENTS],
    );
    const row = await db.queryRow<{ id: string }>(
      `insert into private.payment (booking_id, attempt, kind, state, key, amount_cents, session_id)
       values ($1::uuid, 1, 'card', 'open', $2, $3, $4) returning id`,
      [id, `create:${id}:1`, CENTS, session.id],
    );
    return { id, paymentId: row?.id ?? '', sessionId: session.id, start };
  }
  type Row = {
    status: string;
    reason: string | null;
    state: string;
    refunded: number;
    dispute: string | null;
    refunds: string | null;
    jobs: string | null;
  };
  async function readRow(bookingId: string): Promise<Row> {
    const row = await db.queryRow<Row>(
      `select b.status, b.cancel_reason as reason, p.state, p.refunded_cents as refunded, p.dispute_status as dispute,
         (select string_agg(r.amount_cents || ' ' || r.status, ', ' order by r.amount_cents, r.status) from private.refund r where r.payment_id = p.id) as refunds,
         (select string_agg(distinct o.kind, ', ' order by o.kind) from private.outbox o where o.subject_id in (b.id, p.id)) as jobs
       from private.booking b join private.payment p on p.booking_id = b.id where b.id = $1::uuid`,
      [bookingId],
    );
    if (!row) throw new Error('no such booking');
    return row;
  }
  const alerts = async (paymentId: string): Promise<number> =>
    (
      await db.queryRow<{ n: number }>(
        `select count(*)::int as n from public.audit_logs where action = 'alert' and resource_id = $1`,
        [paymentId],
      )
    )?.n ?? 0;
  const confirmed = async () => {
    const booking = await hold();
    provider.move(booking.sessionId, 'pay');
    await settlePayment(context, booking.sessionId);
    return booking;
  };

  it('a processing payment keeps the hours beyond the hold time, and they cannot be released', async () => {
    const booking = await hold();
    provider.move(booking.sessionId, 'delay');
    expect(await settlePayment(context, booking.sessionId)).toMatchObject({
      paid: false,
      payment: { state: 'processing' },
    });
    now += 6 * 24 * HOUR;
    await releaseExpiredHolds(context);
    await expect(releaseHold(context, booking.id, 'abandoned')).rejects.toMatchObject({
      code: 'payment_processing',
      message: 'Your payment for this booking is being processed. We’ll email you as soon as we know.',
      details: { bookingId: booking.id },
    });
    expect(await readRow(booking.id)).toMatchObject({
      status: 'pending',
      state: 'processing',
      jobs: 'mail.payment-processing',
    });
  });

  it('a hold is not released when its payment started processing without our knowledge', async () => {
    const booking = await hold();
    provider.move(booking.sessionId, 'delay');
    now += 20 * 60_000;
    await releaseExpiredHolds(context);
    expect(await readRow(booking.id)).toMatchObject({ status: 'pending', state: 'processing' });
  });

  it.each(['delay fails', 'delay is canceled'] as const)(
    'a payment whose %s releases the hours at once and mails the customer',
    async (move) => {
      const booking = await hold();
      provider.move(booking.sessionId, 'delay');
      await settlePayment(context, booking.sessionId);
      provider.move(booking.sessionId, move);
      await settlePayment(context, booking.sessionId);
      expect(await readRow(booking.id)).toMatchObject({
        status: 'cancelled',
        reason: 'payment_failed',
        state: 'failed',
        jobs: 'mail.payment-failed, mail.payment-processing',
      });
    },
  );

  it('a booking is cancelled when its payment is still processing at the start, and a late payment is refunded', async () => {
    const booking = await hold();
    provider.move(booking.sessionId, 'delay');
    await settlePayment(context, booking.sessionId);
    now = booking.start - 1000;
    await releaseExpiredHolds(context);
    expect(await readRow(booking.id)).toMatchObject({ status: 'pending', state: 'processing' });
    now = booking.start;
    await releaseExpiredHolds(context);
    expect(await readRow(booking.id)).toMatchObject({
      status: 'cancelled',
      reason: 'payment_failed',
      state: 'processing',
    });
    provider.move(booking.sessionId, 'delay succeeds');
    await settlePayment(context, booking.sessionId);
    expect(await readRow(booking.id)).toMatchObject({ status: 'cancelled', state: 'refund_pending' });
    expect(await refundPayment(context, booking.paymentId)).toBe('done');
    expect(await readRow(booking.id)).toMatchObject({
      state: 'refunded',
      refunded: CENTS,
      refunds: `${CENTS} succeeded`,
    });
  });

  it('a processing payment is not cancelled while the provider does not answer, even at the start', async () => {
    const booking = await hold();
    provider.move(booking.sessionId, 'delay');
    await settlePayment(context, booking.sessionId);
    now = booking.start + HOUR;
    provider.failing = new ProviderError('stripe', 'no_response', { retryable: true, ambiguous: true });
    expect(await releaseExpiredHolds(context)).toBe(0);
    expect(await readRow(booking.id)).toMatchObject({ status: 'pending' });
  });

  it('a session that the provider calls free does not confirm a booking with a price', async () => {
    const booking = await hold();
    const session = await provider.payments.getSession(booking.sessionId);
    context = {
      ...context,
      payments: {
        ...provider.payments,
        getSession: async () => ({
          ...session,
          status: 'complete',
          paymentStatus: 'no_payment_required',
          amountCents: 0,
        }),
      },
    };
    await settlePayment(context, booking.sessionId);
    expect(await readRow(booking.id)).toMatchObject({
      status: 'cancelled',
      reason: 'amount_mismatch',
      state: 'failed',
      jobs: null,
    });
  });

  it.each([
    ['amount', { amountCents: CENTS - 1 }],
    ['currency', { currency: 'usd' }],
  ])(
    'a payment whose %s does not match is refunded in full and alerted, and confirms nothing',
    async (_what, wrong) => {
      const booking = await hold(CENTS);
      provider.move(booking.sessionId, 'pay');
      const session = await provider.payments.getSession(booking.sessionId);
      const seen = { ...provider.payments, getSession: async () => ({ ...session, ...wrong }) };
      await settlePayment({ ...context, payments: seen }, booking.sessionId);
      expect(await readRow(booking.id)).toMatchObject({
        status: 'cancelled',
        reason: 'amount_mismatch',
        state: 'refund_pending',
      });
      expect(await alerts(booking.paymentId)).toBe(1);
      await refundPayment(context, booking.paymentId);
      expect(provider.refundKeys).toEqual([`refund:${booking.paymentId}`]);
      expect(
        (await provider.payments.listRefunds(session.paymentIntentId ?? '')).map((refund) => refund.amountCents),
      ).toEqual([CENTS]);
    },
  );

  it('a pending refund stays due until the provider reports success', async () => {
    const booking = await confirmed();
    await db.query(`update private.payment set state = 'refund_pending' where id = $1::uuid`, [booking.paymentId]);
    provider.refundsBegin = 'pending';
    expect(await refundPayment(context, booking.paymentId)).toEqual({ retryAt: new Date(now + HOUR) });
    expect(await refundPayment(context, booking.paymentId)).toEqual({ retryAt: new Date(now + HOUR) });
    expect(await readRow(booking.id)).toMatchObject({ state: 'refund_pending', refunded: 0 });
    provider.move(booking.sessionId, 'refund succeeds');
    await settlePayment(context, booking.sessionId);
    expect(await readRow(booking.id)).toMatchObject({ state: 'refunded', refunded: CENTS });
    expect(provider.refundKeys).toHaveLength(1);
  });

  it('a failed refund is due again, alerted once, and retried with another key', async () => {
    const booking = await confirmed();
    await db.query(`update private.payment set state = 'refund_pending' where id = $1::uuid`, [booking.paymentId]);
    provider.refundsBegin = 'pending';
    await refundPayment(context, booking.paymentId);
    provider.move(booking.sessionId, 'refund fails');
    await settlePayment(context, booking.sessionId);
    await settlePayment(context, booking.sessionId);
    expect(await readRow(booking.id)).toMatchObject({ state: 'refund_failed', refunded: 0 });
    // One alert is for the refund, one for the payment.
    expect(await alerts(booking.paymentId)).toBe(2);
    const retry = await db.queryRow<{ due_at: Date }>(
      `select due_at from private.outbox where kind = 'payment.refund' and subject_id = $1::uuid`,
      [booking.paymentId],
    );
    expect(retry?.due_at.getTime()).toBe(now + 24 * HOUR);
    provider.refundsBegin = 'succeeded';
    expect(await refundPayment(context, booking.paymentId)).toBe('done');
    expect(provider.refundKeys).toEqual([`refund:${booking.paymentId}`, `refund:${booking.paymentId}:1`]);
    expect(await readRow(booking.id)).toMatchObject({ state: 'refunded', refunded: CENTS });
  });

  it('a refund that fails after it succeeded is due again', async () => {
    const booking = await confirmed();
    await db.query(`update private.payment set state = 'refund_pending' where id = $1::uuid`, [booking.paymentId]);
    await refundPayment(context, booking.paymentId);
    provider.move(booking.sessionId, 'refund fails');
    await settlePayment(context, booking.sessionId);
    expect(await readRow(booking.id)).toMatchObject({
      state: 'refund_failed',
      refunded: 0,
      jobs: expect.stringContaining('payment.refund'),
    });
  });

  it('a failed refund is not made again while another one covers the payment and is under way', async () => {
    const booking = await confirmed();
    await db.query(`update private.payment set state = 'refund_pending' where id = $1::uuid`, [booking.paymentId]);
    provider.refundsBegin = 'pending';
    await refundPayment(context, booking.paymentId);
    provider.move(booking.sessionId, 'refund fails');
    const intent = (await provider.payments.getSession(booking.sessionId)).paymentIntentId ?? '';
    await provider.payments.refund({ key: 'dashboard', paymentIntentId: intent });
    await settlePayment(context, booking.sessionId);
    const waiting = await readRow(booking.id);
    expect(waiting).toMatchObject({ state: 'refund_pending', refunded: 0 });
    expect(waiting.jobs ?? '').not.toContain('payment.refund');
    provider.move(booking.sessionId, 'refund succeeds');
    await settlePayment(context, booking.sessionId);
    expect(await readRow(booking.id)).toMatchObject({ state: 'refunded', refunded: CENTS });
    expect(provider.refundKeys).toEqual([`refund:${booking.paymentId}`, 'dashboard']);
  });

  it('a refund whose answer was lost and whose key has expired is found and not made twice', async () => {
    const booking = await confirmed();
    await db.query(`update private.payment set state = 'refund_pending' where id = $1::uuid`, [booking.paymentId]);
    const intent = (await provider.payments.getSession(booking.sessionId)).paymentIntentId ?? '';
    await provider.payments.refund({ key: 'forgotten', paymentIntentId: intent });
    await refundPayment(context, booking.paymentId);
    expect(provider.refundKeys).toEqual(['forgotten']);
    expect(await readRow(booking.id)).toMatchObject({ state: 'refunded' });
  });

  it('a partial refund at the provider is recorded and leaves the booking unchanged', async () => {
    const booking = await confirmed();
    provider.move(booking.sessionId, 'refund part');
    await settlePayment(context, booking.sessionId);
    expect(await readRow(booking.id)).toMatchObject({ status: 'confirmed', state: 'paid', refunded: CENTS / 4 });
    await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'customer' where id = $1::uuid`, [
      booking.id,
    ]);
    await db.query(`update private.payment set state = 'refund_pending' where id = $1::uuid`, [booking.paymentId]);
    await refundPayment(context, booking.paymentId);
    expect(await readRow(booking.id)).toMatchObject({
      state: 'refunded',
      refunded: CENTS,
      refunds: `${CENTS / 4} succeeded, ${(CENTS / 4) * 3} succeeded`,
    });
  });

  it('a full refund at the provider cancels a future booking: hours free, code revoked, customer mailed, staff alerted', async () => {
    const booking = await confirmed();
    provider.move(booking.sessionId, 'refund all');
    await settlePayment(context, booking.sessionId);
    const row = await readRow(booking.id);
    expect(row).toMatchObject({ status: 'cancelled', reason: 'staff', state: 'refunded', refunded: CENTS });
    expect(row.jobs).toContain('access.revoke');
    expect(row.jobs).toContain('mail.booking-cancelled');
    expect(row.jobs).not.toContain('payment.refund');
    expect(await alerts(booking.paymentId)).toBe(1);
  });

  it('a full refund at the provider after the session leaves the booking unchanged', async () => {
    const booking = await confirmed();
    now = booking.start + 2 * HOUR;
    provider.move(booking.sessionId, 'refund all');
    await settlePayment(context, booking.sessionId);
    expect(await readRow(booking.id)).toMatchObject({ status: 'confirmed', state: 'refunded' });
    expect(await alerts(booking.paymentId)).toBe(1);
  });

  it('a dispute is recorded with an alert and keeps the booking; after a win it is paid again, after a loss dispute_lost', async () => {
    const [won, lost] = [await confirmed(), await confirmed()];
    for (const booking of [won, lost]) {
      provider.move(booking.sessionId, 'dispute');
      expect(await settlePayment(context, booking.sessionId)).toMatchObject({
        paid: true,
        payment: { state: 'disputed' },
      });
      expect(await alerts(booking.paymentId)).toBe(1);
    }
    provider.move(won.sessionId, 'dispute won');
    await settlePayment(context, won.sessionId);
    expect(await readRow(won.id)).toMatchObject({ status: 'confirmed', state: 'paid', dispute: 'won' });
    provider.move(lost.sessionId, 'dispute lost');
    await settlePayment(context, lost.sessionId);
    expect(await readRow(lost.id)).toMatchObject({ status: 'confirmed', state: 'dispute_lost', dispute: 'lost' });
    expect(await alerts(lost.paymentId)).toBe(2);
  });

  it('a dispute won after the booking was cancelled makes the refund due', async () => {
    const booking = await confirmed();
    provider.move(booking.sessionId, 'dispute');
    await settlePayment(context, booking.sessionId);
    await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'customer' where id = $1::uuid`, [
      booking.id,
    ]);
    provider.move(booking.sessionId, 'dispute won');
    await settlePayment(context, booking.sessionId);
    expect(await readRow(booking.id)).toMatchObject({
      state: 'refund_pending',
      jobs: expect.stringContaining('payment.refund'),
    });
  });

  it('an event that cannot be handled stays in the inbox and is retried; staff are alerted at the third failure', async () => {
    const booking = await hold();
    provider.move(booking.sessionId, 'pay');
    const [event] = provider.events;
    if (!event) throw new Error('no event');
    provider.failing = new ProviderError('stripe', 'no_response', { retryable: true, ambiguous: true });
    await acceptEvent(forCalls(context), event);
    for (let round = 0; round < 3; round += 1) {
      now += HOUR;
      await handleDueEvents(context);
    }
    expect(await alerts(event.id)).toBe(1);
    expect(await readRow(booking.id)).toMatchObject({ status: 'pending' });
    provider.failing = null;
    now += HOUR;
    expect(await handleDueEvents(context)).toBe(1);
    expect(await readRow(booking.id)).toMatchObject({ status: 'confirmed' });
    expect(await handleDueEvents(context)).toBe(0);
  });

  it.each<readonly [string, readonly ProviderMove[], string]>([
    ['a payment', ['pay'], 'paid'],
    ['a delayed payment that succeeded', ['delay', 'delay succeeds'], 'paid'],
    ['a delayed payment that failed', ['delay', 'delay fails'], 'failed'],
    ['a refund made at the provider', ['pay', 'refund all'], 'refunded'],
    ['a dispute', ['pay', 'dispute'], 'disputed'],
  ])('reconciliation finds %s that no webhook reported, and finds it once', async (_what, moves, state) => {
    const booking = await hold();
    for (const move of moves) provider.move(booking.sessionId, move);
    expect(await reconcilePayments(context)).toBeGreaterThan(0);
    expect(await readRow(booking.id)).toMatchObject({ state });
    expect(await reconcilePayments(context)).toBe(0);
  });

  it('reconciliation follows a payment that processes for longer than its window', async () => {
    const booking = await hold();
    provider.move(booking.sessionId, 'delay');
    await settlePayment(context, booking.sessionId);
    provider.move(booking.sessionId, 'delay succeeds');
    const old = { ...provider.payments, listSessions: async () => [], listEvents: async () => [] };
    await reconcilePayments({ ...context, payments: old });
    expect(await readRow(booking.id)).toMatchObject({ status: 'confirmed', state: 'paid' });
  });

  it('a failed step of reconciliation is logged and thrown, and does not stop the others', async () => {
    const booking = await hold();
    provider.move(booking.sessionId, 'pay');
    const refuse = (): Promise<never> =>
      Promise.reject(new ProviderError('stripe', 'no_response', { retryable: true }));
    const payments = { ...provider.payments, listSessions: refuse };
    await expect(reconcilePayments({ ...context, payments })).rejects.toThrow(ProviderError);
    expect(errors).toContain('a part of the reconciliation failed; the next run repeats it');
    expect(await readRow(booking.id)).toMatchObject({ status: 'confirmed' });
  });

  /** Possible histories of a payment, as sequences of moves at the provider. */
  const HISTORIES: readonly (readonly ProviderMove[])[] = [
    ['pay'],
    ['expire'],
    ['delay', 'delay succeeds'],
    ['delay', 'delay fails'],
    ['pay', 'refund part'],
    ['pay', 'refund part', 'refund all'],
    ['pay', 'refund all'],
    ['pay', 'dispute', 'dispute lost'],
    ['delay', 'delay succeeds', 'refund part', 'dispute', 'dispute lost'],
    ['pay', 'dispute', 'dispute won'],
    ['pay', 'dispute', 'dispute won', 'refund all'],
  ];

  it(
    `events in any order, late, early or twice, end with the same rows (${RUNS} runs)`,
    { timeout: 600_000 },
    async () => {
      const runEvents = async (moves: readonly ProviderMove[], deliveries: readonly number[]): Promise<Row> => {
        newProvider();
        const booking = await hold();
        let at = 0;
        for (const choice of deliveries) {
          // Either the next move happens at the provider, or one of the earlier events arrives, possibly again.
          const event = provider.events[choice % (provider.events.length + 1)];
          const next = moves[at];
          if (event)
            await acceptEvent(forCalls(context), { ...event, id: choice % 3 === 0 ? event.id : `evt_${randomUUID()}` });
          else if (next) {
            provider.move(booking.sessionId, next);
            at += 1;
          }
        }
        for (const move of moves.slice(at)) provider.move(booking.sessionId, move);
        const order = provider.events.toSorted((a, b) => (a.id < b.id ? -1 : 1));
        for (const event of order) await acceptEvent(forCalls(context), event);
        // The order of events varies; the final state does not.
        return { ...(await readRow(booking.id)), jobs: null };
      };
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...HISTORIES),
          fc.array(fc.nat(20), { maxLength: 12 }),
          async (moves, deliveries) => {
            const inOrder = await runEvents(moves, []);
            expect(await runEvents(moves, deliveries)).toEqual(inOrder);
          },
        ),
        { numRuns: RUNS },
      );
    },
  );
});
