import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { releaseOwnHold } from '#server/operations/bookings/release.ts';
import { readPaymentStatus } from '#server/operations/payments/read-status.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { reconcilePayments } from '#server/operations/reconciliation/reconcile-payments.ts';
import { acceptEvent, handleDueEvents } from '#server/operations/webhooks/handle-events.ts';
import type { ProviderEvent } from '#server/providers/ports.ts';
import { addPerson, databases, HOUR, MINUTE, START } from './booking-system.ts';
import { createPaymentCases, noAnswer, saysNo, type PaymentCases } from './payment-cases.ts';

const [embedded] = databases;
let db: Database;
let close: () => Promise<void>;
let { system, payments, payment, bookingOf, paymentsOf, jobsOf, inboxRows, held, unanswered } = {} as PaymentCases;

beforeAll(async () => {
  if (!embedded) throw new Error('there is always an embedded database');
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  ({ system, payments, payment, bookingOf, paymentsOf, jobsOf, inboxRows, held, unanswered } =
    await createPaymentCases(db));
});

describe('how a payment stands', () => {
  test('is answered by the provider, and from what is known while it gives no answer', async () => {
    const { id, session } = await held();
    expect(await readPaymentStatus(payment, session)).toMatchObject({ booking: { id }, paid: false, waiting: false });
    system.provider.failing = noAnswer;
    expect(await readPaymentStatus(payment, session)).toMatchObject({
      booking: { id },
      payment: { state: 'open' },
      paid: false,
      waiting: true,
    });
    system.provider.failing = null;
    system.provider.move(session, 'pay');
    expect(await readPaymentStatus(payment, session)).toMatchObject({
      paid: true,
      waiting: false,
      booking: { status: 'confirmed' },
    });
    system.provider.failing = noAnswer;
    expect(await readPaymentStatus(payment, session)).toMatchObject({
      paid: true,
      waiting: false,
      payment: { state: 'paid' },
    });
  });

  test('is refused for a session of nobody, and fails when the provider refuses or nothing is known', async () => {
    await expect(readPaymentStatus(payment, 'cs_test_unknown')).rejects.toMatchObject({ code: 'not_found' });
    for (const id of ['free_nothing', `free_${randomUUID()}`])
      await expect(readPaymentStatus(payment, id)).rejects.toMatchObject({
        code: 'not_found',
        message: 'Booking not found',
      });
    const { id, session } = await held();
    await expect(readPaymentStatus(payment, `free_${id}`)).rejects.toMatchObject({ code: 'not_found' });
    system.provider.failing = noAnswer;
    await expect(readPaymentStatus(payment, 'cs_test_unknown')).rejects.toBe(noAnswer);
    system.provider.failing = saysNo;
    await expect(readPaymentStatus(payment, session)).rejects.toBe(saysNo);
  });
});

