import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { failpoint } from '../core/failpoint.ts';
import { defineJob, enqueue, type Job, type JobOutcome } from '../core/jobs.ts';
import { type AccessCode, liveCodes } from './code-rows.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** Queues the removal of one code from its lock. A second removal with the same `dedupe` is ignored. */
export async function queueRevocation(
  tx: Transaction,
  { bookingId, codeId, dedupe, dueAt }: { bookingId: string; codeId: string; dedupe: string; dueAt: Date },
): Promise<void> {
  await enqueue(tx, { kind: 'access.revoke', subjectId: bookingId, dedupe, payload: { codeId }, dueAt });
}

/** `codeId`: the one code to remove; all codes of the booking without it. */
const payloadSchema = z.object({ codeId: z.uuid().optional() });
type RevokePayload = z.output<typeof payloadSchema>;

/** Job `access.revoke`: removes a booking's codes from the lock, or only the one in the payload. Throws `ProviderError`. */
export async function revokeCodes(services: Services, job: Job<RevokePayload>): Promise<JobOutcome> {
  const { codeId: onlyCodeId } = job.payload;
  for (const code of await liveCodes(services.db, job.subjectId)) {
    if (onlyCodeId !== undefined && code.id !== onlyCodeId) continue;
    await revokeCode(services, code);
  }
  return 'done';
}

/** Removes a code from its lock. A lock that cannot remove one before it ends: staff are alerted instead. */
async function revokeCode({ db, locks, encryption, clock }: Services, code: AccessCode): Promise<void> {
  const now = clock();
  if (locks.capabilities.revocable) {
    const pin = code.encryptedPin === null ? '' : encryption.decrypt(code.encryptedPin, code.id);
    await locks.revokeCode({ lockId: code.lockId, pin });
  } else if (now.getTime() < code.endsAt.getTime()) {
    await recordAudit(db, {
      actor: null,
      action: 'alert',
      resource: 'access_code',
      id: code.id,
      details: { reason: 'the lock cannot remove this code before it ends' },
    });
  }
  failpoint('access.after.revoke');
  await db.transaction(async (tx) => {
    await tx.query(
      `update public.booking_access_codes set status = 'revoked', revoked_at = $2::timestamptz where id = $1::uuid and status <> 'failed'`,
      [code.id, now],
    );
    await tx.query(`update private.access_secret set live = false where code_id = $1::uuid`, [code.id]);
  });
}

export const revokeCodesJob = defineJob({
  kind: 'access.revoke',
  worker: 'locks',
  payload: payloadSchema,
  handle: (services, job) => revokeCodes(services, job),
});
