import { DatabaseError, type Transaction } from '#server/db/database.ts';
import { callSql } from '../core/call-sql.ts';
import { queueAccess } from '../access/queue-access.ts';
import { type BookingFacts, lockBooking, toBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { takeCoupon } from '../core/take-coupon.ts';
import { applyMove } from '../moves/apply-move.ts';
import { stopJobs, tooLate, type UndoRow } from './undo-rows.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

export type Undone = { readonly bookingId: string; readonly reference: string; readonly kind: UndoRow['kind'] };

/**
 * Undoes a cancellation or move by staff in one transaction, as long as none of its mails, refunds and code changes has started. It
 * restores hours, price and terms as they were, so it gives no money away. Idempotent. Throws `Refusal`: `too_late`, or `slot_taken` and
 * `slot_closed` if the hours are no longer available.
 */
export async function undoForStaff(
  services: Services,
  { undoId, actor }: { readonly undoId: string; readonly actor: string },
): Promise<Undone> {
  try {
    return await services.db.transaction((tx) => undo(tx, undoId, actor, services.clock()));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.constraint === 'booking_one_per_slot')
      throw new Refusal('slot_taken', 'Someone else has booked these hours in the meantime.');
    if (error.constraint === 'booking_not_closed')
      throw new Refusal('slot_closed', 'The studio is now closed at this time.');
    // The money was refunded in the meantime, for example at the provider.
    if (error.constraint === 'booking_confirmed_is_paid') throw tooLate();
    throw error;
  }
}

async function undo(tx: Transaction, undoId: string, actor: string, now: Date): Promise<Undone> {
  // Moves wait for each other before they lock a booking.
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('booking-move', 0))`);
  const found = await tx.queryRow<{ id: string }>(`select booking_id as id from private.undo where id = $1::uuid`, [
    undoId,
  ]);
  const booking = found === null ? null : await lockBooking(tx, found.id);
  const action = await tx.queryRow<UndoRow>(
    `select id, kind, move_number as "moveNumber", jsonb_build_object('termsStart', before -> 'startTime', 'owedCents', 0) || before as before, jobs, until, undone_at as "undoneAt" from private.undo where id = $1::uuid for update`,
    [undoId],
  );
  if (booking === null || action === null) throw new Refusal('not_found', 'There is nothing to undo.');
  const { kind } = action;
  const before = toBooking(action.before);
  const answer = { bookingId: booking.id, reference: booking.reference, kind };
  if (action.undoneAt !== null) return answer;
  const isLast = kind === 'cancel' ? booking.status === 'cancelled' : booking.moves === action.moveNumber;
  if (!isLast || now >= action.until) throw tooLate();
  const { payments, parts } = await stopJobs(tx, action);
  await tx.query('update private.undo set undone_at = $2::timestamptz where id = $1::uuid', [undoId, now]);
  await tx.query(`delete from private.partial_refund where id = any ($1::uuid[])`, [parts]);
  if (kind === 'cancel') await restore(tx, before, { payments, undoId, now });
  else if (booking.status === 'confirmed') await moveBack(tx, booking, before, { actor, now });
  else throw tooLate();
  await recordAudit(tx, {
    actor,
    action: 'update',
    resource: 'booking',
    id: booking.id,
    details: { undone: kind, before: toPlace(booking), after: toPlace(before) },
  });
  return answer;
}

const toPlace = ({ status, studioId, startTime, endTime, finalCostCents }: BookingFacts) => ({
  status,
  studioId,
  startTime,
  endTime,
  finalCostCents,
});

/** Confirms a cancelled booking again, and restores its payment, coupon use and access code. */
async function restore(
  tx: Transaction,
  before: BookingFacts,
  { payments, undoId, now }: { payments: readonly string[]; undoId: string; now: Date },
): Promise<void> {
  const { id, studioId, startTime, endTime } = before;
  // Wait here for a concurrent closure or booking of the same studio.
  await tx.query('select from public.studios where id = $1::uuid for key share', [studioId]);
  const closed = await tx.queryRow(
    `select from private.closed_span c where c.studio_id = $1::uuid and c.during && tstzrange($2::timestamptz, $3::timestamptz, '[)') limit 1`,
    [studioId, startTime, endTime],
  );
  if (closed !== null) throw new Refusal('slot_closed', 'The studio is now closed at this time.');
  await tx.query(
    `update private.payment set state = 'paid', refund_reason = null where id = any ($1::uuid[]) and state = 'refund_pending'`,
    [payments],
  );
  await tx.query('delete from private.cancellation where booking_id = $1::uuid', [id]);
  await withdrawClaims(tx, before, now);
  await tx.query(
    `update private.booking set status = 'confirmed', cancel_reason = null, cancelled_at = null where id = $1::uuid`,
    [id],
  );
  await takeCoupon(tx, id);
  await restoreAccess(tx, before, undoId, now);
}

/** Takes the hours back from people on the wait list who have not been mailed yet. */
async function withdrawClaims(
  tx: Transaction,
  { studioId, startTime, endTime }: BookingFacts,
  now: Date,
): Promise<void> {
  await callSql(tx, 'withdraw_claims', { p_studio: studioId, p_start: startTime, p_end: endTime, p_now: now });
}

/** Queues the access code and its mail again if their jobs have already run and found the booking cancelled. */
async function restoreAccess(tx: Transaction, before: BookingFacts, undoId: string, now: Date): Promise<void> {
  const hasAddress = before.userId !== null || before.guestEmail !== null;
  const access = await tx.queryRow<{ code: boolean; mail: boolean }>(
    `select exists (select from public.booking_access_codes c where c.booking_id = $1::uuid and c.status in ('requested', 'issued'))
         or exists (select from private.outbox o where o.kind = 'access.request' and o.subject_id = $1::uuid and o.done_at is null and o.closed_at is null) as code,
       exists (select from public.scheduled_emails m where m.booking_id = $1::uuid and m.status in ('pending', 'pending_immediate', 'sent')) as mail`,
    [before.id],
  );
  if (access?.code === true && (access.mail || !hasAddress)) return;
  await queueAccess(
    tx,
    // The mail may still be pending.
    {
      id: before.id,
      start: before.startTime,
      hasAddress: hasAddress && access?.mail !== true,
      dedupe: `undo:${undoId}`,
    },
    now,
  );
}

/** Moves a booking back to its previous hours and price. No email is sent, because that of the move has not been sent either. */
async function moveBack(
  tx: Transaction,
  booking: BookingFacts,
  before: BookingFacts,
  { actor, now }: { actor: string; now: Date },
): Promise<void> {
  const differenceCents = before.finalCostCents - booking.finalCostCents;
  await withdrawClaims(tx, before, now);
  await applyMove(
    tx,
    booking,
    {
      studioId: before.studioId,
      startTime: before.startTime,
      endTime: before.endTime,
      studioName: before.studioName,
      hours: before.totalHours,
      slots: before.slots,
      baseCents: before.baseCostCents,
      discountCents: before.discountCents,
      couponDiscountCents: before.couponDiscountCents,
      waivedCents: before.waivedCents,
      finalCents: before.finalCostCents,
      owedCents: before.owedCents,
      termsStart: before.termsStart,
    },
    { money: { differenceCents, refundCents: 0, byHandCents: 0, paidCents: 0 }, actor, now, mailAt: null },
  );
}
