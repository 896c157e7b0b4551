import type { AccessContext } from './context.ts';
import { queueRevocation } from './revoke-codes.ts';

/** Records that somebody opened a door with this PIN, and queues the removal of the code where the lock can remove it. */
export async function recordUse(
  { db, locks, fingerprint, clock }: Pick<AccessContext, 'db' | 'locks' | 'fingerprint' | 'clock'>,
  { lockId, pin, at }: { lockId: string; pin: string; at: Date },
): Promise<void> {
  await db.transaction(async (tx) => {
    const code = await tx.one<{ id: string; bookingId: string }>(
      `update public.booking_access_codes c set used_at = coalesce(c.used_at, $3::timestamptz)
       from private.access_secret s where s.code_id = c.id and s.lock_id = $1 and s.pin_fingerprint = any($2::text[]) and s.live returning c.id, c.booking_id as "bookingId"`,
      [lockId, fingerprint.all(pin), at],
    );
    if (!code || locks.capabilities.mode !== 'bridge') return;
    await queueRevocation(tx, {
      bookingId: code.bookingId,
      codeId: code.id,
      dedupe: `used:${code.id}`,
      dueAt: clock(),
    });
  });
}
