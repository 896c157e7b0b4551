import type { Transaction } from '#server/db/database.ts';
import { URGENT_WAIT_MS, defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { SecretKind } from '../core/shown-secrets.ts';
import { bookingCodes, liveCodes } from '../access/booking-codes.ts';
import { removeCode } from '../access/codes.ts';
import { readCode } from '../access/holder.ts';
import { staffCodes } from '../access/staff-codes.ts';
import { replaceSeenCode } from '../access/renew-code.ts';
import type { Services } from '../core/services.ts';

type LostSecret = { readonly kind: SecretKind; readonly subjectId: string; readonly bookingId: string | null };

/**
 * Job `access.end-secret`: revokes a code that was shown to a person who has since lost the permission. A booking's code is replaced, and
 * the new one is mailed to the customer. Does nothing if the lock cannot remove codes; owners then see the code and when it ends. Throws
 * `ProviderError`.
 */
async function endSecret(services: Services, job: Job): Promise<JobOutcome> {
  const { db, locks } = services;
  const secret = await db.queryRow<LostSecret>(
    `select s.kind, s.subject_id as "subjectId", c.booking_id as "bookingId" from private.shown_secret s
     left join public.booking_access_codes c on s.kind = 'booking-code' and c.id = s.subject_id
     where s.id = $1::uuid and s.lost_at is not null and s.ended_at is null`,
    [job.subjectId],
  );
  if (secret === null || !locks.capabilities.revocable) return 'done';
  const { kind, subjectId, bookingId } = secret;
  if (kind === 'staff-code') {
    await db.query(
      `update private.staff_code set status = 'revoking' where id = $1::uuid and status in ('requested', 'issued')`,
      [subjectId],
    );
    const code = await readCode(db, staffCodes, subjectId);
    if (code?.status === 'revoking') await removeCode(services, staffCodes, code);
  }
  if (bookingId !== null) {
    await replaceSeenCode(services, bookingId, subjectId);
    for (const code of await liveCodes(db, bookingId))
      if (code.id === subjectId) await removeCode(services, bookingCodes, code);
  }
  await db.transaction(async (tx) => {
    const { count } = await tx.query(
      'update private.shown_secret set ended_at = $2::timestamptz where id = $1::uuid and ended_at is null',
      [job.subjectId, services.clock()],
    );
    if (count > 0 && bookingId !== null) await mailNewCode(tx, job.subjectId, services.clock());
  });
  return 'done';
}

/**
 * Queues the mail with the replacement code if the customer was already mailed the old one. Otherwise the mail that is still due contains
 * the new code.
 */
async function mailNewCode(tx: Transaction, secretId: string, now: Date): Promise<void> {
  await tx.query(
    `insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for)
     select c.booking_id, '', 'access_code', 'pending_immediate', $2::timestamptz
     from private.shown_secret s join public.booking_access_codes c on c.id = s.subject_id
     where s.id = $1::uuid
       and exists (select from public.booking_access_codes n where n.booking_id = c.booking_id and n.attempt > c.attempt and n.status = 'issued')
       and exists (select from public.scheduled_emails m where m.booking_id = c.booking_id and m.status = 'sent')`,
    [secretId, now],
  );
}

export const endSecretJob = defineJob({
  kind: 'access.end-secret',
  title: 'Replacement of a code seen by former staff',
  worker: 'locks',
  longestWaitMs: URGENT_WAIT_MS,
  handle: (services, job) => endSecret(services, job),
});
