import { formatMoney } from '#rules/money.ts';
import { sameSlot, slotsOfSpan } from '#rules/slots.ts';
import { DatabaseError, type Transaction } from '#server/db/database.ts';
import { moveAccess } from '../access/move-access.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { startDeadline } from '../core/timeout.ts';
import { addPartialRefund } from '../payments/partial-refunds.ts';
import { paidPayment, refundableCents } from '../payments/payment-rows.ts';
import { isByHand } from './cancel.ts';
import type { BookingContext } from './context.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import { priceMove, type MovedPrice, storeMove } from './move-rows.ts';
import { readSpan, requireOpen } from './price.ts';
import { hoursTaken, readTaken } from './taken-hours.ts';
import { releaseInTheWay } from './release-expired.ts';

export type Move = {
  readonly bookingId: string;
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  /** Whether dearer hours cost no more than was paid. Otherwise they are refused. */
  readonly waive: boolean;
  readonly actor: string;
};

/** `differenceCents`: what the new hours cost more, or less than zero. `refundCents`: what goes back; `byHand` when staff give it back. */
export type Moved = { readonly differenceCents: number; readonly refundCents: number; readonly byHand: boolean };

/** How often a move is tried: expired holds in the way are released in between. */
const ROUNDS = 3;

/**
 * Moves a confirmed booking to other hours or another studio, in one transaction: the old hours stay until the new ones are sure. What the
 * new hours cost less is refunded. The access code and the mails follow. A session that has begun can only end later. The same move again
 * changes nothing. Throws `Refusal`: `price_changed` with `differenceCents` for dearer hours, `slot_taken` with the bookings in the way.
 */
export async function moveBooking(context: BookingContext, wanted: Move): Promise<Moved> {
  const timeLeft = startDeadline(context.settings.answerWithinMs);
  for (let round = 0; round < ROUNDS; round += 1) {
    try {
      const moved = await context.db.transaction((tx) => moveOnce(context, tx, wanted));
      failpoint('move.after.commit');
      return moved;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (error.constraint === 'booking_not_closed')
        throw new Refusal('slot_closed', 'The studio is closed at this time.');
      if (error.constraint !== 'booking_one_per_slot') throw error;
    }
    const now = context.clock().getTime();
    const taken = (await readTaken(context.db, wanted)).filter(({ id }) => id !== wanted.bookingId);
    const expired = taken.filter((one) => one.status === 'pending' && Date.parse(one.holdExpiresAt ?? '') <= now);
    const released = await releaseInTheWay(
      context,
      expired.map(({ id }) => id),
      timeLeft,
    );
    if (taken.length > 0 && !released) throw hoursTaken(taken);
  }
  throw hoursTaken([]);
}

async function moveOnce(context: BookingContext, tx: Transaction, wanted: Move): Promise<Moved> {
  const now = context.clock();
  // Two moves into each other's hours would wait for each other forever.
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('booking-move', 0))`);
  const booking = await lockBooking(tx, wanted.bookingId);
  if (!booking) throw new Refusal('not_found', 'Booking not found');
  const payment = await paidPayment(tx, booking.id);
  const byHand = isByHand(payment);
  if (isThere(booking, wanted)) return { ...(await lastMove(tx, booking)), byHand };
  requireMovable(booking, wanted, now);
  const price = await readPrice(tx, booking, wanted, now);
  if (price.differenceCents > 0 && !wanted.waive)
    throw new Refusal('price_changed', `The new hours cost ${formatMoney(price.differenceCents)} more.`, {
      differenceCents: price.differenceCents,
    });
  const left = payment === null ? 0 : await refundableCents(tx, payment);
  const refundCents = Math.max(0, Math.min(-price.differenceCents, left));
  const number = booking.moves + 1;
  await storeMove(tx, booking, wanted, { ...price, number, refundCents, now });
  if (payment !== null && refundCents > 0)
    await addPartialRefund(context, tx, {
      paymentId: payment.id,
      requestKey: `move:${number}`,
      cents: refundCents,
      reason: 'moved to hours that cost less',
      actor: wanted.actor,
    });
  await moveAccess(tx, booking, { number, start: wanted.startTime, now });
  const { studioName, startTime, endTime } = booking;
  await enqueue(tx, {
    kind: 'mail.booking-moved',
    subjectId: booking.id,
    dedupe: String(number),
    payload: { studioName, startTime, endTime, refundCents, byHand },
    dueAt: now,
  });
  failpoint('move.before.commit');
  return { differenceCents: price.differenceCents, refundCents, byHand: byHand && refundCents > 0 };
}

const isThere = (booking: BookingFacts, { studioId, startTime, endTime }: Move): boolean =>
  booking.status === 'confirmed' &&
  booking.studioId === studioId &&
  Date.parse(booking.startTime) === startTime.getTime() &&
  Date.parse(booking.endTime) === endTime.getTime();

async function lastMove(
  tx: Transaction,
  { id, moves }: BookingFacts,
): Promise<{ differenceCents: number; refundCents: number }> {
  const last = await tx.one<{ differenceCents: number; refundCents: number }>(
    `select difference_cents as "differenceCents", refund_cents as "refundCents" from private.booking_move
     where booking_id = $1::uuid and number = $2::int`,
    [id, moves],
  );
  return last ?? { differenceCents: 0, refundCents: 0 };
}

function requireMovable(booking: BookingFacts, { studioId, startTime, endTime }: Move, now: Date): void {
  if (booking.status === 'cancelled') throw new Refusal('already_done', 'This booking is cancelled.');
  if (booking.status === 'pending')
    throw new Refusal('not_confirmed', 'This booking hasn’t been paid yet. Cancel it and make another one.');
  const [start, end] = [Date.parse(booking.startTime), Date.parse(booking.endTime)];
  if (now.getTime() >= end) throw new Refusal('too_late', 'This booking is over.');
  if (now.getTime() < start) return;
  if (studioId !== booking.studioId || startTime.getTime() !== start || endTime.getTime() < end)
    throw new Refusal('too_late', 'This session has begun. It can only end later.');
}

/** Checks the hours that the booking does not have yet, as for a customer, and prices all of them. */
async function readPrice(tx: Transaction, booking: BookingFacts, wanted: Move, now: Date): Promise<MovedPrice> {
  const slots = readSpan(wanted);
  const own = slotsOfSpan(new Date(booking.startTime), new Date(booking.endTime)) ?? [];
  requireOpen(
    slots.filter((slot) => !own.some((one) => sameSlot(one, slot))),
    now,
    await readBookingRules(tx),
  );
  return priceMove(tx, booking, wanted.studioId, slots);
}
