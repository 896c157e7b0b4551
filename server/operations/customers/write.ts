import type { Letter } from '#rules/letter.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import { callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';

export type CustomerMessage = Letter & {
  /** Distinguishes a repeated call from a second mail. */
  readonly messageId: string;
  readonly userId: string;
};

/** Queues a mail to a customer. Idempotent for the same id. Throws `Refusal`: `not_found`, `already_done` if the id belongs to a different mail. */
export async function writeCustomer(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { messageId, userId, subject, body }: CustomerMessage,
  actor: string,
): Promise<void> {
  const outcome = await callSql(db, 'write_customer', {
    p_id: messageId,
    p_user: userId,
    p_subject: subject,
    p_body: body,
    p_actor: actor,
    p_now: clock(),
  });
  if (outcome === 'changed')
    throw new Refusal('already_done', 'This email was already sent with a different text. Write a new one.');
  if (outcome !== 'sent') throw new Refusal('not_found', 'Customer not found');
}
