import type { Permission } from '#rules/permissions.ts';
import type { Transaction } from '#server/db/database.ts';
import { ProviderError } from '#server/providers/call.ts';
import { storeClosure } from '../closures/close-hours.ts';
import { recordAudit } from '../core/audit.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { recordShown } from '../core/shown-secrets.ts';
import { issueCode, openDigits, planCode } from './codes.ts';
import { type Code, type Holder, inOneTable, insertRow, queueRemoval } from './holder.ts';
import { forStaff } from './limits.ts';

export type NewStaffCode = {
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  /** The person who gets the code. */
  readonly name: string;
  /** Identifies a call, so that it can be repeated when the answer was lost. */
  readonly requestId: string;
};
export type MadeStaffCode = { readonly codeId: string; readonly pin: string };

/** A code that staff made for a person without a booking. */
type StaffCode = Code & {
  readonly status: Exclude<Code['status'], 'failed'>;
  readonly studioId: string;
  readonly name: string;
  readonly issuedAt: Date | null;
};
type Request = Pick<NewStaffCode, 'studioId' | 'name' | 'requestId'> & { readonly actor: string };

const SELECT = `select c.id, c.studio_id as "studioId", c.name, c.lock_id as "lockId", c.status, c.starts_at as "startsAt", c.ends_at as "endsAt",
    c.created_at as "createdAt", c.variant, c.pin_encrypted as "encryptedPin", c.issued_at as "issuedAt" from private.staff_code c`;

export const staffCodes = {
  ...inOneTable('private.staff_code'),
  resource: 'staff_code',
  failpoints: 'staff-code',
  select: SELECT,
  insert: (tx, code, { studioId, name, requestId, actor }) =>
    insertRow(tx, 'private.staff_code', { ...code, studio_id: studioId, name, request_id: requestId, made_by: actor }),
  lock: async (tx, { id }) => (await lockStaffCode(tx, id)) !== null,
  entry: (_code, { before, after }) => ({
    action: 'update',
    details: { before: { status: before }, after: { status: after } },
  }),
  removalKind: 'access.revoke-staff',
  removal: ({ id }) => ({ subjectId: id }),
} as const satisfies Holder<StaffCode, Request>;

/** Locks a staff code until the transaction ends. */
const lockStaffCode = (tx: Transaction, codeId: string): Promise<StaffCode | null> =>
  tx.queryRow<StaffCode>(`${SELECT} where c.id = $1::uuid for update`, [codeId]);

const HOUR = 3_600_000;
/** Longest window of a code that its lock can remove. Locks compute codes for at most this long. */
const LONGEST_MS = 28 * 24 * HOUR;
/** Longest window of a code that its lock cannot remove. People who leave the staff keep such a code until it ends. */
const LONGEST_KEPT_MS = 24 * HOUR;
/** Time after the code was issued during which a repeated call still returns the digits. */
const SHOWN_MS = 10 * 60_000;

/**
 * Makes a code for a person without a booking, and closes its hours so that no one else can book the room. The digits are returned once; a
 * repeated call within ten minutes returns them again. Throws `Refusal`: 'slot_taken' with the bookings in the way, 'provider_unavailable'.
 */
export async function makeStaffCode(services: Services, request: NewStaffCode, actor: string): Promise<MadeStaffCode> {
  requireWindow(request, services.clock(), services.locks.capabilities.revocable);
  const code = await services.db.transaction((tx) =>
    planStaffCode(services, tx, request, { actor, permission: 'bookings', closesHours: true }),
  );
  if (code.status === 'requested') {
    const { codeId, pin } = await requestStaffCode(services, code, actor).catch((error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
      throw new Refusal('provider_unavailable', 'The lock didn’t answer. Try again to get the same code.');
    });
    return { codeId, pin };
  }
  const shownUntil = (code.issuedAt?.getTime() ?? 0) + SHOWN_MS;
  const isShown = code.status === 'issued' && services.clock().getTime() <= shownUntil;
  const pin = isShown ? openDigits(services, code) : null;
  if (pin === null) throw new Refusal('already_done', 'This code was already created and shown.', { codeId: code.id });
  return { codeId: code.id, pin };
}

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

