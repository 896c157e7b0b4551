import type { Quote } from '#rules/pricing.ts';
import { DatabaseError, type Transaction } from '#server/db/database.ts';
import type { BookingFacts, PaymentFacts } from '../core/booking-rows.ts';
import { blockedForStaff, isBlocked } from '../core/blocked.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { confirmBooking } from '../payments/confirm.ts';
import { sessionExpiry } from '../payments/session-expiry.ts';
import type { BookingRules } from '../settings/booking-rules.ts';
import type { MoneyRight } from '../core/concessions.ts';
import type { BookingContext } from './context.ts';

export type StaffBooking = {
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  /** In lower case. An account with this address, if it has confirmed it, else a guest. */
  readonly customerEmail: string;
  /** The name of a guest; an account has its own. */
  readonly customerName: string;
  /** As `storedPhone` writes it; null or undefined when none was given. */
  readonly customerPhone?: string | null;
  readonly payment: 'link' | 'free' | 'elsewhere';
  /** A price below that of the list; null or undefined: the price of the list. A free booking has none. */
  readonly priceCents?: number | null;
  readonly notes: string | null;
  /** null: a booking of the same hours for the same address is the same one. */
  readonly requestId: string | null;
  readonly actor: string;
  /** Whether it may be free or paid elsewhere; undefined: it may not. */
  readonly money?: MoneyRight;
};
/** With its price, until when the hours are held, and the settings that counted. */
export type NewStaffBooking = StaffBooking & {
  readonly quote: Quote;
  readonly waivedCents: number;
  readonly holdExpiresAt: Date;
  readonly rules: BookingRules;
};

/** The kind of payment of each way to pay. */
const KINDS = { link: 'card', free: 'free', elsewhere: 'elsewhere' } as const satisfies Record<
  StaffBooking['payment'],
  PaymentFacts['kind']
>;

type Queryable = Pick<Transaction, 'one'>;

/** Reads the booking that the same call made before; null when there is none. Throws `Refusal` when the request made another booking. */
export async function findRepeated(db: Queryable, wanted: StaffBooking): Promise<BookingFacts | null> {
  const row = await db.one<{ facts: BookingFacts; same: boolean }>(
    `select private.booking_json(b) as facts,
       b.studio_id = $1::uuid and b.start_time = $2::timestamptz and b.end_time = $3::timestamptz and p.kind = $5
         and $4 in (u.email, b.guest_email) and b.final_cost_cents = coalesce($7::int, b.final_cost_cents) as same
     from private.booking b left join auth.users u on u.id = b.user_id left join private.payment p on p.booking_id = b.id and p.attempt = 1
     where b.made_by is not null and case when $6::text is not null then b.request_id = $6
       else b.studio_id = $1::uuid and b.start_time = $2::timestamptz and b.end_time = $3::timestamptz and b.status <> 'cancelled'
         and $4 in (u.email, b.guest_email) end
     limit 1`,
    [
      wanted.studioId,
      wanted.startTime,
      wanted.endTime,
      wanted.customerEmail,
      KINDS[wanted.payment],
      wanted.requestId,
      wanted.priceCents ?? null,
    ],
  );
  if (row === null || row.same) return row?.facts ?? null;
  throw new Refusal('already_done', 'This request has made another booking.', {
    bookingId: row.facts.id,
    reference: row.facts.reference,
  });
}

/** Stores the booking with its payment, mails and audit entry, in one transaction. Returns null when the hours are taken. Throws `Refusal`. */
export async function storeBooking(
  context: Pick<BookingContext, 'db' | 'clock' | 'settings'>,
  wanted: NewStaffBooking,
  now: Date,
): Promise<BookingFacts | null> {
  try {
    return await context.db.transaction(async (tx) => {
      const { studioName, userId } = await readPlace(tx, wanted);
      const booking = await insertBooking(tx, wanted, { studioName, userId, now });
      if (booking === null) return null;
      await insertPayment(context, tx, booking, wanted, now);
      await audit(tx, booking, wanted);
      if (wanted.payment === 'link') {
        await enqueue(tx, {
          kind: 'mail.payment-link',
          subjectId: booking.id,
          dueAt: now,
          deadlineAt: wanted.holdExpiresAt,
        });
        return booking;
      }
      await confirmBooking(context, tx, booking, wanted.actor);
      return { ...booking, status: 'confirmed' };
    });
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'booking_not_closed')
      throw new Refusal('slot_closed', 'The studio is closed at this time.');
    if (isBlocked(error)) throw blockedForStaff();
    throw error;
  }
}