describe('an event of the provider', () => {
  const event = (type: string, objectId: string, paymentIntentId: string | null = null): ProviderEvent => ({
    id: `evt_${randomUUID()}`,
    type,
    objectId,
    paymentIntentId,
    livemode: false,
  });

  test('about a payment of another program is kept as handled, with a line in the log', async () => {
    const session = event('checkout.session.completed', 'cs_test_of_others');
    const refund = event('charge.refunded', 'ch_of_others', 'pi_of_others');
    await acceptEvent(payment, session);
    await acceptEvent(payment, refund);
    expect((await inboxRows()).map((row) => row.handled)).toEqual([true, true]);
    expect(system.logFields).toEqual([
      { event: session.id, object: 'cs_test_of_others' },
      { event: refund.id, object: 'ch_of_others' },
    ]);
  });

  test('of a kind nobody asked for is kept as handled without asking the provider', async () => {
    system.provider.failing = saysNo;
    await acceptEvent(payment, event('customer.created', 'cus_1'));
    await acceptEvent(payment, event('charge.refunded', 'ch_1', null));
    expect((await inboxRows()).map((row) => row.handled)).toEqual([true, true]);
  });

  test('names the payment by its session or by its intent; sent twice it is handled once', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'pay');
    const paid = event('checkout.session.completed', session);
    await acceptEvent(payment, paid);
    await acceptEvent(payment, paid);
    expect(await bookingOf(id)).toMatchObject({ status: 'confirmed' });
    expect(await inboxRows()).toEqual([{ id: paid.id, handled: true, tries: 1 }]);
    system.provider.move(session, 'refund all');
    const { paymentIntentId } = await payments.getSession(session);
    await acceptEvent(payment, event('charge.refunded', 'ch_1', paymentIntentId));
    expect(await bookingOf(id)).toMatchObject({ status: 'cancelled' });
    expect(await jobsOf(id)).toEqual(expect.arrayContaining(['access.revoke', 'mail.booking-cancelled']));
    expect(system.logged).toEqual([]);
  });

  test('of a payment whose session was never stored finds it by the intent', async () => {
    const { id, session } = await unanswered(true);
    system.provider.move(session, 'pay');
    const { paymentIntentId } = await payments.getSession(session);
    await acceptEvent(payment, event('charge.dispute.created', 'du_1', paymentIntentId));
    expect(await bookingOf(id)).toMatchObject({ status: 'confirmed' });
    expect(await paymentsOf(id)).toMatchObject([{ session, state: 'paid' }]);
  });

  test('that cannot be handled is tried again later and later, and told to a person at the third failure', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'pay');
    system.provider.failing = noAnswer;
    const paid = event('checkout.session.completed', session);
    const alerts = () =>
      db.one(
        `select details - 'at' as details from public.audit_logs where action = 'alert' and resource_type = 'webhook' and resource_id = $1`,
        [paid.id],
      );
    await acceptEvent(payment, paid);
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const row = await db.one<{ at: Date; error: string }>(
        'select next_try_at as at, last_error as error from private.webhook_inbox where event_id = $1',
        [paid.id],
      );
      expect(row?.error).toBe('stripe no_answer');
      waits.push((row?.at.getTime() ?? 0) - system.state.now);
      expect((await alerts()) === null).toBe(round < 2);
      expect(await handleDueEvents(payment)).toBe(0);
      system.state.now = row?.at.getTime() ?? 0;
      if (round < 2) expect(await handleDueEvents(payment)).toBe(0);
    }
    expect(waits).toEqual([2_000, 4_000, 8_000]);
    expect(await alerts()).toEqual({ details: { type: paid.type, reason: 'stripe no_answer' } });
    system.provider.failing = null;
    expect(await handleDueEvents(payment)).toBe(1);
    expect(await bookingOf(id)).toMatchObject({ status: 'confirmed' });
    expect(await inboxRows()).toEqual([{ id: paid.id, handled: true, tries: 4 }]);
  });
});

describe('a payment that is being processed', () => {
  test('is written down once, however often the provider is asked', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'delay');
    const since = async () =>
      (
        await db.query<{ at: Date; audits: number }>(
          `select p.processing_at as at, (select count(*)::int from public.audit_logs l
             where l.resource_id = p.id::text and l.details ->> 'state' = 'processing') as audits
           from private.payment p where p.booking_id = $1::uuid`,
          [id],
        )
      ).rows;
    for (let round = 0; round < 3; round += 1) {
      await settlePayment(system.booking, session);
      expect(await since()).toEqual([{ at: new Date(START), audits: 1 }]);
      system.state.now += MINUTE;
    }
    expect((await jobsOf(id)).filter((kind) => kind === 'mail.payment-processing')).toHaveLength(1);
  });

  test('for a hold that was given up meanwhile is followed without a mail, and goes back when it arrives', async () => {
    const { id, session, person } = await held();
    await releaseOwnHold(system.booking, id, person);
    expect(await paymentsOf(id)).toMatchObject([{ state: 'expired' }]);
    system.provider.move(session, 'delay');
    await settlePayment(system.booking, session);
    expect(await paymentsOf(id)).toMatchObject([{ state: 'processing' }]);
    expect(await bookingOf(id)).toEqual({ status: 'cancelled', reason: 'abandoned' });
    expect(await jobsOf(id)).toEqual([]);
    system.provider.move(session, 'delay succeeds');
    await settlePayment(system.booking, session);
    expect(await paymentsOf(id)).toMatchObject([{ state: 'refund_pending' }]);
    expect(await jobsOf(id)).toEqual(['mail.payment-returned', 'payment.refund']);
  });
});

