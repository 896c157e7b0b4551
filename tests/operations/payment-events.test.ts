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
import { addPerson, embedded, HOUR, MINUTE, START } from './booking-system.ts';
import { createPaymentCases, noResponse, refused, type PaymentCases } from './payment-cases.ts';

let db: Database;
let close: () => Promise<void>;
let { system, payments, payment, readBooking, readPayments, readJobKinds, inboxRows, held, unanswered } =
  {} as PaymentCases;

beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  ({ system, payments, payment, readBooking, readPayments, readJobKinds, inboxRows, held, unanswered } =
    await createPaymentCases(db));
});

describe('the status of a payment', () => {
  test('comes from the provider, or from the stored rows while the provider does not answer', async () => {
    const { id, session } = await held();
    expect(await readPaymentStatus(payment, session)).toMatchObject({
      booking: { id },
      paid: false,
      waiting: false,
      codeHeld: false,
    });
    system.provider.failing = noResponse;
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
    system.provider.failing = noResponse;
    expect(await readPaymentStatus(payment, session)).toMatchObject({
      paid: true,
      waiting: false,
      payment: { state: 'paid' },
    });
  });

  test('is refused for an unknown session, and fails when the provider refuses or nothing is stored', async () => {
    await expect(readPaymentStatus(payment, 'cs_test_unknown')).rejects.toMatchObject({
      code: 'not_found',
      message: 'Booking not found',
    });
    for (const id of ['free_nothing', `free_${randomUUID()}`])
      await expect(readPaymentStatus(payment, id)).rejects.toMatchObject({
        code: 'not_found',
        message: 'Booking not found',
      });
    const { id, session } = await held();
    await expect(readPaymentStatus(payment, `free_${id}`)).rejects.toMatchObject({ code: 'not_found' });
    system.provider.failing = noResponse;
    await expect(readPaymentStatus(payment, 'cs_test_unknown')).rejects.toBe(noResponse);
    system.provider.failing = refused;
    await expect(readPaymentStatus(payment, session)).rejects.toBe(refused);
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

  test('about a payment of another program is stored as handled and logged', async () => {
    const session = event('checkout.session.completed', 'cs_test_of_others');
    const refund = event('charge.refunded', 'ch_of_others', 'pi_of_others');
    await acceptEvent(payment, session);
    await acceptEvent(payment, refund);
    expect((await inboxRows()).map((row) => row.handled)).toEqual([true, true]);
    expect(system.logFields).toEqual([
      { event: session.id, object: 'cs_test_of_others', reason: 'not_found' },
      { event: refund.id, object: 'ch_of_others', reason: 'not_found' },
    ]);
  });

  test('of another type is stored as handled without a call to the provider', async () => {
    system.provider.failing = refused;
    await acceptEvent(payment, event('customer.created', 'cus_1'));
    await acceptEvent(payment, event('charge.refunded', 'ch_1', null));
    expect((await inboxRows()).map((row) => row.handled)).toEqual([true, true]);
  });

  test('finds its payment by session or intent, and is handled once when it arrives twice', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'pay');
    const paid = event('checkout.session.completed', session);
    await acceptEvent(payment, paid);
    await acceptEvent(payment, paid);
    expect(await readBooking(id)).toMatchObject({ status: 'confirmed' });
    expect(await inboxRows()).toEqual([{ id: paid.id, handled: true, tries: 1 }]);
    system.provider.move(session, 'refund all');
    const { paymentIntentId } = await payments.getSession(session);
    await acceptEvent(payment, event('charge.refunded', 'ch_1', paymentIntentId));
    expect(await readBooking(id)).toMatchObject({ status: 'cancelled' });
    expect(await readJobKinds(id)).toEqual(expect.arrayContaining(['access.revoke', 'mail.booking-cancelled']));
    expect(system.logged).toEqual([]);
  });

  test('finds a payment whose session was never stored by its intent', async () => {
    const { id, session } = await unanswered(true);
    system.provider.move(session, 'pay');
    const { paymentIntentId } = await payments.getSession(session);
    await acceptEvent(payment, event('charge.dispute.created', 'du_1', paymentIntentId));
    expect(await readBooking(id)).toMatchObject({ status: 'confirmed' });
    expect(await readPayments(id)).toMatchObject([{ session, state: 'paid' }]);
  });

  test('that cannot be handled is retried after growing waits; staff are alerted at the third failure', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'pay');
    system.provider.failing = noResponse;
    const paid = event('checkout.session.completed', session);
    const alerts = () =>
      db.queryRow(
        `select details - 'at' as details from public.audit_logs where action = 'alert' and resource_type = 'webhook' and resource_id = $1`,
        [paid.id],
      );
    await acceptEvent(payment, paid);
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const row = await db.queryRow<{ at: Date; error: string }>(
        'select next_try_at as at, last_error as error from private.webhook_inbox where event_id = $1',
        [paid.id],
      );
      expect(row?.error).toBe('stripe no_response');
      waits.push((row?.at.getTime() ?? 0) - system.state.now);
      expect((await alerts()) === null).toBe(round < 2);
      expect(await handleDueEvents(payment)).toBe(0);
      system.state.now = row?.at.getTime() ?? 0;
      if (round < 2) expect(await handleDueEvents(payment)).toBe(0);
    }
    expect(waits).toEqual([2_000, 4_000, 8_000]);
    expect(await alerts()).toEqual({ details: { type: paid.type, reason: 'stripe no_response' } });
    system.provider.failing = null;
    expect(await handleDueEvents(payment)).toBe(1);
    expect(await readBooking(id)).toMatchObject({ status: 'confirmed' });
    expect(await inboxRows()).toEqual([{ id: paid.id, handled: true, tries: 4 }]);
  });
});

