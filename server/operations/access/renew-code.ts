import type { Transaction } from '#server/db/database.ts';
import { ProviderError } from '#server/providers/call.ts';
import { recordAudit } from '../core/audit.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { requireConfirmed } from '../core/require-confirmed.ts';
import type { Services } from '../core/services.ts';
import { requireNotUndoing } from '../core/undo-hold.ts';
import { readCodeHold, requireNotHeld } from './code-hold.ts';
import { type BookingCode, bookingCodes, issuedCode, newestCode, readCodeHistory } from './booking-codes.ts';
import { issueCode } from './codes.ts';
import { requireFurtherCode } from './limits.ts';
import { planBookingCode } from './issue-first-code.ts';
import { type BookingAccess, showAccess } from './show-access.ts';
import { readAccessTimes } from './times.ts';

type Renewal = { readonly booking: BookingFacts; readonly code: BookingCode };

/**
 * Replaces the current code of a booking with a new one. The previous code works until the lock has accepted the new one. `actor`: the
 * account for the audit log. Throws `Refusal`: `session_ended`, `code_not_released`, `code_wait`, `code_limit`, `code_held`,
 * `provider_unavailable`, or those of `showAccess`.
 */
export async function renewCode(services: Services, bookingId: string, actor: string | null): Promise<BookingAccess> {
  const { db, log } = services;
  await requireConfirmed(db, bookingId);
  const planned = await db.transaction(async (tx): Promise<Renewal> => {
    const booking = await lockBooking(tx, bookingId);
    if (booking?.status !== 'confirmed') throw new Refusal('not_found', 'Booking not found');
    await requireReleased(services, tx, booking);
    const newest = await newestCode(tx, bookingId);
    if (newest !== null && newest.status !== 'requested')
      requireFurtherCode(services, { count: (await readCodeHistory(tx, bookingId)).count, newest });
    return planRenewal(services, tx, booking, actor);
  });
  try {
    await requestRenewal(services, planned);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    log.error(
      { booking: bookingId, provider: error.provider, reason: error.reason },
      'a new access code could not be issued; the caller was asked to try again',
    );
    throw new Refusal('provider_unavailable', 'We can’t reach the lock right now. Please try again in a moment.');
  }
  return showAccess(services, bookingId);
}

/** Throws `Refusal` unless the codes of a locked booking can be shown and replaced now: `code_held`, `session_ended`, `code_not_released`. */
export async function requireReleased(services: Services, tx: Transaction, booking: BookingFacts): Promise<void> {
  const now = services.clock();
  await requireNotHeld(tx, booking.id);
  const { releaseAt } = await readAccessTimes(services, tx, booking);
  if (now >= booking.endTime) throw new Refusal('session_ended', 'Session has ended');
  if (now < releaseAt) throw new Refusal('code_not_released', 'Your code isn’t available yet.', { releaseAt });
  await requireNotUndoing(tx, booking.id, now);
}

/**
 * Replaces a booking's code that a former member of staff has seen, regardless of the limits on new codes. Does nothing if the booking has
 * ended or has a newer code. Throws `ProviderError`; the old code stays if the lock refuses a new one.
 */
export async function replaceSeenCode(services: Services, bookingId: string, codeId: string): Promise<void> {
  const planned = await services.db.transaction(async (tx): Promise<Renewal | null> => {
    const booking = await lockBooking(tx, bookingId);
    if (booking?.status !== 'confirmed' || services.clock() >= booking.endTime) return null;
    // The dispute has already taken the code back.
    if ((await readCodeHold(tx, bookingId)) !== null) return null;
    const waits = (await newestCode(tx, bookingId))?.status === 'requested';
    // A newer issued code has already replaced this one. A code that is still waiting for the lock may come from an earlier attempt of this
    // job.
    if (!waits && (await issuedCode(tx, bookingId))?.id !== codeId) return null;
    return planRenewal(services, tx, booking, null);
  });
  if (planned !== null) await requestRenewal(services, planned);
}

/**
 * Stores a new code, which replaces the previous ones once the lock has accepted it. If a code is still waiting for the lock, it is
 * returned instead.
 */
async function planRenewal(
  services: Services,
  tx: Transaction,
  booking: BookingFacts,
  actor: string | null,
): Promise<Renewal> {
  const newest = await newestCode(tx, booking.id);
  if (newest?.status === 'requested') return { booking, code: newest };
  const code = await planBookingCode(services, tx, booking, (newest?.attempt ?? 0) + 1);
  await recordAudit(tx, {
    actor,
    action: 'update',
    resource: 'access_code',
    id: code.id,
    details: { bookingId: booking.id, attempt: code.attempt },
  });
  return { booking, code };
}

/**
 * Requests a new code from the lock. A code that the lock refuses is discarded: it does not count towards any limit, and its number can be
 * used again. If the answer is lost, the code stays requested and is tried again. Throws `ProviderError`.
 */
async function requestRenewal(services: Services, { booking, code }: Renewal): Promise<void> {
  try {
    await issueCode(services, bookingCodes, code, { name: booking.reference });
  } catch (error) {
    if (error instanceof ProviderError && !error.ambiguous)
      await services.db.transaction(async (tx) => {
        await tx.query(`update public.booking_access_codes set status = 'failed' where id = $1::uuid`, [code.id]);
        await tx.query('update private.access_secret set live = false, variant = 0 where code_id = $1::uuid', [
          code.id,
        ]);
      });
    throw error;
  }
}
