import { codeStart } from '#rules/access.ts';
import { randomUUID } from 'node:crypto';
import type { Permission } from '#rules/permissions.ts';
import type { Transaction } from '#server/db/database.ts';
import { ProviderError } from '#server/providers/call.ts';
import { storeClosure } from '../closures/close-hours.ts';
import { URGENT_WAIT_MS, defineJob, enqueue, type Job, type JobOutcome } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { recordShown } from '../core/shown-secrets.ts';
import { chooseDigits, forStaff } from './choose-digits.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

export type NewStaffCode = {
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  /** Whom it is for. */
  readonly name: string;
  /** The same for a repeat of a call whose answer was lost. */
  readonly requestId: string;
};
export type MadeStaffCode = { readonly codeId: string; readonly pin: string };
type StaffCode = {
  readonly id: string;
  readonly name: string;
  readonly lockId: string;
  readonly status: 'requested' | 'issued' | 'revoking' | 'revoked';
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly variant: number;
  readonly encryptedPin: string | null;
  readonly issuedAt: Date | null;
};

const HOUR = 3_600_000;
/** The longest window of a code that its lock can remove: as long as a lock computes codes for. */
const LONGEST_MS = 28 * 24 * HOUR;
/** The longest window of a code that its lock cannot remove: people who leave the staff keep it until then. */
const LONGEST_KEPT_MS = 24 * HOUR;
/** How long after it was made a repeated call still shows the digits. */
const SHOWN_MS = 10 * 60_000;
const COLUMNS = `id, name, lock_id as "lockId", status, starts_at as "startsAt", ends_at as "endsAt", variant, pin_encrypted as "encryptedPin",
  issued_at as "issuedAt"`;

/**
 * Makes a code for somebody without a booking, and closes its hours for bookings, so that nobody else is in the room. The digits are returned once; the
 * same call again within ten minutes returns them again. Throws `Refusal`: 'slot_taken' with the bookings in the way, 'provider_unavailable'.
 */
export async function makeStaffCode(services: Services, wanted: NewStaffCode, actor: string): Promise<MadeStaffCode> {
  requireWindow(wanted, services.clock(), services.locks.capabilities.revocable);
  const lockId = services.lockOf.get(wanted.studioId);
  if (lockId === undefined) throw new Refusal('not_found', 'This studio has no lock.');
  const code = await services.db.transaction(async (tx) => {
    const planned =
      (await findRepeated(tx, wanted, actor)) ?? (await planStaffCode(services, tx, { ...wanted, lockId }, actor));
    await recordStaffCode(services, tx, { code: planned, studioId: wanted.studioId, actor, permission: 'bookings' });
    return planned;
  });
  if (code.status === 'requested') return issueStaffCode(services, code, actor);
  const shownUntil = (code.issuedAt?.getTime() ?? 0) + SHOWN_MS;
  if (code.status !== 'issued' || code.encryptedPin === null || services.clock().getTime() > shownUntil)
    throw new Refusal('already_done', 'This code was made and shown before.', { codeId: code.id });
  return { codeId: code.id, pin: services.encryption.decrypt(code.encryptedPin, code.id) };
}

/** Records who is shown the digits of a code. */
export const recordStaffCode = (
  { clock }: Services,
  tx: Transaction,
  shown: { code: Pick<StaffCode, 'id' | 'endsAt'>; studioId: string; actor: string; permission: Permission },
): Promise<void> =>
  recordShown(
    tx,
    { kind: 'staff-code', id: shown.code.id, studioId: shown.studioId, endsAt: shown.code.endsAt },
    { actor: shown.actor, permission: shown.permission, now: clock() },
  );

function requireWindow({ startTime, endTime }: NewStaffCode, now: Date, revocable: boolean): void {
  const refuse = (message: string): never => {
    throw new Refusal('invalid_request', message);
  };
  if (startTime.getTime() % HOUR !== 0 || endTime.getTime() % HOUR !== 0)
    refuse('Codes begin and end on the hour, Sydney time.');
  if (endTime <= startTime) refuse('endTime must be after startTime.');
  if (endTime <= now) refuse('These hours are already over.');
  const hours = endTime.getTime() - startTime.getTime();
  if (!revocable && hours > LONGEST_KEPT_MS)
    refuse('A code works for at most 24 hours, because this lock can’t remove it before it ends.');
  if (hours > LONGEST_MS) refuse('A code works for at most 28 days.');
}

