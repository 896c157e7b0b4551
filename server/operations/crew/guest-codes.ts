import { z } from 'zod';
import { randomUUID } from 'node:crypto';
import { codeStart, regenerateLimits } from '#rules/access.ts';
import type { Transaction } from '#server/db/database.ts';
import { readCodeHold, requireNotHeld } from '../access/code-hold.ts';
import { chooseDigits, codeLimitReached, hasGuestCodes } from '../access/choose-digits.ts';
import { readAccessTimes } from '../access/times.ts';
import { type BookingFacts, lockBooking } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { URGENT_WAIT_MS, defineJob, enqueue, type Job, type JobOutcome } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { requireNotUndoing } from '../core/undo-hold.ts';
import { type GuestCode, newestGuestCode, readGuestCode, unconfirmedCodes } from './code-rows.ts';
import type { CrewPage } from './guests.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** Codes of a lock that guests leave to customers and staff. */
const RESERVED_CODES = 40;
/** A code that a guest asks for is requested by the job too, unless it was issued within this time. */
const RETRY_MS = 30_000;

type Member = { readonly id: string; readonly bookingId: string; readonly joined: boolean };
type Planned = { readonly code: GuestCode; readonly booking: BookingFacts };

/** Job `access.request-crew`: issues the first code of a guest for the hours of the booking, where guests have codes of their own. Throws `ProviderError`. */
async function requestGuestCode(services: Services, job: Job<{ memberId: string }>): Promise<JobOutcome> {
  if (!hasGuestCodes(services)) return 'done';
  const { memberId } = job.payload;
  const planned = await services.db.transaction(async (tx) => {
    // A process may have ended between the lock's answer and its record, and the code has ended since.
    for (const code of await unconfirmedCodes(tx, memberId))
      await queueRemoval(tx, code, { dedupe: `lost:${job.id}:${job.tries}:${code.id}`, dueAt: services.clock() });
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
  const { worksUntil } = await readAccessTimes(services, tx, booking);
  if (code?.status === 'requested') return { code, booking };
  const lockId = services.lockOf.get(booking.studioId);
  const isOfHours = code?.lockId === lockId && code?.endsAt.getTime() === worksUntil.getTime();
  // After a used code the guest makes the next one.
  if (code?.status === 'issued' || (code && code.usedAt !== null && isOfHours)) return null;
  return { booking, code: await planGuestCode(services, tx, member, booking) };
}

/** Locks the booking of a guest; null unless the guest has joined and the booking is confirmed and not over. */
async function lockMember(
  { clock }: Services,
  tx: Transaction,
  memberId: string,
): Promise<{ member: Member; booking: BookingFacts } | null> {
  const read = (): Promise<Member | null> =>
    tx.one<Member>(
      `select id, booking_id as "bookingId", state = 'joined' as joined from private.crew_member where id = $1::uuid`,
      [memberId],
    );
  const found = await read();
  const booking = found === null ? null : await lockBooking(tx, found.bookingId);
  // Read again: somebody may have changed the guest before the lock was ours.
  const member = await read();
  if (booking?.status !== 'confirmed' || member?.joined !== true) return null;
  return clock() >= booking.endTime ? null : { member, booking };
}

/** Stores a code before the lock is called, so that a lost answer can be requested again. Throws when the lock has no room. */
async function planGuestCode(
  services: Services,
  tx: Transaction,
  member: Member,
  booking: BookingFacts,
): Promise<GuestCode> {
  const { locks, lockOf, encryption, fingerprint, clock } = services;
  const lockId = lockOf.get(booking.studioId);
  if (lockId === undefined) throw new Error(`no lock is configured for studio ${booking.studioName}`);
  const { worksFrom, worksUntil } = await readAccessTimes(services, tx, booking);
  const startsAt = codeStart(worksFrom, clock());
  const { pin } = await chooseDigits(services, tx, { lockId, startsAt, endsAt: worksUntil });
  if (pin === null) throw new Error('only a lock that stores digits has codes of guests');
  const used = await tx.one<{ codes: number }>('select private.codes_in_lock($1, $2::timestamptz) as codes', [
    lockId,
    clock(),
  ]);
  if ((used?.codes ?? 0) >= locks.capabilities.storedCodes - RESERVED_CODES)
    throw new Refusal('code_limit', 'The lock has no room for another code right now.');
  const id = randomUUID();
  await tx.query(
    `insert into private.crew_code (id, crew_member_id, lock_id, starts_at, ends_at, pin_encrypted, pin_fingerprint, created_at)
     values ($1::uuid, $2::uuid, $3, $4::timestamptz, $5::timestamptz, $6, $7, $8::timestamptz)`,
    [id, member.id, lockId, startsAt, worksUntil, encryption.encrypt(pin, id), fingerprint(pin), clock()],
  );
  const planned = await readGuestCode(tx, id);
  if (planned === null) throw new Error('a planned code cannot be read back');
  return planned;
}

/** Requests a planned code from the lock, outside any transaction, and records the answer. Repeating it is safe: the digits are ours. Throws `ProviderError`. */
async function issueGuestCode(services: Services, { code, booking }: Planned): Promise<void> {
  const { db, locks, encryption, clock } = services;
  const { lockId, startsAt, endsAt } = code;
  failpoint('crew.before.issue');
  const pin = encryption.decrypt(code.encryptedPin, code.id);
  await locks.issueCode({ lockId, startsAt, endsAt, accessName: `${booking.reference} crew`, variant: 0, pin });
  failpoint('crew.after.issue');
  await db.transaction(async (tx) => {
    await lockBooking(tx, booking.id);
    const { count } = await tx.query(
      `update private.crew_code set status = 'issued', issued_at = $2::timestamptz where id = $1::uuid and status = 'requested'`,
      [code.id, clock()],
    );
    const current = await readGuestCode(tx, code.id);
    // The guest was taken back, or the booking changed, during the call: the removal may have run before the lock had the code.
    if (current === null || (current.status !== 'issued' && current.status !== 'requested')) {
      await queueRemoval(tx, code, { dedupe: `late:${code.id}`, dueAt: clock() });
      return;
    }
    if (count === 0) return;
    await recordAudit(tx, {
      actor: null,
      action: 'create',
      resource: 'crew_code',
      id: code.id,
      details: { bookingId: booking.id, memberId: code.memberId },
    });
    await queueRemoval(tx, code, { dedupe: `end:${code.id}`, dueAt: code.endsAt });
  });
}

/** Queues the removal of a code, also one that was removed before the lock had it. */
async function queueRemoval(
  tx: Transaction,
  { id, bookingId }: GuestCode,
  { dedupe, dueAt }: { readonly dedupe: string; readonly dueAt: Date },
): Promise<void> {
  await tx.query(`update private.crew_code set status = 'revoking' where id = $1::uuid and status = 'revoked'`, [id]);
  await enqueue(tx, { kind: 'access.revoke-crew', subjectId: bookingId, dedupe, payload: { codeId: id }, dueAt });
}

/**
 * Makes another code for a guest whose code was used, and requests it from the lock at once; the job tries again when the lock does not answer. With a code
 * that still works it changes nothing. Throws `Refusal`: 'code_not_released', 'session_ended', 'code_wait', 'code_limit'.
 */
export async function makeGuestCode(services: Services, page: CrewPage): Promise<void> {
  const planned = await services.db.transaction((tx) => planNextCode(services, tx, page));
  if (planned === null) return;
  try {
    await issueGuestCode(services, planned);
  } catch (error) {
    services.log.warn(
      { booking: page.bookingId, reason: error instanceof Error ? error.message : String(error) },
      'a code of a guest could not be issued yet',
    );
  }
}

async function planNextCode(services: Services, tx: Transaction, page: CrewPage): Promise<Planned | null> {
  const now = services.clock();
  const open = await lockMember(services, tx, page.memberId);
  if (open === null) throw new Refusal('session_ended', 'Session has ended');
  const { booking, member } = open;
  await requireNotHeld(tx, booking.id);
  const { releaseAt } = await readAccessTimes(services, tx, booking);
  if (now < releaseAt) throw new Refusal('code_not_released', 'Your code isn’t available yet.', { releaseAt });
  await requireNotUndoing(tx, booking.id, now);
  const { code, made } = await newestGuestCode(tx, member.id);
  if (code?.status === 'requested' || code?.status === 'issued') return null;
  const limits = regenerateLimits(services.locks.capabilities.mode);
  if (made >= limits.codesPerBooking) throw codeLimitReached();
  const wait = (code?.createdAt.getTime() ?? 0) + limits.secondsBetweenCodes * 1000 - now.getTime();
  const seconds = Math.ceil(wait / 1000);
  if (wait > 0)
    throw new Refusal('code_wait', `Please wait ${seconds} seconds before making another code.`, { seconds });
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

/** Job `access.revoke-crew`: removes a guest's code from its lock. Throws `ProviderError`. */
async function removeGuestCode(
  { db, locks, encryption, clock }: Services,
  job: Job<{ codeId: string }>,
): Promise<JobOutcome> {
  const code = await readGuestCode(db, job.payload.codeId);
  if (code === null || code.status === 'revoked') return 'done';
  const pin = encryption.decrypt(code.encryptedPin, code.id);
  // Without its bridge a lock keeps the code until the code ends.
  if (locks.capabilities.revocable) await locks.revokeCode({ lockId: code.lockId, pin });
  failpoint('crew.after.revoke');
  await db.query(
    `update private.crew_code set status = 'revoked', revoked_at = $2::timestamptz where id = $1::uuid and status <> 'revoked'`,
    [code.id, clock()],
  );
  return 'done';
}

export const requestGuestCodeJob = defineJob({
  kind: 'access.request-crew',
  worker: 'locks',
  longestWaitMs: URGENT_WAIT_MS,
  payload: z.object({ memberId: z.uuid() }),
  handle: (services, job) => requestGuestCode(services, job),
});

export const removeGuestCodeJob = defineJob({
  kind: 'access.revoke-crew',
  worker: 'locks',
  longestWaitMs: URGENT_WAIT_MS,
  payload: z.object({ codeId: z.uuid() }),
  handle: (services, job) => removeGuestCode(services, job),
});
