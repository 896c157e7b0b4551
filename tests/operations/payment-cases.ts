import { expect } from 'vitest';
import { createSingleFlight } from '#server/operations/core/single-flight.ts';
import type { Database } from '#server/db/database.ts';
import { holdBooking, type HoldRequest } from '#server/operations/bookings/hold.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import type { CallServices } from '#server/operations/core/services.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Payments } from '#server/providers/ports.ts';
import { addPerson, createBookingSystem } from './booking-system.ts';
import { forCalls } from '#tests/support/providers/services.ts';

/** Holds and payments in the states from which the tests of the payment operations start. */

export const noResponse = new ProviderError('stripe', 'no_response', { retryable: true, ambiguous: true });
export const refused = new ProviderError('stripe', 'parameter_invalid', { retryable: false });
export const missing = new ProviderError('stripe', 'resource_missing', { retryable: false });
export const fails = (error: Error) => () => Promise.reject(error);

export type PaymentCases = Awaited<ReturnType<typeof createPaymentCases>>;

/** Creates a booking system on a database after freeing all hours and emptying the queues. */
export async function createPaymentCases(db: Database) {
  await db.query('delete from private.outbox');
  await db.query('delete from private.webhook_inbox');
  await db.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
  );
  await db.query(`update private.payment set state = 'expired' where state in ('intent', 'open')`);
  await db.query(`update private.payment set state = 'failed' where state = 'processing'`);
  const system = await createBookingSystem(db);
  /** The provider's port, whose calls a test can replace individually. */
  const payments: { -readonly [Call in keyof Payments]: Payments[Call] } = system.provider.payments;
  const payment: CallServices = {
    ...forCalls(system.services),
    config: { ...system.services.config, answerWithinMs: 1_500 },
    settlements: createSingleFlight(),
  };

  const readBooking = (id: string) =>
    db.queryRow<{ status: string; reason: string | null }>(
      'select status, cancel_reason as reason from private.booking where id = $1::uuid',
      [id],
    );
  const readPayments = async (bookingId: string) =>
    (
      await db.query<{ attempt: number; state: string; key: string; session: string | null }>(
        'select attempt, state, key, session_id as session from private.payment where booking_id = $1::uuid order by attempt',
        [bookingId],
      )
    ).rows;
  const readJobKinds = async (bookingId: string): Promise<readonly string[]> =>
    (
      await db.query<{ kind: string }>(
        `select kind from private.outbox where subject_id = $1::uuid or subject_id in (select id from private.payment where booking_id = $1::uuid) order by kind`,
        [bookingId],
      )
    ).rows.map((row) => row.kind);
  const inboxRows = async () =>
    (
      await db.query<{ id: string; handled: boolean; tries: number }>(
        'select event_id as id, handled_at is not null as handled, tries from private.webhook_inbox order by event_id',
      )
    ).rows;

  /** Makes a hold with an open payment session. */
  async function held(
    more: Partial<HoldRequest> = {},
  ): Promise<{ id: string; person: string; session: string; request: HoldRequest; url: string | null }> {
    const person = await addPerson(db);
    const request = system.request(person, more);
    const { bookingId, url } = await holdBooking(system.services, request);
    return { id: bookingId, person, session: await system.readSessionId(bookingId), request, url };
  }
  /** Makes a hold whose create call lost its answer. `created`: the provider created the session nevertheless. */
  async function unanswered(
    created: boolean,
  ): Promise<{ id: string; person: string; request: HoldRequest; session: string }> {
    const person = await addPerson(db);
    const request = system.request(person);
    const { createSession, findSession } = payments;
    let session = '';
    payments.createSession = async (input) => {
      if (created) session = (await createSession(input)).id;
      throw noResponse;
    };
    payments.findSession = fails(noResponse);
    const refusal = await holdBooking(system.services, request).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'provider_unavailable',
      message: 'We can’t reach the payment service right now. Your time is held, so please try again in a moment.',
      details: { bookingId: expect.any(String) },
    });
    Object.assign(payments, { createSession, findSession });
    const { id } = (await db.queryRow<{ id: string }>('select id from private.booking where user_id = $1::uuid', [
      person,
    ])) ?? {
      id: '',
    };
    return { id, person, request, session };
  }

  /**
   * Runs the jobs, then compares every payment of a booking and of its waiting moves with the provider, to the cent. Returns the amounts
   * paid and refunded; for payments made elsewhere, the amount that staff must refund by hand.
   */
  async function requireMoney(bookingId: string): Promise<{ readonly paid: number; readonly returned: number }> {
    await system.jobs.drain();
    const { rows: sessions } = await db.query<{ id: string }>(
      `select p.session_id as id from private.payment p join private.booking b on b.id = p.booking_id
       where $1::uuid in (b.id, b.moves_booking) and p.paid_cents > 0 and p.kind <> 'elsewhere'`,
      [bookingId],
    );
    const elsewhere = await db.queryRow<{ paid: number; returned: number }>(
      `select coalesce(sum(p.paid_cents), 0)::int as paid, coalesce(sum(x.cents), 0)::int as returned
       from private.payment p left join lateral (
         select sum(r.amount_cents) as cents from private.partial_refund r where r.payment_id = p.id and r.state <> 'covered') x on true
       where p.booking_id = $1::uuid and p.kind = 'elsewhere' and p.paid_cents > 0`,
      [bookingId],
    );
    let [paid, returned] = [elsewhere?.paid ?? 0, elsewhere?.returned ?? 0];
    for (const { id } of sessions) {
      await settlePayment(payment, id);
      const ours = await db.queryRow<{ paid: number; refunded: number; counted: number }>(
        `select p.paid_cents as paid, p.refunded_cents as counted,
           (select coalesce(sum(r.amount_cents), 0)::int from private.refund r where r.payment_id = p.id and r.status = 'succeeded') as refunded
         from private.payment p where p.session_id = $1`,
        [id],
      );
      const { amountCents, paymentIntentId } = await payments.getSession(id);
      const refunds = await payments.listRefunds(paymentIntentId ?? '');
      const back = refunds
        .filter(({ status }) => status === 'succeeded')
        .reduce((total, refund) => total + refund.amountCents, 0);
      expect(ours).toEqual({ paid: amountCents, refunded: back, counted: back });
      expect(back).toBeLessThanOrEqual(amountCents);
      paid += amountCents;
      returned += back;
    }
    return { paid, returned };
  }

  return {
    system,
    payments,
    payment,
    requireMoney,
    readBooking,
    readPayments,
    readJobKinds,
    inboxRows,
    held,
    unanswered,
  };
}