/** Returns the code that the same request made before; null for the first one. Throws `Refusal` when it made another code. */
export async function findRepeated(tx: Transaction, wanted: NewStaffCode, actor: string): Promise<StaffCode | null> {
  const made = await tx.one<StaffCode & { studioId: string }>(
    `select ${COLUMNS}, studio_id as "studioId" from private.staff_code where made_by = $1::uuid and request_id = $2 for update`,
    [actor, wanted.requestId],
  );
  const isSame = made === null || (made.studioId === wanted.studioId && +made.endsAt === +wanted.endTime);
  if (!isSame) throw new Refusal('already_done', 'This request has made another code.', { codeId: made.id });
  return made;
}

/** Stores the code before the lock is called, so that a lost answer can be requested again. */
async function planStaffCode(
  services: Services,
  tx: Transaction,
  wanted: NewStaffCode & { readonly lockId: string },
  actor: string,
): Promise<StaffCode> {
  const { studioId, startTime, endTime, name } = wanted;
  const closure = { studioId, startTime, endTime, weeks: 1, reason: `Access for ${name}`, public: false };
  await storeClosure(tx, closure, actor, services.clock());
  return storeStaffCode(services, tx, wanted, actor);
}

/** Stores a code with the digits that it asks its lock for. */
export async function storeStaffCode(
  services: Services,
  tx: Transaction,
  { studioId, startTime, endTime, name, requestId, lockId }: NewStaffCode & { readonly lockId: string },
  actor: string,
): Promise<StaffCode> {
  const { clock, encryption, fingerprint } = services;
  const startsAt = codeStart(startTime, clock());
  const digits = chooseDigits(services, tx, { lockId, startsAt, endsAt: endTime });
  const { pin, variant } = await digits.catch((error: unknown) => {
    throw forStaff(error);
  });
  const id = randomUUID();
  const planned = await tx.one<StaffCode>(
    `insert into private.staff_code (id, studio_id, lock_id, name, starts_at, ends_at, variant, pin_encrypted, pin_fingerprint, made_by, request_id, created_at)
     values ($1::uuid, $2::uuid, $3, $4, $5::timestamptz, $6::timestamptz, $7::int, $8, $9, $10::uuid, $11, $12::timestamptz) returning ${COLUMNS}`,
    [
      id,
      studioId,
      lockId,
      name,
      startsAt,
      endTime,
      variant,
      pin === null ? null : encryption.encrypt(pin, id),
      pin === null ? null : fingerprint(pin),
      actor,
      requestId,
      clock(),
    ],
  );
  if (planned === null) throw new Error('a planned code was not written');
  await recordAudit(tx, {
    actor,
    action: 'create',
    resource: 'staff_code',
    id,
    details: { studioId, from: startTime, until: endTime, name },
  });
  return planned;
}

/**
 * Requests a planned code from the lock and records the answer. Repeating it is safe: the lock returns the same code. Throws `Refusal` when the lock
 * did not answer, or when the code was revoked during the call.
 */
async function issueStaffCode(services: Services, code: StaffCode, actor: string): Promise<MadeStaffCode> {
  try {
    const { codeId, pin } = await requestStaffCode(services, code, actor);
    return { codeId, pin };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new Refusal('provider_unavailable', 'The lock didn’t answer. Try again: you’ll get the same code.');
  }
}

/** As `issueStaffCode`, but throws `ProviderError` when the lock did not answer. */
export async function requestStaffCode(
  { db, locks, encryption, fingerprint, clock }: Services,
  code: StaffCode,
  actor: string,
): Promise<MadeStaffCode & { readonly providerCodeId: string | null }> {
  const { id, lockId, startsAt, endsAt, variant, encryptedPin } = code;
  const pin = encryptedPin === null ? '' : encryption.decrypt(encryptedPin, id);
  const issued = await locks.issueCode({ lockId, startsAt, endsAt, accessName: code.name, variant, pin });
  const revoked = await db.transaction(async (tx) => {
    const { count } = await tx.query(
      `update private.staff_code set status = 'issued', issued_at = $2::timestamptz, pin_encrypted = $3, pin_fingerprint = $4
       where id = $1::uuid and status = 'requested'`,
      [id, clock(), encryption.encrypt(issued.pin, id), fingerprint(issued.pin)],
    );
    if (count === 0) return (await stateOf(tx, id)) !== 'issued' && queueLateRevocation(tx, id, clock());
    await recordAudit(tx, {
      actor,
      action: 'update',
      resource: 'staff_code',
      id,
      details: { before: { status: 'requested' }, after: { status: 'issued' } },
    });
    if (locks.capabilities.revocable)
      await enqueue(tx, { kind: 'access.revoke-staff', subjectId: id, dedupe: 'end', dueAt: endsAt });
    return false;
  });
  if (revoked) throw new Refusal('already_done', 'This code was revoked while it was made.', { codeId: id });
  return { codeId: id, pin: issued.pin, providerCodeId: issued.providerCodeId };
}

