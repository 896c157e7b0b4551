import type { Transaction } from '#server/db/database.ts';
import { bookingCodes } from './booking-codes.ts';
import { guestCodes } from './guest-codes.ts';
import { queueRemoval } from './holder.ts';
import type { Services } from '../core/services.ts';

/** Records that a PIN has opened a door, and queues the removal of its code if the lock can remove it. */
export async function recordUse(
  { db, locks, fingerprint, clock }: Services,
  { lockId, pin, at }: { lockId: string; pin: string; at: Date },
): Promise<void> {
  await db.transaction(async (tx) => {
    const code = await tx.queryRow<{ id: string; bookingId: string }>(
      `update public.booking_access_codes c set used_at = coalesce(c.used_at, $3::timestamptz)
       from private.access_secret s where s.code_id = c.id and s.lock_id = $1 and s.pin_fingerprint = any($2::text[]) and s.live returning c.id, c.booking_id as "bookingId"`,
      [lockId, fingerprint.all(pin), at],
    );
    if (!locks.capabilities.revocable) return;
    if (!code) return recordGuestUse(tx, { lockId, fingerprints: fingerprint.all(pin), at, now: clock() });
    await queueRemoval(tx, bookingCodes, code, { reason: 'used', dueAt: clock() });
  });
}

/** Records the use of a guest's code and queues its removal, because such a code opens the door only once. */
async function recordGuestUse(
  tx: Transaction,
  { lockId, fingerprints, at, now }: { lockId: string; fingerprints: readonly string[]; at: Date; now: Date },
): Promise<void> {
  const code = await tx.queryRow<{ id: string; bookingId: string }>(
    `update private.crew_code c set used_at = coalesce(c.used_at, $3::timestamptz), status = 'revoking'
     from private.crew_member m where m.id = c.crew_member_id and c.lock_id = $1 and c.pin_fingerprint = any($2::text[]) and c.status <> 'revoked'
     returning c.id, m.booking_id as "bookingId"`,
    [lockId, fingerprints, at],
  );
  if (code) await queueRemoval(tx, guestCodes, code, { reason: 'used', dueAt: now });
}