describe('reconciliation by the sessions alone', () => {
  test.each([
    ['pay', 'paid', 'confirmed'],
    ['delay', 'processing', 'pending'],
    ['expire', 'expired', 'cancelled'],
  ] as const)(
    'brings a session that was moved by "%s" to %s, and has nothing more to do',
    async (move, state, booking) => {
      const { id, session } = await held();
      system.provider.move(session, move);
      system.provider.events.length = 0;
      expect(await reconcilePayments(system.booking)).toBe(1);
      expect(await paymentsOf(id)).toMatchObject([{ state }]);
      expect(await bookingOf(id)).toMatchObject({ status: booking });
      await db.query('delete from private.webhook_inbox');
      expect(await reconcilePayments(system.booking)).toBe(0);
      expect(await inboxRows()).toEqual([]);
    },
  );

  test.each([
    ['pay', 'paid'],
    ['delay', 'processing'],
  ] as const)('brings one that was stored without an address and moved by "%s" to %s', async (move, state) => {
    const { id, session } = await unanswered(true);
    await settlePayment(system.booking, session);
    expect(await paymentsOf(id)).toMatchObject([{ state: 'intent', session }]);
    system.provider.move(session, move);
    system.provider.events.length = 0;
    expect(await reconcilePayments(system.booking)).toBe(1);
    expect(await paymentsOf(id)).toMatchObject([{ state }]);
  });

  test('brings a payment that is being processed and fails to failed', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'delay');
    await settlePayment(system.booking, session);
    system.provider.move(session, 'delay fails');
    system.provider.events.length = 0;
    expect(await reconcilePayments(system.booking)).toBe(1);
    expect(await paymentsOf(id)).toMatchObject([{ state: 'failed' }]);
    expect(await bookingOf(id)).toEqual({ status: 'cancelled', reason: 'payment_failed' });
  });
});

describe('a hold whose payment cannot be kept', () => {
  test('because all of it was given back at the provider is cancelled, and the customer is told', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'pay');
    system.provider.move(session, 'refund all');
    await settlePayment(system.booking, session);
    expect(await bookingOf(id)).toEqual({ status: 'cancelled', reason: 'staff' });
    expect(await jobsOf(id)).toEqual(['mail.booking-cancelled']);
  });

  test('because the provider calls it free is cancelled with one alert that names both amounts', async () => {
    const { id, session } = await held();
    const { getSession } = payments;
    payments.getSession = async (asked) => ({
      ...(await getSession(asked)),
      status: 'complete',
      paymentStatus: 'no_payment_required',
    });
    const { amountCents } = await getSession(session);
    await settlePayment(system.booking, session);
    expect(await bookingOf(id)).toEqual({ status: 'cancelled', reason: 'amount_mismatch' });
    await settlePayment(system.booking, session);
    const { rows } = await db.query(
      `select l.details from public.audit_logs l join private.payment p on p.id::text = l.resource_id
       where l.action = 'alert' and p.booking_id = $1::uuid`,
      [id],
    );
    const alert = { bookingId: id, reason: 'amount_mismatch', expected: amountCents, got: amountCents };
    expect(rows).toEqual([{ details: expect.objectContaining(alert) }]);
  });
});

