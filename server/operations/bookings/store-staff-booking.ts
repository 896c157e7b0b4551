import { randomUUID } from 'node:crypto';
import type { Quote } from '#rules/pricing.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { DatabaseError, type Transaction, type Queryable } from '#server/db/database.ts';
import { type BookingFacts, type BookingJson, type PaymentFacts, toBooking } from '../core/booking-rows.ts';
import { blockedForStaff, isBlocked } from '../core/blocked.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { confirmBooking } from '../payments/confirm.ts';
import { sessionExpiry } from '../payments/session-expiry.ts';
import type { BookingRules } from '../settings/booking-rules.ts';
import type { MoneyRight } from '../core/concessions.ts';
import type { Span } from './price.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

export type StaffBooking = {
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  /** The Sydney dates on which the same hours are booked as a series, starting with the first; null or undefined for a single booking. */
  readonly series?: readonly StudioDate[] | null;
  /** In lower case. The booking is made for the account that has confirmed this address, or for a guest if there is none. */
  readonly customerEmail: string;
  /** The name of a guest. Ignored for an account, which has its own. */
  readonly customerName: string;
  /** In the format of `storedPhone`; null or undefined if none was given. */
  readonly customerPhone?: string | null;
  readonly payment: 'link' | 'free' | 'elsewhere';
  /** The price of each booking in cents, at most the list price. Null or undefined for the list price. Not allowed for a free booking. */
  readonly priceCents?: number | null;
  readonly notes: string | null;
  /** Identifies the request. If null, a booking of the same hours for the same address counts as the same one. */
  readonly requestId: string | null;
  readonly actor: string;
  /** Whether the booking may be free or paid elsewhere. Undefined counts as `missing`. */
  readonly money?: MoneyRight;
};
/** The hours of a booking with their price. */
export type PricedHours = Span & { readonly quote: Quote; readonly waivedCents: number };
/**
 * A booking or series to be stored: with the hours and price of each date, earliest first, the end of its hold, and the settings that were
 * applied.
 */
export type NewStaffBooking = StaffBooking & {
  readonly spans: readonly PricedHours[];
  readonly holdExpiresAt: Date;
  readonly rules: BookingRules;
};

/** Maps each way to pay to its kind of payment. */
const KINDS = { link: 'card', free: 'free', elsewhere: 'elsewhere' } as const satisfies Record<
  StaffBooking['payment'],
  PaymentFacts['kind']
>;

/**
 * Reads the booking that an earlier call of the same request made, for a series its first one; null if there is none. `spans`: the hours of
 * each booking. Throws `Refusal` if the request made a different booking.
 */
export async function findRepeated(
  db: Queryable,
  request: StaffBooking,
  spans: readonly Span[],
): Promise<BookingFacts | null> {
  const row = await db.queryRow<{ facts: BookingJson; same: boolean }>(
    `select private.booking_json(b) as facts,
       b.studio_id = $1::uuid and b.start_time = $2::timestamptz and b.end_time = $3::timestamptz and p.kind = $5
         and $4 in (u.email, b.guest_email) and b.final_cost_cents = coalesce($7::int, b.final_cost_cents)
         and array(select o.start_time from private.booking o where o.id = b.id or o.order_id = b.id order by o.order_place) = $8::timestamptz[] as same
     from private.booking b left join auth.users u on u.id = b.user_id left join private.payment p on p.booking_id = b.id and p.attempt = 1
     where b.made_by is not null and case when $6::text is not null then b.request_id = $6
       else b.studio_id = $1::uuid and b.start_time = $2::timestamptz and b.end_time = $3::timestamptz and b.status <> 'cancelled'
         and $4 in (u.email, b.guest_email) and coalesce(b.order_id, b.id) = b.id end
     limit 1`,
    [
      request.studioId,
      request.startTime,
      request.endTime,
      request.customerEmail,
      KINDS[request.payment],
      request.requestId,
      request.priceCents ?? null,
      spans.map(({ startTime }) => startTime),
    ],
  );
  if (row === null || row.same) return row && toBooking(row.facts);
  throw new Refusal('already_done', 'This request already made another booking.', {
    bookingId: row.facts.id,
    reference: row.facts.reference,
  });
}

/** Rolls back the bookings of a series stored so far, because some of its hours are taken. */
class TakenMeanwhile extends Error {}

/**
 * Stores the booking or series with payments, mails and audit entries, in one transaction. Returns the first booking, or null if hours are
 * taken. Throws `Refusal`.
 */
export async function storeBooking(
  services: Services,
  request: NewStaffBooking,
  now: Date,
): Promise<BookingFacts | null> {
  try {
    return await services.db.transaction((tx) => storeAll(services, tx, request, now));
  } catch (error) {
    if (error instanceof TakenMeanwhile) return null;
    if (error instanceof DatabaseError && error.constraint === 'booking_not_closed')
      throw new Refusal('slot_closed', 'The studio is closed at this time.');
    if (isBlocked(error)) throw blockedForStaff();
    throw error;
  }
}

