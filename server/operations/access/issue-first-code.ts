import type { Transaction } from '#server/db/database.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { URGENT_WAIT_MS, defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { type BookingCode, bookingCodes, newestCode, newestCodeOfHours } from './booking-codes.ts';
import { readCodeHold } from './code-hold.ts';
import { issueCode, planCode } from './codes.ts';
import { removeUnconfirmed } from './holder.ts';
import { forStaff } from './limits.ts';
import { requireConfirmed } from '../core/require-confirmed.ts';
import { isHeldForUndo, UNDO_RETRY_MS } from '../core/undo-hold.ts';
import { type BookingAccess, showAccess } from './show-access.ts';
import { readAccessTimes, readCodeWindow } from './times.ts';
import type { Services } from '../core/services.ts';

/**
 * Job `access.request`: issues the first code of a confirmed booking, unless it has one or a dispute holds it. When the dispute no longer
 * holds the code, a new job is queued. Throws `ProviderError`.
 */
export async function requestFirstCode(services: Services, job: Job): Promise<JobOutcome> {
  const { db, clock } = services;
  if (await isHeldForUndo(db, job.subjectId, clock())) return { retryAt: new Date(clock().getTime() + UNDO_RETRY_MS) };
  await db.transaction((tx) => removeUnconfirmed(services, tx, bookingCodes, { subjectId: job.subjectId, job }));
  const result = await issueFirstCode(services, job.subjectId).catch((error: unknown) => {
    // Staff read the error of a failed job.
    throw forStaff(error);
  });
  return result === 'ended' ? { closed: 'The session ended before the lock issued an access code.' } : 'done';
}

/** Reads the access of a confirmed booking, after issuing its code if that is due. Throws the same refusals as `showAccess`. */
export async function ensureCode(services: Services, bookingId: string): Promise<BookingAccess> {
  const { db, clock, log } = services;
  const booking = await requireConfirmed(db, bookingId);
  const { requestAt } = await readAccessTimes(services, db, booking);
  if (clock() >= requestAt && !(await isHeldForUndo(db, bookingId, clock()))) {
    await issueFirstCode(services, bookingId).catch((error: unknown) => {
      // The job tries again. Until then the page shows that the code is on its way.
      log.warn(
        { booking: bookingId, reason: error instanceof Error ? error.message : String(error) },
        'an access code could not be issued yet; its job tries again',
      );
    });
  }
  return showAccess(services, bookingId);
}

/** Issues the first code of a booking. Returns `ended` if the session ended before the lock issued one. */
async function issueFirstCode(services: Services, bookingId: string): Promise<'done' | 'ended'> {
  const { db, clock } = services;
  const planned = await db.transaction(async (tx) => {
    const booking = await lockBooking(tx, bookingId);
    if (!booking || booking.status !== 'confirmed') return null;
    if ((await readCodeHold(tx, bookingId)) !== null) return null;
    const newest = await newestCodeOfHours(tx, bookingId);
    if (clock() >= booking.endTime) return newest?.status === 'requested' || !newest ? 'ended' : null;
    // A code that was taken back while the booking was held is replaced.
    if (newest && newest.status !== 'revoking' && newest.status !== 'revoked') return { booking, code: newest };
    const attempt = ((await newestCode(tx, bookingId))?.attempt ?? 0) + 1;
    return { booking, code: await planBookingCode(services, tx, booking, attempt) };
  });
  if (planned === 'ended') return 'ended';
  if (!planned) return 'done';
  const { code, booking } = planned;
  if (code.status === 'requested') await issueCode(services, bookingCodes, code, { name: booking.reference });
  return 'done';
}

/** Stores a code for the booking's current hours. Throws `Refusal('code_limit')`. */
export async function planBookingCode(
  services: Services,
  tx: Transaction,
  booking: BookingFacts,
  attempt: number,
): Promise<BookingCode> {
  const window = await readCodeWindow(services, tx, booking);
  const { mode } = services.locks.capabilities;
  const subject = { bookingId: booking.id, attempt, mode, releaseAt: window.releaseAt };
  return planCode(services, tx, bookingCodes, { window, subject });
}

export const requestFirstCodeJob = defineJob({
  kind: 'access.request',
  title: 'Door code',
  worker: 'locks',
  longestWaitMs: URGENT_WAIT_MS,
  handle: (services, job) => requestFirstCode(services, job),
});