describe('a processing payment', () => {
  test('is recorded once, however often it is settled', async () => {
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
      await settlePayment(system.services, session);
      expect(await since()).toEqual([{ at: new Date(START), audits: 1 }]);
      system.state.now += MINUTE;
    }
    expect((await readJobKinds(id)).filter((kind) => kind === 'mail.payment-processing')).toHaveLength(1);
  });

  test('of a hold that was released is followed without a mail, and refunded when it arrives', async () => {
    const { id, session, person } = await held();
    await releaseOwnHold(system.services, id, person);
    expect(await readPayments(id)).toMatchObject([{ state: 'expired' }]);
    system.provider.force(session, 'delay');
    await settlePayment(system.services, session);
    expect(await readPayments(id)).toMatchObject([{ state: 'processing' }]);
    expect(await readBooking(id)).toEqual({ status: 'cancelled', reason: 'abandoned' });
    expect(await readJobKinds(id)).toEqual([]);
    system.provider.move(session, 'delay succeeds');
    await settlePayment(system.services, session);
    expect(await readPayments(id)).toMatchObject([{ state: 'refund_pending' }]);
    expect(await readJobKinds(id)).toEqual(['mail.payment-returned', 'payment.refund']);
  });
});

describe('reconciliation by the sessions alone', () => {
  test.each([
    ['pay', 'paid', 'confirmed'],
    ['delay', 'processing', 'pending'],
    ['expire', 'expired', 'cancelled'],
  ] as const)('after "%s" brings the payment to %s, and a second run finds nothing', async (move, state, booking) => {
    const { id, session } = await held();
    system.provider.move(session, move);
    system.provider.events.length = 0;
    expect(await reconcilePayments(system.services)).toBe(1);
    expect(await readPayments(id)).toMatchObject([{ state }]);
    expect(await readBooking(id)).toMatchObject({ status: booking });
    await db.query('delete from private.webhook_inbox');
    expect(await reconcilePayments(system.services)).toBe(0);
    expect(await inboxRows()).toEqual([]);
  });

  test.each([
    ['pay', 'paid'],
    ['delay', 'processing'],
  ] as const)('also brings a payment stored without a URL after "%s" to %s', async (move, state) => {
    const { id, session } = await unanswered(true);
    await settlePayment(system.services, session);
    expect(await readPayments(id)).toMatchObject([{ state: 'intent', session }]);
    system.provider.move(session, move);
    system.provider.events.length = 0;
    expect(await reconcilePayments(system.services)).toBe(1);
    expect(await readPayments(id)).toMatchObject([{ state }]);
  });

  test('brings a processing payment that fails to failed', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'delay');
    await settlePayment(system.services, session);
    system.provider.move(session, 'delay fails');
    system.provider.events.length = 0;
    expect(await reconcilePayments(system.services)).toBe(1);
    expect(await readPayments(id)).toMatchObject([{ state: 'failed' }]);
    expect(await readBooking(id)).toEqual({ status: 'cancelled', reason: 'payment_failed' });
  });
});

