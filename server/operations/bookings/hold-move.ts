import { moveHoldEnd, ownMoveHoldEnd } from '#rules/payment-link.ts';
import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, type BookingJson, toBooking } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { tooManyHours, type UnpaidHours } from '../core/too-many-holds.ts';
import type { NewHours } from '../moves/apply-move.ts';
import type { Place } from '../moves/movable.ts';
import { sessionExpiry } from '../payments/session-expiry.ts';
import { resolveHoldMinutes, readBookingRules } from '../settings/booking-rules.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/**
 * Returns until when new hours would be held for their payment, either by a mailed link or by a customer who pays immediately. Null if it
 * is too late.
 */
export async function moveLinkEnd(
  { config }: Services,
  tx: Transaction,
  booking: BookingFacts,
  { to, now }: { readonly to: Place & { readonly customer?: string }; readonly now: Date },
): Promise<Date | null> {
  const holdMinutes = resolveHoldMinutes(config, await readBookingRules(tx));
  const from = { studioId: booking.studioId, start: booking.startTime, end: booking.endTime };
  const holdEnd = to.customer === undefined ? moveHoldEnd : ownMoveHoldEnd;
  return holdEnd(from, { studioId: to.studioId, start: to.startTime, end: to.endTime }, now, holdMinutes);
}

/** Reads the hold of new hours of a locked booking that waits for payment; null if there is none. */
export async function readMoveHold(tx: Transaction, bookingId: string): Promise<BookingFacts | null> {
  const row = await tx.queryRow<{ facts: BookingJson }>(
    `select private.booking_json(b) as facts from private.booking b
     where b.moves_booking = $1::uuid and b.status = 'pending' order by b.created_at desc, b.id limit 1`,
    [bookingId],
  );
  return row && toBooking(row.facts);
}

type HeldHours = NewHours & {
  readonly differenceCents: number;
  readonly actor: string;
  /** The customer, who pays immediately. Undefined if staff have a link mailed. */
  readonly customer?: string;
  /** The saved card to charge; null for the pay page. */
  readonly card: string | null;
  readonly now: Date;
};

/**
 * Holds the new hours of a locked booking until the difference is paid, in the caller's transaction. Stores the payment, and queues the
 * mail with the link if staff move the booking. Earlier holds of new hours of this booking expire, unless their payment is processing: the
 * first one that is paid moves the booking, and any other payment is refunded. Returns null if the hours are taken. Throws `Refusal` if it
 * is too late to pay, or if a customer has started too many payments.
 */
export async function holdMove(
  services: Services,
  tx: Transaction,
  booking: BookingFacts,
  to: HeldHours,
): Promise<BookingFacts | null> {
  const { config } = services;
  const { now, actor, customer, differenceCents } = to;
  const until = await moveLinkEnd(services, tx, booking, { to, now });
  if (until === null)
    throw new Refusal(
      'too_late',
      customer === undefined
        ? 'It’s too close to the start for a payment link.'
        : 'It’s too late to pay for this change.',
      { differenceCents },
    );
  if (customer !== undefined) {
    await requireFewHolds(tx, customer, now, config.limitFactor);
    await requireFewHours(tx, booking.id, { customer, hours: to.hours, now });
  }
  await tx.query(
    `update private.booking b set hold_expires_at = least(b.hold_expires_at, $2::timestamptz)
     where b.moves_booking = $1::uuid and b.status = 'pending' and not private.payment_is_processing(b.id)`,
    [booking.id, now],
  );
  const hold = await insertHold(tx, booking, to, until);
  if (hold === null) return null;
  await tx.query(
    `insert into private.payment (booking_id, attempt, kind, key, session_expires_at, amount_cents, card)
     values ($1::uuid, 1, 'card', $2, $3::timestamptz, $4::int, $5)`,
    [hold.id, `create:${hold.id}:1`, sessionExpiry(now, until, config.sessionMinutes), differenceCents, to.card],
  );
  if (customer === undefined)
    await enqueue(tx, { kind: 'mail.payment-link', subjectId: hold.id, dueAt: now, deadlineAt: until });
  const { studioId, startTime, endTime } = to;
  await recordAudit(tx, {
    actor,
    action: 'update',
    resource: 'booking',
    id: booking.id,
    details: { waitsForPayment: { studioId, startTime, endTime, until, hold: hold.id }, differenceCents },
  });
  return hold;
}

