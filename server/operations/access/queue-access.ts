import { mailIsImmediate } from '#rules/access.ts';
import { settings as studio } from '#rules/venue.ts';
import type { Transaction } from '#server/db/database.ts';
import { enqueue } from '../core/jobs.ts';

/** Queues the access code of a confirmed booking, and its mail where there is somebody to write to. */
export async function queueAccess(
  tx: Pick<Transaction, 'query'>,
  {
    id,
    start,
    hasAddress,
    dedupe = '',
  }: { readonly id: string; readonly start: Date; readonly hasAddress: boolean; readonly dedupe?: string },
  now: Date,
): Promise<void> {
  await enqueue(tx, {
    kind: 'access.request',
    subjectId: id,
    dedupe,
    dueAt: new Date(Math.max(now.getTime(), start.getTime() - studio.requestLeadMinutes * 60_000)),
    deadlineAt: new Date(Math.max(start.getTime(), now.getTime() + 60_000)),
  });
  if (!hasAddress) return;
  const immediate = mailIsImmediate(start, now);
  // A trigger queues the code mail with this row and fills in the recipient.
  await tx.query(
    `insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for) values ($1::uuid, '', 'access_code', $2, $3::timestamptz)`,
    [
      id,
      immediate ? 'pending_immediate' : 'pending',
      immediate ? now : new Date(start.getTime() - studio.releaseLeadMinutes * 60_000),
    ],
  );
}
