import type { Transaction } from '#server/db/database.ts';
import { moveAccess } from '../access/queue-access.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import type { Place } from './movable.ts';
import { recordAudit } from '../core/audit.ts';

/**
 * The new hours of a booking with their price, in cents. `finalCents`: the total that the customer pays for the booking, including earlier
 * payments.
 */
export type NewHours = Place & {
  readonly studioName: string;
  readonly hours: number;
  readonly slots: BookingFacts['slots'];
  readonly baseCents: number;
  readonly discountCents: number;
  readonly couponDiscountCents: number;
  readonly waivedCents: number;
  readonly finalCents: number;
  readonly owedCents: number;
  /** The start to which the cancellation terms refer. */
  readonly termsStart: Date;
};

/** The effect of a move on the money: a refund if the new hours cost less, or a payment if they cost more. */
export type MoveMoney = {
  readonly differenceCents: number;
  readonly refundCents: number;
  /** The part of the refund that staff give back themselves. */
  readonly byHandCents: number;
  /** What the customer has paid for the move. */
  readonly paidCents: number;
};

/**
 * Gives a locked booking its new hours and price in the caller's transaction, and updates its access code, mail and audit log. `actor`: the
 * account that moves it. The caller handles the refund or payment.
 */
export async function applyMove(
  tx: Transaction,
  booking: BookingFacts,
  to: NewHours,
  {
    money,
    actor,
    now,
    mailAt,
  }: {
    readonly money: MoveMoney;
    readonly actor: string;
    readonly now: Date;
    /** When the customer is mailed; null for no mail. */
    readonly mailAt: Date | null;
  },
): Promise<void> {
  const number = booking.moves + 1;
  await writeMove(tx, booking, to, { number, money, actor, now });
  await moveAccess(tx, booking, { number, start: to.startTime, now });
  if (mailAt === null) return;
  const { studioName, startTime, endTime } = booking;
  const { refundCents, byHandCents, paidCents } = money;
  await enqueue(tx, {
    kind: 'mail.booking-moved',
    subjectId: booking.id,
    dedupe: String(number),
    payload: { studioName, startTime, endTime, refundCents, byHandCents, paidCents },
    dueAt: mailAt,
  });
}

async function writeMove(
  tx: Transaction,
  booking: BookingFacts,
  to: NewHours,
  move: { number: number; money: MoveMoney; actor: string; now: Date },
): Promise<void> {
  const { studioId, startTime, endTime, finalCents, waivedCents, owedCents, termsStart } = to;
  const { number, actor, now } = move;
  const { differenceCents, refundCents, paidCents } = move.money;
  await tx.query(
    `insert into private.booking_move (booking_id, number, from_studio_id, from_start_time, from_end_time, studio_id, start_time, end_time,
       final_cost_cents, difference_cents, refund_cents, last_code, actor, created_at)
     select b.id, $2::int, b.studio_id, b.start_time, b.end_time, $3::uuid, $4::timestamptz, $5::timestamptz, $6::int, $7::int, $8::int,
       coalesce((select max(c.attempt) from public.booking_access_codes c where c.booking_id = b.id), 0), $9::uuid, $10::timestamptz
     from private.booking b where b.id = $1::uuid`,
    [booking.id, number, studioId, startTime, endTime, finalCents, differenceCents, refundCents, actor, now],
  );
  await tx.query(
    `update private.booking set studio_id = $2::uuid, studio_name = $3, start_time = $4::timestamptz, end_time = $5::timestamptz,
       total_hours = $6::numeric, slots = $7::jsonb -> 'slots', base_cost_cents = $8::int, discount_cents = $9::int,
       coupon_discount_cents = $10::int, waived_cents = $11::int, final_cost_cents = $12::int, moves = $13::int,
       owed_cents = $14::int, terms_start = nullif($15::timestamptz, $4::timestamptz)
     where id = $1::uuid`,
    [
      booking.id,
      studioId,
      to.studioName,
      startTime,
      endTime,
      to.hours,
      { slots: to.slots },
      to.baseCents,
      to.discountCents,
      to.couponDiscountCents,
      waivedCents,
      finalCents,
      number,
      owedCents,
      termsStart,
    ],
  );
  const { studioId: fromStudio, startTime: from, endTime: until, finalCostCents } = booking;
  await recordAudit(tx, {
    actor,
    action: 'update',
    resource: 'booking',
    id: booking.id,
    details: {
      before: {
        studioId: fromStudio,
        startTime: from,
        endTime: until,
        finalCostCents,
        waivedCents: booking.waivedCents,
        owedCents: booking.owedCents,
      },
      after: { studioId, startTime, endTime, finalCostCents: finalCents, waivedCents, owedCents },
      differenceCents,
      refundCents,
      paidCents,
    },
  });
}