/** Limits the unpaid holds of new hours per hour, because each one blocks hours for others. The limit covers all bookings of a customer. */
async function requireFewHolds(tx: Transaction, customer: string, now: Date, limitFactor: number): Promise<void> {
  const row = await tx.queryRow<{ holds: number; oldest: Date }>(
    `select count(*)::int as holds, min(b.created_at) as oldest
     from private.booking m join private.booking b on b.moves_booking = m.id
     where m.user_id = $1::uuid and b.made_by is null and b.created_at > $2::timestamptz - interval '1 hour'
       and b.cancel_reason is distinct from 'replaced'`,
    [customer, now],
  );
  const { holdsPerHour } = await readBookingRules(tx);
  if (row === null || row.holds < holdsPerHour * limitFactor) return;
  const retryAfter = Math.max(1, Math.ceil((row.oldest.getTime() + 3_600_000 - now.getTime()) / 1000));
  throw new Refusal('too_many_holds', 'You’ve started several changes without paying. Please wait a while.', {
    retryAfter,
  });
}

/** Limits the unpaid hours of the account. The new hours replace those that the booking already waits for. */
async function requireFewHours(
  tx: Transaction,
  bookingId: string,
  { customer, hours, now }: { customer: string; hours: number; now: Date },
): Promise<void> {
  const allowance = await tx.queryRow<Omit<UnpaidHours, 'hours'>>(
    `select a.fit::float8 as fit, a.most::float8 as most, a.most_of_booking::float8 as "mostOfBooking"
     from private.unpaid_allowance($1::uuid, $2::timestamptz,
       array(select b.id from private.booking b where b.moves_booking = $3::uuid and b.status = 'pending')) a`,
    [customer, now, bookingId],
  );
  if (allowance === null) throw new Error('unpaid_allowance returned no row');
  if (hours > Math.min(allowance.fit, allowance.mostOfBooking)) throw tooManyHours({ hours, ...allowance });
}

/** Inserts the hold as a separate booking row, with the difference as its price. Its customer is that of the booking that moves. */
async function insertHold(
  tx: Transaction,
  booking: BookingFacts,
  to: HeldHours,
  until: Date,
): Promise<BookingFacts | null> {
  const row = await tx.queryRow<{ facts: BookingJson }>(
    `insert into private.booking as b (reference, moves_booking, move_number, studio_id, studio_name, start_time, end_time, status,
       hold_expires_at, total_hours, slots, base_cost_cents, discount_cents, coupon_discount_cents, waived_cents, final_cost_cents, made_by,
       created_at)
     values (private.new_reference(), $1::uuid, $2::int, $3::uuid, $4, $5::timestamptz, $6::timestamptz, 'pending',
       $7::timestamptz, $8::numeric, $9::jsonb -> 'slots', $10::int, $11::int, $12::int, $13::int, $14::int, $15::uuid,
       $16::timestamptz)
     on conflict do nothing returning private.booking_json(b) as facts`,
    [
      booking.id,
      booking.moves + 1,
      to.studioId,
      to.studioName,
      to.startTime,
      to.endTime,
      until,
      to.hours,
      { slots: to.slots },
      to.baseCents,
      to.discountCents,
      to.couponDiscountCents,
      to.waivedCents,
      to.differenceCents,
      to.customer === undefined ? to.actor : null,
      to.now,
    ],
  );
  return row && toBooking(row.facts);
}
