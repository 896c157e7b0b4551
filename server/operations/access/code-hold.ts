import type { Transaction, Queryable } from '#server/db/database.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { bookingCodes, liveCodes } from './booking-codes.ts';
import { queueRemoval } from './holder.ts';
import { queueAccessAgain } from './queue-access.ts';
import { recordAudit } from '../core/audit.ts';
import type { Services } from '../core/services.ts';

/** The dispute that holds the access code of a booking. */
export type CodeHold = { readonly disputeId: string; readonly status: 'open' | 'lost' };

/** Reads the dispute that holds the access code of a booking and the codes of its guests. Null if no dispute does. */
export function readCodeHold(db: Queryable, bookingId: string): Promise<CodeHold | null> {
  return db.queryRow<CodeHold>('select h.dispute_id as "disputeId", h.status from private.code_hold($1::uuid) h', [
    bookingId,
  ]);
}

/** Throws `Refusal('code_held')` while a dispute holds the access code of a booking. */
export async function requireNotHeld(db: Queryable, bookingId: string): Promise<void> {
  if ((await readCodeHold(db, bookingId)) !== null)
    throw new Refusal('code_held', 'The code for this booking is on hold. Please contact us before you come.');
}

/**
 * Applies a change of a booking's disputes to its codes, in the transaction of the change: takes the codes back when a dispute begins to
 * hold them, and queues new ones when none holds them any more. `before` is what held the code before the change.
 */
export async function followCodeHold(
  services: Services,
  tx: Transaction,
  booking: BookingFacts,
  before: CodeHold | null,
): Promise<void> {
  const now = services.clock();
  const after = await readCodeHold(tx, booking.id);
  if (booking.status !== 'confirmed' || (before === null) === (after === null)) return;
  if (after !== null) await takeBack(services, tx, booking, after.disputeId);
  else if (before !== null) await giveAgain(tx, booking, before.disputeId, now);
  await tx.query('select private.publish_code_hold($1::uuid)', [booking.id]);
}

/**
 * Alerts staff and ends the codes that a lock can remove. The other codes work until they end, with their digits hidden; staff are alerted
 * to those that were released.
 */
async function takeBack(
  { locks, clock }: Services,
  tx: Transaction,
  { id }: BookingFacts,
  disputeId: string,
): Promise<void> {
  const now = clock();
  await tx.query(
    `update public.booking_access_codes set status = 'revoke_pending' where booking_id = $1::uuid and mode = any ($2::text[]) and status in ('requested', 'issued')`,
    [id, locks.revocableModes],
  );
  for (const code of await liveCodes(tx, id))
    if (code.status === 'revoking')
      await queueRemoval(tx, bookingCodes, code, { reason: `held:${disputeId}`, dueAt: now });
  await tx.query('select private.end_crew_codes($1::uuid, null, $2::timestamptz)', [id, now]);
  await tx.query('select private.tell_staff_of_held_code($1::uuid, $2, $3::timestamptz)', [id, disputeId, now]);
  await tx.query(
    `select private.audit(null, 'alert', 'access_code', c.id::text, '{"reason": "the booking is disputed, and the lock cannot remove this code before it ends"}')
     from public.booking_access_codes c where c.booking_id = $1::uuid and c.mode <> all ($3::text[]) and c.status = 'issued' and c.release_at <= $2::timestamptz`,
    [id, now, locks.revocableModes],
  );
}

/** Queues the code and its mail again, as if the booking had just been confirmed. */
async function giveAgain(tx: Transaction, booking: BookingFacts, disputeId: string, now: Date): Promise<void> {
  if (booking.endTime <= now) return;
  await queueAccessAgain(tx, booking, { start: booking.startTime, dedupe: `free:${disputeId}`, now });
  await tx.query(
    `select private.queue_crew_code(m) from private.crew_member m where m.booking_id = $1::uuid and m.state = 'joined'`,
    [booking.id],
  );
}

/**
 * Releases the code of a disputed booking for a member of staff, so that the session can take place. Idempotent. Throws `Refusal`:
 * `not_found` if the code was not held, `already_done` if the booking is cancelled.
 */
export async function keepDisputed(
  services: Services,
  { bookingId, reason }: { readonly bookingId: string; readonly reason: string },
  actor: string,
): Promise<void> {
  await services.db.transaction(async (tx) => {
    const now = services.clock();
    const booking = await lockBooking(tx, bookingId);
    const before = await readCodeHold(tx, bookingId);
    const kept = await tx.queryRow('select from private.kept_dispute where booking_id = $1::uuid limit 1', [bookingId]);
    if (!booking || (before === null && kept === null))
      throw new Refusal('not_found', 'This booking has no payment dispute to decide.');
    if (booking.status === 'cancelled') throw new Refusal('already_done', 'This booking is already cancelled.');
    if (before === null) return;
    await tx.query(
      `insert into private.kept_dispute (booking_id, dispute_id, kept_at, kept_by)
       select distinct x.booking_id, x.dispute_id, $2::timestamptz, $3::uuid from private.payment x
       where x.booking_id = $1::uuid and x.dispute_status in ('open', 'lost') on conflict do nothing`,
      [bookingId, now, actor],
    );
    await recordAudit(tx, {
      actor,
      action: 'update',
      resource: 'booking',
      id: bookingId,
      details: { before: { code: 'held' }, after: { code: 'not held' }, dispute: before.disputeId, reason },
    });
    await followCodeHold(services, tx, booking, before);
  });
}

/** Periodic task: a quarter of an hour before the session, tells customers whose code is held whom to call. */
export async function tellHeldCodes({ db, clock }: Services): Promise<void> {
  await db.query(`select private.tell_held_codes($1::timestamptz, '15 minutes')`, [clock()]);
}
