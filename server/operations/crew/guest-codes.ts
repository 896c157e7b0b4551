import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { readCodeHold } from '../access/code-hold.ts';
import { issueCode, planCode } from '../access/codes.ts';
import { type GuestCode, guestCodes, hasGuestCodes, newestGuestCode } from '../access/guest-codes.ts';
import { removeUnconfirmed } from '../access/holder.ts';
import { requireFurtherCode } from '../access/limits.ts';
import { requireReleased } from '../access/renew-code.ts';
import { readCodeWindow } from '../access/times.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { URGENT_WAIT_MS, defineJob, enqueue, type Job, type JobOutcome } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { isHeldForUndo, UNDO_RETRY_MS } from '../core/undo-hold.ts';
import type { CrewPage } from './guests.ts';

/** Number of codes per lock that guests cannot use, so that customers and staff can always get one. */
const RESERVED_CODES = 40;
/** Delay before the job repeats the request for a code that a guest asked for, in case the first request failed. */
const RETRY_MS = 30_000;

type Member = { readonly id: string; readonly bookingId: string; readonly joined: boolean };
type Planned = { readonly code: GuestCode; readonly booking: BookingFacts };

/**
 * Job `access.request-crew`: issues the first code of a guest for the hours of the booking, if each guest has a separate code. Throws
 * `ProviderError`.
 */
async function requestGuestCode(services: Services, job: Job<{ memberId: string }>): Promise<JobOutcome> {
  if (!hasGuestCodes(services)) return 'done';
  const { memberId } = job.payload;
  const now = services.clock();
  if (await isHeldForUndo(services.db, job.subjectId, now)) return { retryAt: new Date(now.getTime() + UNDO_RETRY_MS) };
  const planned = await services.db.transaction(async (tx) => {
    await removeUnconfirmed(services, tx, guestCodes, { subjectId: memberId, job });
    return planFirstCode(services, tx, memberId);
  });
  if (planned !== null) await issueGuestCode(services, planned);
  return 'done';
}

async function planFirstCode(services: Services, tx: Transaction, memberId: string): Promise<Planned | null> {
  const open = await lockMember(services, tx, memberId);
  if (open === null || (await readCodeHold(tx, open.booking.id)) !== null) return null;
  const { booking, member } = open;
  const { code } = await newestGuestCode(tx, memberId);
  if (code?.status === 'requested') return { code, booking };
  const { lockId, worksUntil } = await readCodeWindow(services, tx, booking);
  const isOfHours = code?.lockId === lockId && code?.endsAt.getTime() === worksUntil.getTime();
  // After using a code, guests request the next one themselves.
  if (code?.status === 'issued' || (code && code.usedAt !== null && isOfHours)) return null;
  return { booking, code: await planGuestCode(services, tx, member, booking) };
}

/** Locks the booking of a guest. Null unless the guest has joined and the booking is confirmed and has not ended. */
async function lockMember(
  { clock }: Services,
  tx: Transaction,
  memberId: string,
): Promise<{ member: Member; booking: BookingFacts } | null> {
  const read = (): Promise<Member | null> =>
    tx.queryRow<Member>(
      `select id, booking_id as "bookingId", state = 'joined' as joined from private.crew_member where id = $1::uuid`,
      [memberId],
    );
  const found = await read();
  const booking = found === null ? null : await lockBooking(tx, found.bookingId);
  // Read again, because the guest may have changed while this transaction waited for the lock.
  const member = await read();
  if (booking?.status !== 'confirmed' || member?.joined !== true) return null;
  return clock() >= booking.endTime ? null : { member, booking };
}

/** Stores a code for the current hours of a guest's booking. Throws `Refusal('code_limit')` if the lock has no room. */
async function planGuestCode(
  services: Services,
  tx: Transaction,
  member: Member,
  booking: BookingFacts,
): Promise<GuestCode> {
  const { locks, clock } = services;
  const window = await readCodeWindow(services, tx, booking);
  const code = await planCode(services, tx, guestCodes, { window, subject: member.id });
  const used = await tx.queryRow<{ codes: number }>('select private.codes_in_lock($1, $2::timestamptz) as codes', [
    window.lockId,
    clock(),
  ]);
  // The planned code is already counted.
  if ((used?.codes ?? 0) > locks.capabilities.storedCodes - RESERVED_CODES)
    throw new Refusal('code_limit', 'The lock has no room for another code right now.');
  return code;
}

async function issueGuestCode(services: Services, { code, booking }: Planned): Promise<void> {
  await issueCode(services, guestCodes, code, { name: `${booking.reference} crew` });
}

/**
 * Makes another code for a guest whose code was used, and requests it from the lock immediately. If the lock does not answer, the job tries
 * again. Does nothing if the guest has a code that still works. Throws `Refusal`: 'code_not_released', 'session_ended', 'code_wait',
 * 'code_limit'.
 */
export async function makeGuestCode(services: Services, page: CrewPage): Promise<void> {
  const planned = await services.db.transaction((tx) => planNextCode(services, tx, page));
  if (planned === null) return;
  try {
    await issueGuestCode(services, planned);
  } catch (error) {
    services.log.warn(
      { booking: page.bookingId, reason: error instanceof Error ? error.message : String(error) },
      'a guest’s access code could not be issued yet; its job tries again',
    );
  }
}

async function planNextCode(services: Services, tx: Transaction, page: CrewPage): Promise<Planned | null> {
  const now = services.clock();
  const open = await lockMember(services, tx, page.memberId);
  if (open === null) throw new Refusal('session_ended', 'Session has ended');
  const { booking, member } = open;
  await requireReleased(services, tx, booking);
  const { code, count } = await newestGuestCode(tx, member.id);
  if (code?.status === 'requested' || code?.status === 'issued') return null;
  requireFurtherCode(services, { count, newest: code });
  const planned = await planGuestCode(services, tx, member, booking);
  await enqueue(tx, {
    kind: 'access.request-crew',
    subjectId: booking.id,
    dedupe: `${member.id}:${planned.id}`,
    payload: { memberId: member.id },
    dueAt: new Date(now.getTime() + RETRY_MS),
    deadlineAt: booking.endTime,
  });
  return { code: planned, booking };
}

export const requestGuestCodeJob = defineJob({
  kind: 'access.request-crew',
  title: 'Door code for a guest',
  worker: 'locks',
  longestWaitMs: URGENT_WAIT_MS,
  payload: z.object({ memberId: z.uuid() }),
  handle: (services, job) => requestGuestCode(services, job),
});
