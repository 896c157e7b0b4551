import { regenerateLimits } from '#rules/access.ts';
import type { Transaction } from '#server/db/database.ts';
import { ProviderError } from '#server/providers/call.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { readCodeHold, requireNotHeld } from './code-hold.ts';
import { type AccessCode, issuedCode, newestCode, readCodeHistory } from './code-rows.ts';
import { issueCode } from './issue-code.ts';
import { codeLimitReached } from './choose-digits.ts';
import { planCode } from './plan-code.ts';
import { requireConfirmed } from '../core/require-confirmed.ts';
import { requireNotUndoing } from '../core/undo-hold.ts';
import { type BookingAccess, showAccess } from './show-access.ts';
import { readAccessTimes } from './times.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/**
 * Replaces the current code of a booking with a new one. The previous code works until the lock has accepted the new one. `actor`: the
 * account for the audit log. Throws `Refusal`: `session_ended`, `code_not_released`, `code_wait`, `code_limit`, `code_held`,
 * `provider_unavailable`, or as `showAccess`.
 */
export async function renewCode(services: Services, bookingId: string, actor: string | null): Promise<BookingAccess> {
  const { db, clock, log } = services;
  const booking = await requireConfirmed(db, bookingId);
  await requireNotHeld(db, bookingId);
  const { releaseAt } = await readAccessTimes(services, db, booking);
  const now = clock();
  if (now >= booking.endTime) throw new Refusal('session_ended', 'Session has ended');
  if (now < releaseAt) throw new Refusal('code_not_released', 'Your code isn’t available yet.', { releaseAt });
  await requireNotUndoing(db, bookingId, now);
  const code = await db.transaction((tx) => planRenewal(services, tx, { booking, actor, now, limited: true }));
  try {
    await issueCode(services, code, booking);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    log.error(
      { booking: bookingId, provider: error.provider, reason: error.reason },
      'a new access code could not be issued',
    );
    // After a lost answer the new code stays requested and is tried again.
    if (!error.ambiguous) await discardCode(db, code);
    throw new Refusal('provider_unavailable', 'We can’t reach the lock right now. Please try again in a moment.');
  }
  return showAccess(services, bookingId);
}

/**
 * Replaces a code of a booking that a former member of staff has seen, whatever the limits of new codes. Does nothing when the booking has ended or has
 * a newer code. Throws `ProviderError`; the code stays when the lock refuses another one.
 */
export async function replaceSeenCode(services: Services, bookingId: string, codeId: string): Promise<void> {
  const { db, clock } = services;
  const now = clock();
  const planned = await db.transaction(async (tx) => {
    const booking = await lockBooking(tx, bookingId);
    if (booking?.status !== 'confirmed' || now >= booking.endTime) return null;
    // A dispute has taken the code back already.
    if ((await readCodeHold(tx, bookingId)) !== null) return null;
    const waits = (await newestCode(tx, bookingId))?.status === 'requested';
    // A code that was made later replaces it already; one that waits for the lock may be ours, of an earlier try.
    if (!waits && (await issuedCode(tx, bookingId))?.id !== codeId) return null;
    return { booking, code: await planRenewal(services, tx, { booking, actor: null, now, limited: false }) };
  });
  if (planned === null) return;
  const { booking, code } = planned;
  try {
    await issueCode(services, code, booking);
  } catch (error) {
    if (error instanceof ProviderError && !error.ambiguous) await discardCode(db, code);
    throw error;
  }
}

type Renewal = {
  readonly booking: BookingFacts;
  readonly actor: string | null;
  readonly now: Date;
  /** False: as many codes as needed, as soon as needed. */
  readonly limited: boolean;
};

/** Stores a new code, which replaces the previous ones once the lock has accepted it. A code that still waits for the lock is returned instead. */
async function planRenewal(
  services: Services,
  tx: Transaction,
  { booking, actor, now, limited }: Renewal,
): Promise<AccessCode> {
  const current = await lockBooking(tx, booking.id);
  if (current?.status !== 'confirmed') throw new Refusal('not_found', 'Booking not found');
  await requireNotHeld(tx, booking.id);
  const newest = await newestCode(tx, booking.id);
  if (newest?.status === 'requested') return newest;
  if (newest && limited) {
    const { made } = await readCodeHistory(tx, booking.id);
    admitRenewal({ made, newest }, regenerateLimits(services.locks.capabilities.mode), now);
  }
  // For the hours that it has now: staff may have moved it before the lock was ours.
  const code = await planCode(services, tx, current, (newest?.attempt ?? 0) + 1);
  await recordAudit(tx, {
    actor,
    action: 'update',
    resource: 'access_code',
    id: code.id,
    details: { bookingId: booking.id, attempt: code.attempt },
  });
  return code;
}

/** Throws `Refusal` when the booking has had all its codes, or a new one came moments ago. */
function admitRenewal(
  { made, newest }: { readonly made: number; readonly newest: AccessCode },
  limits: ReturnType<typeof regenerateLimits>,
  now: Date,
): void {
  if (made >= limits.codesPerBooking) throw codeLimitReached();
  const wait = newest.createdAt.getTime() + limits.secondsBetweenCodes * 1000 - now.getTime();
  if (wait <= 0) return;
  const seconds = Math.ceil(wait / 1000);
  throw new Refusal('code_wait', `Please wait ${seconds} seconds before making another code.`, { seconds });
}

/** Discards a code that the lock refused: it counts for no limit, and its number within its hours is free again. The previous code was not touched. */
async function discardCode(db: Services['db'], code: AccessCode): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(`update public.booking_access_codes set status = 'failed' where id = $1::uuid`, [code.id]);
    await tx.query(`update private.access_secret set live = false, variant = 0 where code_id = $1::uuid`, [code.id]);
  });
}