/**
 * Stores a code, unless the same request has already stored it, and records to whom its digits are shown. With `closesHours`, the hours of
 * a new code are closed for bookings. Throws `Refusal`: 'not_found', 'not_yours', 'code_limit', 'slot_taken', 'already_done' if the request
 * has made a different code.
 */
export async function planStaffCode(
  services: Services,
  tx: Transaction,
  request: NewStaffCode,
  { actor, permission, closesHours }: { actor: string; permission: Permission; closesHours: boolean },
): Promise<StaffCode> {
  const { studioId, startTime, endTime, name, requestId } = request;
  const now = services.clock();
  const lockId = services.studioLocks.get(studioId);
  if (lockId === undefined) throw new Refusal('not_found', 'This studio has no lock.');
  const existing = await tx.queryRow<StaffCode>(
    `${SELECT} where c.made_by = $1::uuid and c.request_id = $2 for update`,
    [actor, requestId],
  );
  const isSame = existing === null || (existing.studioId === request.studioId && +existing.endsAt === +request.endTime);
  if (!isSame) throw new Refusal('already_done', 'This request already created another code.', { codeId: existing.id });
  const closure = { studioId, startTime, endTime, weeks: 1, reason: `Access for ${name}`, public: false };
  if (existing === null && closesHours) await storeClosure(tx, closure, actor, now);
  const code = existing ?? (await storeStaffCode(services, tx, { ...request, lockId }, actor));
  const secret = { kind: 'staff-code', id: code.id, studioId, endsAt: code.endsAt } as const;
  await recordShown(tx, secret, { actor, permission, now });
  return code;
}

async function storeStaffCode(
  services: Services,
  tx: Transaction,
  { studioId, startTime, endTime, name, requestId, lockId }: NewStaffCode & { readonly lockId: string },
  actor: string,
): Promise<StaffCode> {
  const window = { lockId, worksFrom: startTime, worksUntil: endTime };
  const subject = { studioId, name, requestId, actor };
  const code = await planCode(services, tx, staffCodes, { window, subject }).catch((error: unknown) => {
    throw forStaff(error);
  });
  const details = { studioId, from: startTime, until: endTime, name };
  await recordAudit(tx, { actor, action: 'create', resource: 'staff_code', id: code.id, details });
  return code;
}

/**
 * Requests a planned code from its lock. It can be repeated safely because the lock returns the same code. Throws `ProviderError` if the
 * lock did not answer, and `Refusal` if the code was revoked during the call.
 */
export async function requestStaffCode(
  services: Services,
  code: StaffCode,
  actor: string,
): Promise<MadeStaffCode & { readonly providerCodeId: string | null }> {
  const { late, ...issued } = await issueCode(services, staffCodes, code, { name: code.name, actor });
  if (late) throw new Refusal('already_done', 'This code was revoked while it was being created.', { codeId: code.id });
  return { codeId: code.id, ...issued };
}

/** Queues the removal of a code from its lock. Idempotent. Throws `Refusal`: 'not_found', 'not_configured' if the lock cannot remove codes. */
export async function revokeStaffCode({ db, locks, clock }: Services, codeId: string, actor: string): Promise<void> {
  await db.transaction(async (tx) => {
    const code = await lockStaffCode(tx, codeId);
    if (code === null) throw new Refusal('not_found', 'Code not found');
    if (code.status === 'revoked' || code.status === 'revoking') return;
    if (!locks.capabilities.revocable)
      throw new Refusal('not_configured', 'This lock can’t remove a code. The code stops working when it ends.');
    await staffCodes.markRevoking(tx, codeId);
    await queueRemoval(tx, staffCodes, code, { reason: 'staff', dueAt: clock() });
    await recordAudit(tx, {
      actor,
      action: 'update',
      resource: 'staff_code',
      id: codeId,
      details: { before: { status: code.status }, after: { status: 'revoking' } },
    });
  });
}

type ListedCode = Pick<StaffCode, 'id' | 'name' | 'status' | 'startsAt' | 'endsAt'> & {
  readonly studioName: string;
  readonly madeBy: string | null;
  readonly usedAt: Date | null;
};

/**
 * Reads up to a hundred staff codes, without digits and latest end first: those that are valid now or later, and those that ended within
 * the last week.
 */
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
