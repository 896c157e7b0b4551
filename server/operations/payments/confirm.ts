import type { Transaction } from '#server/db/database.ts';
import { queueAccess } from '../access/queue-access.ts';
import { type BookingFacts, type CancelReason, lockOrder } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** How long the mail about an expired link waits. */
const EXPIRED_LINK_WAIT_MS = 60_000;

/** Confirms a pending booking and queues its mails and access code, in the caller's transaction. `actor`: for the audit log. */
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
  // One mail for an order.
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

/** Whether mails about all of an order belong to this booking: it is the first one, or was made alone. */
const isFirst = ({ id, orderId }: Pick<BookingFacts, 'id' | 'orderId'>): boolean => orderId === null || orderId === id;

/** Confirms a booking that costs nothing, or an order, in the caller's transaction. */
export async function confirmFree(services: Services, tx: Transaction, bookingId: string): Promise<void> {
  const bookings = await lockOrder(tx, bookingId);
  if (bookings.length === 0) throw new Refusal('not_found', 'Booking not found');
  for (const booking of bookings) {
    await tx.query(
      `update private.payment set state = 'paid', paid_at = $2::timestamptz, paid_cents = 0 where booking_id = $1::uuid and kind = 'free'`,
      [booking.id, services.clock()],
    );
    await confirmBooking(services, tx, booking);
  }
}

/**
 * Cancels a booking row, for a hold with all of its order, and writes the audit log; the slots are free when the transaction commits. When
 * nobody paid by a link of staff, customer and staff are told. The order of a hold must be locked.
 */
export async function cancelBookingRow(
  { clock }: Services,
  tx: Transaction,
  bookingId: string,
  reason: CancelReason,
): Promise<void> {
  const { rows } = await tx.query<Pick<BookingFacts, 'id' | 'madeBy' | 'orderId'>>(
    `update private.booking set status = 'cancelled', cancel_reason = $2, cancelled_at = $3::timestamptz
     where id = $1::uuid or (status = 'pending' and order_id = (select b.order_id from private.booking b where b.id = $1::uuid))
     returning id, made_by as "madeBy", order_id as "orderId"`,
    [bookingId, reason, clock()],
  );
  for (const booking of rows) {
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

/** Queues the mails about a link that nobody paid: to the customer, and to who of the staff sent it, or to the owners. */
async function tellOfExpiredLink(tx: Transaction, bookingId: string, madeBy: string, now: Date): Promise<void> {
  // Staff who release a hold say so a moment after its session was closed.
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
