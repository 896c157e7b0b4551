import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { applyMove } from './apply-move.ts';
import { moveProblem, type Place, termsStartAfter } from './movable.ts';

/** Nobody: the actor of a row without one. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Where a hold of new hours is. */
const placeOf = ({ studioId, startTime, endTime }: BookingFacts): Place => ({
  studioId,
  startTime,
  endTime,
});

/**
 * Reads the booking that moves into the hours of a locked hold, if it still can: it is confirmed, has not moved since, and has not gone too far.
 * Null for money that comes too late.
 */
export async function readMovable(tx: Transaction, hold: BookingFacts, now: Date): Promise<BookingFacts | null> {
  const booking = hold.movesBooking === null ? null : await lockBooking(tx, hold.movesBooking);
  if (booking === null || booking.moves + 1 !== hold.moveNumber) return null;
  return moveProblem(booking, placeOf(hold), now) === null ? booking : null;
}

/**
 * Moves a booking into the hours of a hold whose difference is paid, and ends the hold, in the caller's transaction. The payment must be the
 * booking's already.
 */
export async function applyPaidMove(
  tx: Transaction,
  booking: BookingFacts,
  hold: BookingFacts,
  now: Date,
): Promise<void> {
  await tx.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'replaced', cancelled_at = $2::timestamptz where id = $1::uuid`,
    [hold.id, now],
  );
  const differenceCents = hold.finalCostCents;
  await applyMove(
    tx,
    booking,
    {
      ...placeOf(hold),
      studioName: hold.studioName,
      hours: hold.totalHours,
      slots: hold.slots,
      baseCents: hold.baseCostCents,
      discountCents: hold.discountCents,
      couponDiscountCents: hold.couponDiscountCents,
      waivedCents: hold.waivedCents,
      // What is owed back to the customer pays for the new hours too.
      finalCents: booking.finalCostCents - Math.min(booking.owedCents, 0) + differenceCents,
      owedCents: 0,
      termsStart: termsStartAfter(booking, placeOf(hold), hold.madeBy === null),
    },
    {
      money: { differenceCents, refundCents: 0, byHandCents: 0, paidCents: differenceCents },
      actor: hold.madeBy ?? booking.userId ?? NOBODY,
      now,
      mailAt: now,
    },
  );
}
