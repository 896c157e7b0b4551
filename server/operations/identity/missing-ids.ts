import { CANCEL_MINUTES, NOTICE_MINUTES, RAISE_MINUTES } from '#rules/identity.ts';
import type { Database, Transaction } from '#server/db/database.ts';
import { callSql } from '../core/call-sql.ts';
import { cancelForStaff } from '../bookings/cancel-for-staff.ts';
import { lockBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const REASON = 'The ID was no longer verified, and staff made no decision in time.';
const minutes = (count: number): string => `${count} minutes`;

/**
 * Periodic task: two hours before the start, asks staff to decide about bookings whose customer has lost the ID check, and cancels those
 * left undecided with a full refund. It compares states, so it also handles what happened while no server was running.
 */
export async function followMissingIds(services: Services, stop: () => boolean): Promise<void> {
  const { db, clock } = services;
  await callSql(db, 'raise_missing_ids', { p_now: clock(), p_before: minutes(RAISE_MINUTES) });
  const { rows } = await db.query<{ id: string }>(
    'select x as id from private.missing_ids_due($1::timestamptz, $2::interval, $3::interval) x',
    [clock(), minutes(CANCEL_MINUTES), minutes(NOTICE_MINUTES)],
  );
  for (const { id } of rows) {
    if (stop()) return;
    await cancelUndecided(services, id);
  }
}

async function cancelUndecided(services: Services, bookingId: string): Promise<void> {
  try {
    await cancelForStaff(services, {
      bookingId,
      refund: 'full',
      reason: REASON,
      actor: NOBODY,
      because: 'id_missing',
      stillWanted: (tx) => isUndecided(tx, bookingId, services.clock()),
    });
  } catch (error) {
    // A decision was made, or the booking was cancelled or moved, in the meantime.
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Returns whether a booking is still undecided. Locks the lost ID check, which a verified ID would end, until the transaction ends. */
async function isUndecided(tx: Transaction, bookingId: string, now: Date): Promise<boolean> {
  const row = await tx.queryRow(
    `select 1 from private.missing_id m join private.booking b on b.id = m.booking_id join private.lost_verification l on l.user_id = b.user_id
     where m.booking_id = $1::uuid and m.kept_at is null and b.start_time > $2::timestamptz for update of m, l`,
    [bookingId, now],
  );
  return row !== null;
}

/**
 * Lets the session of such a booking take place without an ID check, for a member of staff. Idempotent. Throws `Refusal`: `not_found` if
 * staff were not asked to decide about the booking, `already_done` if it is cancelled.
 */
export async function keepWithoutId(
  { db, clock }: { readonly db: Database; readonly clock: () => Date },
  { bookingId, reason }: { readonly bookingId: string; readonly reason: string },
  actor: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const booking = await lockBooking(tx, bookingId);
    const raised = await tx.queryRow<{ kept: boolean }>(
      'select kept_at is not null as kept from private.missing_id where booking_id = $1::uuid for update',
      [bookingId],
    );
    if (!booking || !raised) throw new Refusal('not_found', 'This booking has no ID decision to make.');
    if (booking.status === 'cancelled') throw new Refusal('already_done', 'This booking is already cancelled.');
    if (raised.kept) return;
    await tx.query(
      'update private.missing_id set kept_at = $2::timestamptz, kept_by = $3::uuid, kept_reason = $4 where booking_id = $1::uuid',
      [bookingId, clock(), actor, reason],
    );
    await recordAudit(tx, {
      actor,
      action: 'update',
      resource: 'booking',
      id: bookingId,
      details: { before: { withoutId: 'undecided' }, after: { withoutId: 'kept' }, reason },
    });
    await tx.query(`select realtime.send('{}', 'missing-ids', 'staff', true)`);
  });
}