/** Reads the studio, and the account with the confirmed address. */
async function readPlace(
  tx: Queryable,
  { studioId, customerEmail }: StaffBooking,
): Promise<{ studioName: string; userId: string | null }> {
  const place = await tx.one<{ studioName: string; userId: string | null }>(
    `select s.name as "studioName",
       (select u.id from auth.users u where u.email = $2 and u.email_confirmed_at is not null and u.deleted_at is null) as "userId"
     from public.studios s where s.id = $1::uuid and s.active`,
    [studioId, customerEmail],
  );
  if (!place) throw new Refusal('not_found', 'Studio not found');
  return place;
}

async function insertBooking(
  tx: Queryable,
  wanted: NewStaffBooking,
  { studioName, userId, now }: { studioName: string; userId: string | null; now: Date },
): Promise<BookingFacts | null> {
  const { quote, waivedCents } = wanted;
  const row = await tx.one<{ facts: BookingFacts }>(
    `insert into private.booking as b (reference, user_id, guest_email, guest_name, studio_id, studio_name, start_time, end_time, status,
       hold_expires_at, total_hours, slots, base_cost_cents, discount_cents, waived_cents, final_cost_cents, policy, notes, made_by, request_id,
       created_at, contact_phone)
     values (private.new_reference(), $1::uuid, $2, $3, $4::uuid, $5, $6::timestamptz, $7::timestamptz, 'pending',
       $8::timestamptz, $9::numeric, $10::jsonb -> 'slots', $11::int, $12::int, $13::int, $14::int, $15::jsonb, $16, $17::uuid, $18,
       $19::timestamptz, $20)
     on conflict do nothing returning private.booking_json(b) as facts`,
    [
      userId,
      userId === null ? wanted.customerEmail : null,
      userId === null ? wanted.customerName : null,
      wanted.studioId,
      studioName,
      wanted.startTime,
      wanted.endTime,
      wanted.holdExpiresAt,
      quote.hours,
      { slots: quote.slots },
      quote.baseCents,
      quote.discountCents,
      waivedCents,
      quote.totalCents - waivedCents,
      { freeCancelHours: wanted.rules.freeCancelHours },
      wanted.notes,
      wanted.actor,
      wanted.requestId,
      now,
      wanted.customerPhone ?? null,
    ],
  );
  return row?.facts ?? null;
}

/** A link is paid later. A booking that costs nothing, or was paid elsewhere, has its money already. */
async function insertPayment(
  { settings }: Pick<BookingContext, 'settings'>,
  tx: Pick<Transaction, 'query'>,
  booking: BookingFacts,
  wanted: NewStaffBooking,
  now: Date,
): Promise<void> {
  const isLink = wanted.payment === 'link';
  await tx.query(
    `insert into private.payment (booking_id, attempt, kind, state, key, session_id, session_expires_at, amount_cents, paid_cents, paid_at)
     values ($1::uuid, 1, $2, $3, $4, $5, $6::timestamptz, $7::int, $8::int, $9::timestamptz)`,
    [
      booking.id,
      KINDS[wanted.payment],
      isLink ? 'intent' : 'paid',
      `create:${booking.id}:1`,
      wanted.payment === 'free' ? `free_${booking.id}` : null,
      isLink ? sessionExpiry(now, wanted.holdExpiresAt, settings.sessionMinutes) : null,
      booking.finalCostCents,
      isLink ? null : booking.finalCostCents,
      isLink ? null : now,
    ],
  );
}

/** Staff answer for the person: nobody checks an ID. The entry says so, without the address of a guest. */
async function audit(tx: Pick<Transaction, 'query'>, booking: BookingFacts, wanted: NewStaffBooking): Promise<void> {
  const { studioId, startTime, endTime, userId, reference, finalCostCents, waivedCents } = booking;
  const after = {
    reference,
    studioId,
    startTime,
    endTime,
    userId,
    finalCostCents,
    waivedCents,
    payment: wanted.payment,
  };
  await tx.query(`select private.audit($2::uuid, 'create', 'booking', $1, $3::jsonb)`, [
    booking.id,
    wanted.actor,
    { after, guest: userId === null, identity: 'staff answer for this person' },
  ]);
}
