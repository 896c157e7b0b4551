import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { applyMove } from './apply-move.ts';
import { moveProblem, type Place, termsStartAfter } from './movable.ts';

/** The actor if a row has none. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

const toPlace = ({ studioId, startTime, endTime }: BookingFacts): Place => ({
  studioId,
  startTime,
  endTime,
});

/**
 * Reads the booking that moves into the hours of a locked hold. Null if it can no longer move, because it is not confirmed, has moved
 * since, or has progressed too far. The payment then came too late.
 */
export async function readMovable(tx: Transaction, hold: BookingFacts, now: Date): Promise<BookingFacts | null> {
  const booking = hold.movesBooking === null ? null : await lockBooking(tx, hold.movesBooking);
  if (booking === null || booking.moves + 1 !== hold.moveNumber) return null;
  return moveProblem(booking, toPlace(hold), now) === null ? booking : null;
}

/**
 * Moves a booking into the hours of a hold whose difference has been paid, and ends the hold, in the caller's transaction. The payment must
 * already belong to the booking that moves.
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
      ...toPlace(hold),
      studioName: hold.studioName,
      hours: hold.totalHours,
      slots: hold.slots,
      baseCents: hold.baseCostCents,
      discountCents: hold.discountCents,
      couponDiscountCents: hold.couponDiscountCents,
      waivedCents: hold.waivedCents,
      // Money owed to the customer also pays for the new hours.
      finalCents: booking.finalCostCents - Math.min(booking.owedCents, 0) + differenceCents,
      owedCents: 0,
      termsStart: termsStartAfter(booking, toPlace(hold), hold.madeBy === null),
    },
    {
      money: { differenceCents, refundCents: 0, byHandCents: 0, paidCents: differenceCents },
      actor: hold.madeBy ?? booking.userId ?? NOBODY,
      now,
      mailAt: now,
    },
  );
}
