import type { JsonObject } from '#database/types.ts';
import type { Transaction } from '#server/db/database.ts';
import { queueAccess } from '../access/queue-access.ts';
import { type BookingFacts, type CancelReason, lockSeries } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';
import { addPartialRefund, addSplitRefund } from './partial-refunds.ts';
import { isByHand, leftCents, type PaidPayment } from './payment-rows.ts';

/** Delay of the mail about an expired link, so that it is not sent when staff cancel the hold. */
const EXPIRED_LINK_WAIT_MS = 60_000;

/** Confirms a pending booking and queues its mails and access code, in the caller's transaction. `actor`: the account for the audit log. */
export async function confirmBooking(
  { clock }: Services,
  tx: Transaction,
  booking: BookingFacts,
  actor: string | null = booking.userId,
): Promise<void> {
  const now = clock();
  await tx.query(
    `update private.booking set status = 'confirmed', confirmed_at = $2::timestamptz where id = $1::uuid and status = 'pending'`,
    [booking.id, now],
  );
  // A series gets one mail.
  if (isFirst(booking)) await enqueue(tx, { kind: 'mail.booking-confirmed', subjectId: booking.id, dueAt: now });
  await queueAccess(
    tx,
    {
      id: booking.id,
      start: booking.startTime,
      hasAddress: booking.userId !== null || booking.guestEmail !== null,
    },
    now,
  );
  await recordAudit(tx, {
    actor,
    action: 'update',
    resource: 'booking',
    id: booking.id,
    details: { status: 'confirmed' },
  });
}

/** Returns whether mails about a whole series belong to this booking, because it is the first one or was made alone. */
const isFirst = ({ id, orderId }: Pick<BookingFacts, 'id' | 'orderId'>): boolean => orderId === null || orderId === id;

/** Confirms a free booking or series, in the caller's transaction. */
export async function confirmFree(services: Services, tx: Transaction, bookingId: string): Promise<void> {
  const bookings = await lockSeries(tx, bookingId);
  if (bookings.length === 0) throw new Refusal('not_found', 'Booking not found');
  for (const booking of bookings) {
    await tx.query(
      `update private.payment set state = 'paid', paid_at = $2::timestamptz, paid_cents = 0 where booking_id = $1::uuid and kind = 'free'`,
      [booking.id, services.clock()],
    );
    await confirmBooking(services, tx, booking);
  }
}

/** Who cancels a booking, why, and what is refunded. */
export type Cancelling = {
  readonly by: 'customer' | 'staff';
  /** The refund from the payments of the booking: everything that can be refunded now, or an amount in cents. Null for no refund. */
  readonly refund: {
    readonly paid: readonly PaidPayment[];
    readonly cents: 'all' | number;
    readonly reason: string;
    readonly actor: string;
  } | null;
  /** The account that acted, for the audit log; null for the server. */
  readonly actor: string | null;
  /** The details of the audit log entry. */
  readonly details: JsonObject;
  /** The reason for a cancellation by the server; the customer's mail mentions it. */
  readonly because?: 'id_missing' | undefined;
  readonly now: Date;
  /** When the refund, the mail and the end of the access codes are due. */
  readonly dueAt: Date;
};

/**
 * Cancels a locked booking for a person: releases its hours, queues the refund, the mail and the end of its access codes, and writes the
 * audit log. A hold ends with its whole series, which must be locked. The caller has checked that the booking may be cancelled, and decided
 * on the refund.
 */
export async function cancelAndRefund(
  tx: Transaction,
  { id }: BookingFacts,
  { by, refund, actor, details, because, now, dueAt }: Cancelling,
): Promise<{ readonly refundCents: number; readonly byHand: boolean }> {
  await cancelRows(tx, id, by, now);
  await recordAudit(tx, { actor, action: 'update', resource: 'booking', id, details });
  const returned = refund === null ? NOTHING : await queueRefund(tx, by, refund, dueAt);
  const payload = because === undefined ? {} : { because };
  await enqueue(tx, { kind: 'mail.booking-cancelled', subjectId: id, payload, dueAt });
  await enqueue(tx, { kind: 'access.revoke', subjectId: id, dueAt });
  return returned;
}