async function storeAll(
  services: Services,
  tx: Transaction,
  request: NewStaffBooking,
  now: Date,
): Promise<BookingFacts> {
  // As in `private.hold_booking()`: a series locks several rows one after another, and a move may wait for one of them.
  if (request.spans.length > 1) await tx.query(`select pg_advisory_xact_lock(hashtextextended('booking-move', 0))`);
  const { studioName, userId } = await readPlace(tx, request);
  const bookings = await insertBookings(tx, request, { studioName, userId, now });
  const [first] = bookings;
  if (first === undefined) throw new Error('a booking has at least one span');
  await insertPayments(services, tx, bookings, { ...request, now });
  for (const booking of bookings) await audit(tx, booking, request);
  if (request.payment === 'link') {
    await enqueue(tx, {
      kind: 'mail.payment-link',
      subjectId: first.id,
      dueAt: now,
      deadlineAt: request.holdExpiresAt,
    });
    return first;
  }
  for (const booking of bookings) await confirmBooking(services, tx, booking, request.actor);
  return { ...first, status: 'confirmed' };
}

/** Reads the studio, and the account that has confirmed the address. */
async function readPlace(
  tx: Queryable,
  { studioId, customerEmail }: StaffBooking,
): Promise<{ studioName: string; userId: string | null }> {
  const place = await tx.queryRow<{ studioName: string; userId: string | null }>(
    `select s.name as "studioName",
       (select u.id from auth.users u where u.email = $2 and u.email_confirmed_at is not null and u.deleted_at is null) as "userId"
     from public.studios s where s.id = $1::uuid and s.active`,
    [studioId, customerEmail],
  );
  if (!place) throw new Refusal('not_found', 'Studio not found');
  return place;
}

/** Inserts the bookings, earliest first. Throws `TakenMeanwhile`. */
async function insertBookings(
  tx: Queryable,
  request: NewStaffBooking,
  { studioName, userId, now }: { studioName: string; userId: string | null; now: Date },
): Promise<readonly BookingFacts[]> {
  const size = request.spans.length;
  const ids = request.spans.map(() => randomUUID());
  const bookings: BookingFacts[] = [];
  for (const [index, { startTime, endTime, quote, waivedCents }] of request.spans.entries()) {
    const row = await tx.queryRow<{ facts: BookingJson }>(
      `insert into private.booking as b (id, order_id, order_place, order_size, reference, user_id, guest_email, guest_name, studio_id, studio_name,
         start_time, end_time, status, hold_expires_at, total_hours, slots, base_cost_cents, discount_cents, waived_cents, final_cost_cents, policy,
         notes, made_by, request_id, created_at, contact_phone)
       values ($1::uuid, $2::uuid, $3::smallint, $4::smallint, private.new_reference(), $5::uuid, $6, $7, $8::uuid, $9,
         $10::timestamptz, $11::timestamptz, 'pending', $12::timestamptz, $13::numeric, $14::jsonb -> 'slots', $15::int, $16::int, $17::int, $18::int,
         $19::jsonb, $20, $21::uuid, $22, $23::timestamptz, $24)
       on conflict do nothing returning private.booking_json(b) as facts`,
      [
        ids[index],
        // The first booking's id identifies the series.
        ...(size === 1 ? [null, null, null] : [ids[0], index + 1, size]),
        userId,
        userId === null ? request.customerEmail : null,
        userId === null ? request.customerName : null,
        request.studioId,
        studioName,
        startTime,
        endTime,
        request.holdExpiresAt,
        quote.hours,
        { slots: quote.slots },
        quote.baseCents,
        quote.discountCents,
        waivedCents,
        quote.totalCents - waivedCents,
        { freeCancelHours: request.rules.freeCancelHours },
        request.notes,
        request.actor,
        index === 0 ? request.requestId : null,
        now,
        request.customerPhone ?? null,
      ],
    );
    if (row === null) throw new TakenMeanwhile();
    bookings.push(toBooking(row.facts));
  }
  return bookings;
}

/**
 * Inserts the payments. One by a link is still to be paid; a booking that is free or was paid elsewhere counts as paid. For a series, each
 * booking gets its share of one payment.
 */
async function insertPayments(
  { config }: Services,
  tx: Transaction,
  bookings: readonly BookingFacts[],
  { payment, holdExpiresAt, now }: Pick<NewStaffBooking, 'payment' | 'holdExpiresAt'> & { readonly now: Date },
): Promise<void> {
  const isLink = payment === 'link';
  const first = randomUUID();
  for (const [index, { id, finalCostCents }] of bookings.entries())
    await tx.query(
      `insert into private.payment (id, share_of, booking_id, attempt, kind, state, key, session_id, session_expires_at, amount_cents, paid_cents, paid_at)
       values ($1::uuid, $2::uuid, $3::uuid, 1, $4, $5, $6, $7, $8::timestamptz, $9::int, $10::int, $11::timestamptz)`,
      [
        index === 0 ? first : randomUUID(),
        bookings.length === 1 ? null : first,
        id,
        KINDS[payment],
        isLink ? 'intent' : 'paid',
        `create:${id}:1`,
        payment === 'free' ? `free_${bookings[0]?.id}` : null,
        isLink ? sessionExpiry(now, holdExpiresAt, config.sessionMinutes) : null,
        finalCostCents,
        isLink ? null : finalCostCents,
        isLink ? null : now,
      ],
    );
}

/** Writes the audit entry. It states that staff vouch for the customer, whose ID is not checked, and omits a guest's address. */
async function audit(tx: Transaction, booking: BookingFacts, request: NewStaffBooking): Promise<void> {
  const { studioId, startTime, endTime, userId, reference, finalCostCents, waivedCents } = booking;
  const after = {
    reference,
    studioId,
    startTime,
    endTime,
    userId,
    finalCostCents,
    waivedCents,
    payment: request.payment,
  };
  await recordAudit(tx, {
    actor: request.actor,
    action: 'create',
    resource: 'booking',
    id: booking.id,
    details: { after, guest: userId === null, identity: 'staff answer for this person' },
  });
}
