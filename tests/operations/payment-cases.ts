import { expect } from 'vitest';
import type { PaymentStatusContext } from '#server/operations/payments/read-status.ts';
import { createSingleFlight } from '#server/operations/core/single-flight.ts';
import type { Database } from '#server/db/database.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Payments } from '#server/providers/ports.ts';
import { addPerson, type BookingSystem, createBookingSystem } from './booking-system.ts';

/** Holds and their payments as tests of the payment operations begin them. */

export const noAnswer = new ProviderError('stripe', 'no_answer', { retryable: true, ambiguous: true });
export const saysNo = new ProviderError('stripe', 'parameter_invalid', { retryable: false });
export const isUnknown = new ProviderError('stripe', 'resource_missing', { retryable: false });
export const fails = (error: Error) => () => Promise.reject(error);

type ParsedRequest = ReturnType<BookingSystem['request']>;
export type PaymentCases = Awaited<ReturnType<typeof createPaymentCases>>;

/** A new booking system on a database whose hours are all free and whose queues are empty. */
export async function createPaymentCases(db: Database) {
  await db.query('delete from private.outbox');
  await db.query('delete from private.webhook_inbox');
  await db.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
  );
  await db.query(`update private.payment set state = 'expired' where state in ('intent', 'open')`);
  await db.query(`update private.payment set state = 'failed' where state = 'processing'`);
  const system = await createBookingSystem(db);
  /** The provider's port, whose calls a test replaces one by one. */
  const payments: { -readonly [Call in keyof Payments]: Payments[Call] } = system.provider.payments;
  const payment: PaymentStatusContext = { ...system.booking, answerWithinMs: 1_500, settlements: createSingleFlight() };

  const bookingOf = (id: string) =>
    db.one<{ status: string; reason: string | null }>(
      'select status, cancel_reason as reason from private.booking where id = $1::uuid',
      [id],
    );
  const paymentsOf = async (bookingId: string) =>
    (
      await db.query<{ attempt: number; state: string; key: string; session: string | null }>(
        'select attempt, state, key, session_id as session from private.payment where booking_id = $1::uuid order by attempt',
        [bookingId],
      )
    ).rows;
  const jobsOf = async (bookingId: string): Promise<readonly string[]> =>
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

  /** A hold with its open pay page. */
  async function held(
    more: Partial<ParsedRequest> = {},
  ): Promise<{ id: string; person: string; session: string; asked: ParsedRequest; url: string | null }> {
    const person = await addPerson(db);
    const asked = system.request(person, more);
    const { bookingId, url } = await holdBooking(system.booking, asked);
    return { id: bookingId, person, session: await system.sessionOf(bookingId), asked, url };
  }
  /** A hold whose pay page was asked for while the provider gave no answer. `made`: it had made the page all the same. */
  async function unanswered(
    made: boolean,
  ): Promise<{ id: string; person: string; asked: ParsedRequest; session: string }> {
    const person = await addPerson(db);
    const asked = system.request(person);
    const { createSession, findSession } = payments;
    let session = '';
    payments.createSession = async (input) => {
      if (made) session = (await createSession(input)).id;
      throw noAnswer;
    };
    payments.findSession = fails(noAnswer);
    const refused = await holdBooking(system.booking, asked).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'provider_unavailable',
      message: 'We can’t reach the payment service right now. Your time is held, so please try again in a moment.',
      details: { bookingId: expect.any(String) },
    });
    Object.assign(payments, { createSession, findSession });
    const { id } = (await db.one<{ id: string }>('select id from private.booking where user_id = $1::uuid', [
      person,
    ])) ?? {
      id: '',
    };
    return { id, person, asked, session };
  }

  return { system, payments, payment, bookingOf, paymentsOf, jobsOf, inboxRows, held, unanswered };
}
