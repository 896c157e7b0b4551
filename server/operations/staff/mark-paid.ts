import { randomUUID } from 'node:crypto';
import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, latestPayment, lockSeries, type PaymentFacts, readBooking } from '../core/booking-rows.ts';
import { blockedForStaff, isBlocked } from '../core/blocked.ts';
import { type MoneyRight, requireConcession } from '../core/concessions.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { endAttempt, paymentOnItsWay } from '../payments/close-session.ts';
import { confirmBooking } from '../payments/confirm.ts';
import { lockPayment } from '../payments/payment-rows.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

export type PaidElsewhere = {
  readonly bookingId: string;
  readonly actor: string;
  /** Whether the booking may be paid elsewhere. Undefined counts as `missing`. */
  readonly money?: MoneyRight;
};

/**
 * Confirms a booking or series that staff made and whose link was not paid, because its customer has paid in another way, such as in cash
 * or by bank transfer. The link is closed at the provider first, so that it cannot be paid as well. Idempotent. Throws `Refusal`, or
 * `ProviderError` if it is unknown whether the link can still be paid; nothing is changed in that case.
 */
export async function markPaid(services: Services, request: PaidElsewhere): Promise<BookingFacts> {
  requireConcession(request.money, { kind: 'elsewhere' });
  const booking = await readBooking(services.db, request.bookingId);
  // The payment session of a series belongs to its first booking.
  const first = booking?.orderId ? await readBooking(services.db, booking.orderId) : booking;
  if (!booking || !first) throw new Refusal('not_found', 'Booking not found');
  const payment = await latestPayment(services.db, first.id);
  if (isMarked(first, payment)) return booking;
  const open = requireUnpaidLink(first, payment);
  if (!(await endAttempt(services, first, open))) {
    const settled = await readBooking(services.db, first.id);
    throw settled?.status === 'pending' ? paymentOnItsWay(settled.id) : paidByLink();
  }
  failpoint('staff-mark-paid.after.close');
  try {
    await services.db.transaction((tx) => confirmPaid(services, tx, open, request.actor));
  } catch (error) {
    if (isBlocked(error)) throw blockedForStaff();
    throw error;
  }
  return (await readBooking(services.db, booking.id)) ?? booking;
}

/** Confirms the bookings in place of the payment by the link. `open`: that payment, whose link has been closed. */
async function confirmPaid(services: Services, tx: Transaction, open: PaymentFacts, actor: string): Promise<void> {
  const bookings = await lockSeries(tx, open.bookingId);
  const [held] = bookings;
  const last = await latestPayment(tx, open.bookingId);
  if (held === undefined) throw linkOver();
  if (isMarked(held, last)) return;
  const ended = await lockPayment(tx, requireUnpaidLink(held, last).id);
  // Another call has created a new link in the meantime, which is not closed.
  if (ended?.id !== open.id) throw paymentOnItsWay(held.id);
  const id = randomUUID();
  const shareOf = bookings.length > 1 ? id : null;
  for (const booking of bookings) {
    const share = booking === held ? ended : await latestPayment(tx, booking.id);
    if (share === null) throw new Error('each booking of an order has a share of its payment');
    await storePayment(services, tx, share, { id: booking === held ? id : randomUUID(), shareOf, actor });
    await confirmBooking(services, tx, booking, actor);
  }
}

/** Returns whether an earlier call has already marked the booking as paid. */
const isMarked = ({ confirmedAt }: BookingFacts, payment: PaymentFacts | null): boolean =>
  confirmedAt !== null && payment?.kind === 'elsewhere';

/** Returns the unpaid payment by a link. Throws `Refusal` if the booking does not wait for one. */
function requireUnpaidLink(booking: BookingFacts, payment: PaymentFacts | null): PaymentFacts {
  if (booking.status === 'confirmed') throw paidByLink();
  if (booking.status === 'cancelled') throw linkOver();
  if (booking.madeBy === null || booking.movesBooking !== null)
    throw new Refusal('invalid_request', 'Only a booking that staff made, with a link, can be marked as paid.', {
      field: 'bookingId',
    });
  if (payment?.kind !== 'card' || !['intent', 'open', 'expired'].includes(payment.state))
    throw paymentOnItsWay(booking.id);
  return payment;
}

const paidByLink = (): Refusal =>
  new Refusal('already_done', 'This booking is already paid, so nothing was changed. Reload the booking.');

/** Builds the refusal that staff get if the hold of the link has ended. */
const linkOver = (): Refusal =>
  new Refusal('slot_taken', 'This link was not paid in time, so the hours are free again. Book them again.');

/** Stores the payment made elsewhere as the next attempt, because the kind of a payment never changes. The attempt by the link ends. */
async function storePayment(
  { clock }: Services,
  tx: Transaction,
  link: PaymentFacts,
  { id, shareOf, actor }: Pick<PaymentFacts, 'id' | 'shareOf'> & { readonly actor: string },
): Promise<void> {
  await tx.query(`update private.payment set state = 'expired' where id = $1::uuid`, [link.id]);
  await tx.query(
    `insert into private.payment (id, share_of, booking_id, attempt, kind, state, key, amount_cents, paid_cents, paid_at, created_at)
     values ($6::uuid, $7::uuid, $1::uuid, $2::int, 'elsewhere', 'paid', $3, $4::int, $4::int, $5::timestamptz, $5::timestamptz)`,
    [
      link.bookingId,
      link.attempt + 1,
      `create:${link.bookingId}:${link.attempt + 1}`,
      link.amountCents,
      clock(),
      id,
      shareOf,
    ],
  );
  await recordAudit(tx, {
    actor,
    action: 'update',
    resource: 'booking',
    id: link.bookingId,
    details: { before: { payment: 'link' }, after: { payment: 'elsewhere', paidCents: link.amountCents } },
  });
}
