import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, latestPayment, lockBooking, type PaymentFacts, readBooking } from '../core/booking-rows.ts';
import { blockedForStaff, isBlocked } from '../core/blocked.ts';
import { type MoneyRight, requireConcession } from '../core/concessions.ts';
import { failpoint } from '../core/failpoint.ts';
import { paymentOnItsWay } from '../core/payment-on-its-way.ts';
import { Refusal } from '../core/refusal.ts';
import { type AttemptContext, endAttempt } from '../payments/close-session.ts';
import { confirmBooking } from '../payments/confirm.ts';
import { lockPayment } from '../payments/payment-rows.ts';

export type PaidElsewhere = {
  readonly bookingId: string;
  readonly actor: string;
  /** Whether the booking may be paid elsewhere; undefined: it may not. */
  readonly money?: MoneyRight;
};

/**
 * Confirms a booking by staff whose link nobody has paid, because its customer has paid in another way: in cash, or by a transfer. The link is closed at
 * the provider first, so that nobody pays twice. Repeating it changes nothing. Throws `Refusal`, or `ProviderError` when nobody knows whether the
 * link can still be paid; then nothing was changed.
 */
export async function markPaid(context: AttemptContext, wanted: PaidElsewhere): Promise<BookingFacts> {
  requireConcession(wanted.money, { kind: 'elsewhere' });
  const booking = await readBooking(context.db, wanted.bookingId);
  if (!booking) throw new Refusal('not_found', 'Booking not found');
  const payment = await latestPayment(context.db, booking.id);
  if (isMarked(booking, payment)) return booking;
  const open = requireUnpaidLink(booking, payment);
  if (!(await endAttempt(context, booking, open))) {
    const settled = await readBooking(context.db, booking.id);
    throw settled?.status === 'pending' ? paymentOnItsWay(settled.id) : paidByLink();
  }
  failpoint('staff-mark-paid.after.close');
  try {
    return await context.db.transaction((tx) => confirmPaid(context, tx, booking, open, wanted.actor));
  } catch (error) {
    if (isBlocked(error)) throw blockedForStaff();
    throw error;
  }
}

async function confirmPaid(
  context: AttemptContext,
  tx: Transaction,
  booking: BookingFacts,
  open: PaymentFacts,
  actor: string,
): Promise<BookingFacts> {
  const held = await lockBooking(tx, booking.id);
  const last = await latestPayment(tx, booking.id);
  if (held === null) throw linkOver();
  if (isMarked(held, last)) return held;
  const ended = await lockPayment(tx, requireUnpaidLink(held, last).id);
  // Another call has made a new link meanwhile, which is not closed.
  if (ended?.id !== open.id) throw paymentOnItsWay(held.id);
  await storePayment(context, tx, ended, actor);
  await confirmBooking(context, tx, held, actor);
  return { ...held, status: 'confirmed' };
}

/** Whether the same call has done it before. */
const isMarked = ({ status }: BookingFacts, payment: PaymentFacts | null): boolean =>
  status === 'confirmed' && payment?.kind === 'elsewhere';

/** Returns the payment by a link that nobody has paid. Throws `Refusal` for a booking that does not wait for one. */
function requireUnpaidLink(booking: BookingFacts, payment: PaymentFacts | null): PaymentFacts {
  if (booking.status === 'confirmed') throw paidByLink();
  if (booking.status === 'cancelled') throw linkOver();
  if (booking.madeBy === null || booking.movesBooking !== null || booking.orderId !== null)
    throw new Refusal('invalid_request', 'Only a booking that staff made, with a link, can be marked as paid.', {
      field: 'bookingId',
    });
  if (payment?.kind !== 'card' || !['intent', 'open', 'expired'].includes(payment.state))
    throw paymentOnItsWay(booking.id);
  return payment;
}

const paidByLink = (): Refusal =>
  new Refusal('already_done', 'This booking is paid already. Look at it again: nothing was changed.');

/** The hold of the link is over, in words for staff. */
const linkOver = (): Refusal =>
  new Refusal('slot_taken', 'Nobody paid by this link in time, so the hours are free again. Book them anew.');

/** The kind of a payment never changes: the link ends, and what was paid elsewhere is the next attempt. */
async function storePayment(
  { clock }: Pick<AttemptContext, 'clock'>,
  tx: Pick<Transaction, 'query'>,
  link: PaymentFacts,
  actor: string,
): Promise<void> {
  await tx.query(`update private.payment set state = 'expired' where id = $1::uuid`, [link.id]);
  await tx.query(
    `insert into private.payment (booking_id, attempt, kind, state, key, amount_cents, paid_cents, paid_at, created_at)
     values ($1::uuid, $2::int, 'elsewhere', 'paid', $3, $4::int, $4::int, $5::timestamptz, $5::timestamptz)`,
    [link.bookingId, link.attempt + 1, `create:${link.bookingId}:${link.attempt + 1}`, link.amountCents, clock()],
  );
  await tx.query(`select private.audit($2::uuid, 'update', 'booking', $1, $3::jsonb)`, [
    link.bookingId,
    actor,
    { before: { payment: 'link' }, after: { payment: 'elsewhere', paidCents: link.amountCents } },
  ]);
}
