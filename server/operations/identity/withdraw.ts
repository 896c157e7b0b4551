import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { lockProfile } from './profile.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/**
 * Withdraws the verified IDs of a customer, for a member of staff, and queues the mail that gives the reason. Idempotent. Throws `Refusal`:
 * `not_found`, `already_done` if no ID is verified.
 */
export async function withdrawId(
  { db, clock }: Services,
  { userId, reason }: { readonly userId: string; readonly reason: string },
  actor: string,
): Promise<void> {
  const now = clock();
  await db.transaction(async (tx) => {
    // Lock the profile first, as in all decisions about an ID.
    if ((await lockProfile(tx, userId)) === null) throw new Refusal('not_found', 'Customer not found');
    const { rows } = await tx.query<{ id: string }>(
      `update public.id_verifications set verification_status = 'failed', failure_reasons = array[$2::text]
       where user_id = $1::uuid and verification_status = 'verified' returning id`,
      [userId, reason],
    );
    const [newest] = rows;
    if (newest === undefined) {
      const same = await tx.queryRow(
        `select 1 from private.id_withdrawal w join public.id_verifications v on v.id = w.verification_id
         where v.user_id = $1::uuid and w.reason = $2
           and not exists (select from public.id_verifications x where x.user_id = v.user_id and x.created_at > w.withdrawn_at)`,
        [userId, reason],
      );
      if (same === null) throw new Refusal('already_done', 'This customer has no verified ID.');
      return;
    }
    for (const { id } of rows) {
      await tx.query(
        'insert into private.id_withdrawal (verification_id, reason, withdrawn_by, withdrawn_at) values ($1::uuid, $2, $3::uuid, $4::timestamptz)',
        [id, reason, actor, now],
      );
      // The reason is not logged because it may quote the ID.
      await recordAudit(tx, {
        actor,
        action: 'update',
        resource: 'id_verification',
        id,
        details: { decision: 'withdraw', before: { status: 'verified' }, after: { status: 'failed' } },
      });
    }
    await enqueue(tx, { kind: 'mail.id-withdrawn', subjectId: newest.id, dueAt: now });
  });
}