describe('a hold whose payment is not kept', () => {
  test('is cancelled when the provider refunded all of it, and the customer is mailed', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'pay');
    system.provider.move(session, 'refund all');
    await settlePayment(system.services, session);
    expect(await readBooking(id)).toEqual({ status: 'cancelled', reason: 'staff' });
    expect(await readJobKinds(id)).toEqual(['mail.booking-cancelled']);
  });

  test('is cancelled when the provider calls it free, with one alert that names both amounts', async () => {
    const { id, session } = await held();
    const { getSession } = payments;
    payments.getSession = async (sessionId) => ({
      ...(await getSession(sessionId)),
      status: 'complete',
      paymentStatus: 'no_payment_required',
    });
    const { amountCents } = await getSession(session);
    await settlePayment(system.services, session);
    expect(await readBooking(id)).toEqual({ status: 'cancelled', reason: 'amount_mismatch' });
    await settlePayment(system.services, session);
    const { rows } = await db.query(
      `select l.details from public.audit_logs l join private.payment p on p.id::text = l.resource_id
       where l.action = 'alert' and p.booking_id = $1::uuid`,
      [id],
    );
    const alert = { bookingId: id, reason: 'amount_mismatch', expected: amountCents, got: amountCents };
    expect(rows).toEqual([{ details: expect.objectContaining(alert) }]);
  });
});

describe('a refund in the audit log', () => {
  const readAudit = async (bookingId: string) =>
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

  test('is ours without an alert when we made it', async () => {
    const { id, person } = await booked();
    await cancelBooking(system.services, id, person);
    await system.jobs.drain();
    expect(await readAudit(id)).toEqual([
      { action: 'update', reason: null, state: null, by: 'us' },
      { action: 'update', reason: null, state: 'refunded', by: null },
    ]);
  });

  test.each([
    ['paid', []],
    ['disputed', ['inquiry']],
  ] as const)('is an alert when it was made at the provider for a payment that was %s', async (_state, moves) => {
    const { id, sessionId } = await booked();
    for (const move of moves) system.provider.move(sessionId, move);
    await settlePayment(system.services, sessionId);
    system.provider.move(sessionId, 'refund all');
    payments.listRefunds = async () => [{ id: `re_${id}`, status: 'succeeded', amountCents: 100_000, key: null }];
    await settlePayment(system.services, sessionId);
    expect(await readAudit(id)).toEqual([
      { action: 'update', reason: null, state: null, by: 'provider' },
      { action: 'alert', reason: 'refunded_at_provider', state: 'refunded', by: null },
    ]);
  });

  test('of a part, made at the provider, leaves the rest due without a failure', async () => {
    const { id, sessionId, person } = await booked();
    await cancelBooking(system.services, id, person);
    system.provider.move(sessionId, 'refund part');
    await settlePayment(system.services, sessionId);
    expect(await readPayments(id)).toMatchObject([{ state: 'refund_pending' }]);
    expect((await readJobKinds(id)).filter((kind) => kind === 'payment.refund')).toHaveLength(1);
    await system.jobs.drain();
    expect(await readPayments(id)).toMatchObject([{ state: 'refunded' }]);
    expect((await readAudit(id)).map(({ action }) => action)).not.toContain('alert');
  });
});