const stateOf = async (tx: Transaction, id: string): Promise<StaffCode['status'] | null> =>
  (await tx.one<Pick<StaffCode, 'status'>>('select status from private.staff_code where id = $1::uuid', [id]))
    ?.status ?? null;

/** The lock may have stored the code after it was asked to remove it: it is asked again. */
async function queueLateRevocation(tx: Transaction, id: string, now: Date): Promise<true> {
  await tx.query(`update private.staff_code set status = 'revoking', revoked_at = null where id = $1::uuid`, [id]);
  await enqueue(tx, { kind: 'access.revoke-staff', subjectId: id, dedupe: `late:${now.toISOString()}`, dueAt: now });
  return true;
}

/**
 * Queues the removal of a code from its lock. The same again changes nothing. Throws `Refusal`: 'not_found', 'not_configured' when the lock cannot
 * remove codes.
 */
export async function revokeStaffCode({ db, locks, clock }: Services, codeId: string, actor: string): Promise<void> {
  await db.transaction(async (tx) => {
    const code = await tx.one<Pick<StaffCode, 'status'>>(
      'select status from private.staff_code where id = $1::uuid for update',
      [codeId],
    );
    if (code === null) throw new Refusal('not_found', 'Code not found');
    if (code.status === 'revoked' || code.status === 'revoking') return;
    if (!locks.capabilities.revocable)
      throw new Refusal('not_configured', 'This lock can’t remove a code. The code stops working when it ends.');
    await tx.query(`update private.staff_code set status = 'revoking' where id = $1::uuid`, [codeId]);
    await enqueue(tx, { kind: 'access.revoke-staff', subjectId: codeId, dedupe: 'staff', dueAt: clock() });
    await recordAudit(tx, {
      actor,
      action: 'update',
      resource: 'staff_code',
      id: codeId,
      details: { before: { status: code.status }, after: { status: 'revoking' } },
    });
  });
}

/** Job `access.revoke-staff`: removes a code of staff from its lock, when they asked for it or at its end. Throws `ProviderError`. */
export async function removeStaffCode({ db, locks, encryption, clock }: Services, job: Job): Promise<JobOutcome> {
  const code = await db.one<StaffCode>(`select ${COLUMNS} from private.staff_code where id = $1::uuid`, [
    job.subjectId,
  ]);
  if (code === null || code.status === 'revoked') return 'done';
  if (code.encryptedPin !== null)
    await locks.revokeCode({ lockId: code.lockId, pin: encryption.decrypt(code.encryptedPin, code.id) });
  await db.query(
    `update private.staff_code set status = 'revoked', revoked_at = $2::timestamptz where id = $1::uuid and status <> 'revoked'`,
    [code.id, clock()],
  );
  return 'done';
}

type ListedCode = Pick<StaffCode, 'id' | 'name' | 'status' | 'startsAt' | 'endsAt'> & {
  readonly studioName: string;
  readonly madeBy: string | null;
  readonly usedAt: Date | null;
};

/** Reads the codes of staff that work now or later, and those of the last week, without digits; the latest end first. */
export async function readStaffCodes({ db, clock }: Services): Promise<readonly ListedCode[]> {
  const { rows } = await db.query<ListedCode>(
    `select c.id, c.name, c.status, c.starts_at as "startsAt", c.ends_at as "endsAt", s.name as "studioName", coalesce(p.full_name, p.email) as "madeBy",
       (select max(e.at) from private.lock_event e where e.lock_id = c.lock_id and e.at >= c.starts_at - interval '1 hour' and e.staff_code_id = c.id) as "usedAt"
     from private.staff_code c join public.studios s on s.id = c.studio_id left join public.profiles p on p.user_id = c.made_by
     where c.ends_at > $1::timestamptz - interval '7 days' order by c.ends_at desc, c.id limit 100`,
    [clock()],
  );
  return rows;
}

export const removeStaffCodeJob = defineJob({
  kind: 'access.revoke-staff',
  worker: 'locks',
  longestWaitMs: URGENT_WAIT_MS,
  handle: (services, job) => removeStaffCode(services, job),
});