describe('what the audit log says of a refund', () => {
  const auditOf = async (bookingId: string) =>
    (
      await db.query<{ action: string; reason: string | null; state: string | null; by: string | null }>(
        `select l.action, l.details ->> 'reason' as reason, l.details ->> 'state' as state, l.details ->> 'madeBy' as by
         from public.audit_logs l join private.payment p on p.id::text = l.resource_id
         where p.booking_id = $1::uuid and (l.details ? 'madeBy' or l.details ->> 'state' = 'refunded') order by l.created_at`,
        [bookingId],
      )
    ).rows;
  async function booked(): Promise<{ id: string; sessionId: string; person: string }> {
    const person = await addPerson(db);
    const startTime = new Date(START + 96 * HOUR);
    return { person, ...(await system.book(person, { startTime, endTime: new Date(+startTime + HOUR) })) };
  }

  test('made by us is that we made it, without an alert', async () => {
    const { id, person } = await booked();
    await cancelBooking(system.booking, id, person);
    await system.jobs.drain();
    expect(await auditOf(id)).toEqual([
      { action: 'update', reason: null, state: null, by: 'us' },
      { action: 'update', reason: null, state: 'refunded', by: null },
    ]);
  });

  test.each([
    ['paid', []],
    ['disputed', ['dispute']],
  ] as const)('made at the provider of a payment that was %s is an alert', async (_state, moves) => {
    const { id, sessionId } = await booked();
    for (const move of moves) system.provider.move(sessionId, move);
    await settlePayment(system.booking, sessionId);
    system.provider.move(sessionId, 'refund all');
    payments.listRefunds = async () => [{ id: `re_${id}`, status: 'succeeded', amountCents: 100_000, ours: false }];
    await settlePayment(system.booking, sessionId);
    expect(await auditOf(id)).toEqual([
      { action: 'update', reason: null, state: null, by: 'provider' },
      { action: 'alert', reason: 'refunded_at_provider', state: 'refunded', by: null },
    ]);
  });

  test('of a part at the provider leaves the rest owed, which is no failure', async () => {
    const { id, sessionId, person } = await booked();
    await cancelBooking(system.booking, id, person);
    system.provider.move(sessionId, 'refund part');
    await settlePayment(system.booking, sessionId);
    expect(await paymentsOf(id)).toMatchObject([{ state: 'refund_pending' }]);
    expect((await jobsOf(id)).filter((kind) => kind === 'payment.refund')).toHaveLength(1);
    await system.jobs.drain();
    expect(await paymentsOf(id)).toMatchObject([{ state: 'refunded' }]);
    expect((await auditOf(id)).map(({ action }) => action)).not.toContain('alert');
  });
});

describe('several disputes about one payment', () => {
  test.each([
    ['newest first', false],
    ['oldest first', true],
  ])('count by the newest, named %s; a dispute that is open queues no refund', async (_order, turned) => {
    const person = await addPerson(db);
    const { id, sessionId } = await system.book(person);
    await db.query('delete from private.outbox');
    system.provider.move(sessionId, 'dispute');
    const older = { id: `du_${randomUUID()}`, status: 'won', createdAt: new Date(START) } as const;
    const newer = { id: `du_${randomUUID()}`, status: 'open', createdAt: new Date(START + MINUTE) } as const;
    payments.listDisputes = () => Promise.resolve(turned ? [older, newer] : [newer, older]);
    expect(await settlePayment(system.booking, sessionId)).toMatchObject({
      paid: true,
      payment: { state: 'disputed', disputeId: newer.id, disputeStatus: 'open' },
    });
    expect(await jobsOf(id)).toEqual([]);
  });

  test('won after the booking was cancelled is refunded then', async () => {
    const person = await addPerson(db);
    const startTime = new Date(START + 72 * HOUR);
    const { id, sessionId } = await system.book(person, { startTime, endTime: new Date(+startTime + HOUR) });
    system.provider.move(sessionId, 'dispute');
    await settlePayment(system.booking, sessionId);
    expect(await cancelBooking(system.booking, id, person)).toEqual({ refund: 'none', amountCents: 0 });
    await system.jobs.drain();
    expect(system.provider.refundKeys).toEqual([]);
    system.provider.move(sessionId, 'dispute won');
    await settlePayment(system.booking, sessionId);
    expect(await paymentsOf(id)).toMatchObject([{ state: 'refund_pending' }]);
    await system.jobs.drain();
    expect(system.provider.refundKeys).toHaveLength(1);
    expect(await paymentsOf(id)).toMatchObject([{ state: 'refunded' }]);
  });
});