const NOTHING = { refundCents: 0, byHand: false };

/** Queues the refund. A full refund skips disputed payments; they are refunded if the bank decides in our favour. */
async function queueRefund(
  tx: Transaction,
  by: Cancelling['by'],
  { paid, cents, ...part }: NonNullable<Cancelling['refund']>,
  dueAt: Date,
): Promise<{ readonly refundCents: number; readonly byHand: boolean }> {
  const requestKey = 'cancellation';
  if (cents !== 'all') {
    const split = await addSplitRefund(tx, paid, { ...part, requestKey, cents }, dueAt);
    return { refundCents: split.cents, byHand: split.byHandCents > 0 };
  }
  const due = paid.filter(({ payment, leftCents: remaining }) => payment.state === 'paid' && remaining > 0);
  for (const { payment, leftCents: remaining } of due) {
    if (isByHand(payment)) {
      await addPartialRefund(tx, { ...part, paymentId: payment.id, requestKey, cents: remaining }, dueAt);
      continue;
    }
    await tx.query(`update private.payment set state = 'refund_pending', refund_reason = $2 where id = $1::uuid`, [
      payment.id,
      by,
    ]);
    await enqueue(tx, { kind: 'payment.refund', subjectId: payment.id, dueAt });
  }
  return { refundCents: leftCents(due), byHand: due.some(({ payment }) => isByHand(payment)) };
}

type CancelledRow = Pick<BookingFacts, 'id' | 'madeBy' | 'orderId'>;

/** Cancels the row of a booking, and for a hold the rows of its whole series. The slots are free once the transaction commits. */
async function cancelRows(
  tx: Transaction,
  bookingId: string,
  reason: CancelReason,
  now: Date,
): Promise<readonly CancelledRow[]> {
  const { rows } = await tx.query<CancelledRow>(
    `update private.booking set status = 'cancelled', cancel_reason = $2, cancelled_at = $3::timestamptz
     where id = $1::uuid or (status = 'pending' and order_id = (select b.order_id from private.booking b where b.id = $1::uuid))
     returning id, made_by as "madeBy", order_id as "orderId"`,
    [bookingId, reason, now],
  );
  return rows;
}

/**
 * Releases a hold with its whole series, which must be locked, and writes the audit log. If a payment link was not paid, the customer and
 * staff are mailed.
 */
export async function cancelBookingRow(
  { clock }: Services,
  tx: Transaction,
  bookingId: string,
  reason: CancelReason,
): Promise<void> {
  for (const booking of await cancelRows(tx, bookingId, reason, clock())) {
    await recordAudit(tx, {
      actor: null,
      action: 'update',
      resource: 'booking',
      id: booking.id,
      details: { status: 'cancelled', reason },
    });
    if (reason === 'hold_expired' && booking.madeBy && isFirst(booking))
      await tellOfExpiredLink(tx, booking.id, booking.madeBy, clock());
  }
}

/**
 * Queues the mails about an expired payment link: to the customer, and to the member of staff who sent it, or to the owners if that person
 * has lost the permission.
 */
async function tellOfExpiredLink(tx: Transaction, bookingId: string, madeBy: string, now: Date): Promise<void> {
  // If staff release the hold, their decision is stored shortly after its session is closed. By the time the mail is due, it is known.
  const dueAt = new Date(now.getTime() + EXPIRED_LINK_WAIT_MS);
  await enqueue(tx, { kind: 'mail.link-expired', subjectId: bookingId, dueAt });
  const { rows } = await tx.query<{ id: string }>(
    `with staff as (select distinct p.user_id as id, p.user_id = $1::uuid as own from public.staff_permissions p
       where p.permission = 'owner' or p.permission = 'bookings' and p.user_id = $1::uuid)
     select s.id from staff s where s.own or not exists (select from staff x where x.own)`,
    [madeBy],
  );
  for (const { id } of rows)
    await enqueue(tx, {
      kind: 'mail.link-expired-staff',
      subjectId: bookingId,
      dedupe: id,
      payload: { staffId: id },
      dueAt,
    });
}
