import { DatabaseError } from '#server/db/database.ts';
import { isBlocked } from '../core/blocked.ts';
import { Refusal } from '../core/refusal.ts';
import { customerBlocked } from '../bookings/checkout-facts.ts';
import type { Span } from '../bookings/price.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import { type BookableContext, requireBookable } from './bookable-span.ts';

type Outcome = { outcome: 'held'; until: string } | { outcome: 'verified' | 'taken' | 'limit' };

/**
 * Holds hours for ten minutes while a customer with a confirmed address verifies the ID: up to four hours, once at a time, three times a day, and the same
 * hours once an hour, by whomever. Returns until when. A repeated call answers the same. `address`: the network address of the caller, '' when unknown; three of
 * its early holds in an hour are granted. Throws `Refusal`: without one of these hours nothing is lost, they are just not held.
 */
export async function holdEarly(
  { db, clock }: BookableContext,
  request: Span & { readonly userId: string; readonly studioId: string; readonly address: string },
): Promise<Date> {
  const now = clock();
  const { slots } = await requireBookable({ db, clock }, request);
  const { userId, studioId, startTime, endTime, address } = request;
  const row = await db
    .one<{ answer: Outcome }>(
      'select private.hold_early($1::uuid, $2::uuid, $3::timestamptz, $4::timestamptz, $5::int, $6, $7::timestamptz) as answer',
      [userId, studioId, startTime, endTime, slots.length, address, now],
    )
    .catch(async (error: unknown) => {
      if (error instanceof DatabaseError && error.constraint === 'booking_not_closed')
        throw new Refusal('slot_closed', 'The studio is closed at this time. Please choose another.');
      if (isBlocked(error)) throw customerBlocked(await readBookingRules(db));
      throw error;
    });
  switch (row?.answer.outcome) {
    case 'held':
      return new Date(row.answer.until);
    case 'verified':
      throw new Refusal('already_done', 'Your ID is verified: you can book these hours.');
    case 'taken':
      throw new Refusal('slot_taken', 'Someone else just booked this time. Please choose another.');
    case 'limit':
      throw new Refusal(
        'too_many_holds',
        'We can’t hold these hours while you verify your ID. You can book them as soon as it’s done, if they’re still free.',
      );
    case undefined:
      throw new Error('hold_early returned no row');
  }
}
