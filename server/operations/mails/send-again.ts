import { describeMailRefusal } from '#rules/alerts/jobs.ts';
import { callJson } from '../core/call-sql.ts';
import { readCodeHold } from '../access/code-hold.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

export type MailAgain = {
  readonly bookingId: string;
  /** The id of the mail, as listed by `booking_details`. */
  readonly mailId: string;
  /** Identifies a call, so that it can be repeated when the answer was lost. */
  readonly requestId: string;
};

/**
 * Queues a mail about a booking again, for staff. Its content is rendered again when it is sent. Throws `Refusal`: `not_found`,
 * `code_held`, and `already_done` with the reason if the content of the mail would no longer be true.
 */
export async function sendMailAgain(
  { db, clock }: Services,
  { bookingId, mailId, requestId }: MailAgain,
  actor: string,
): Promise<void> {
  const mail = await db.queryRow<{ kind: string }>(
    'select kind from private.outbox where id = $1::uuid and subject_id = $2::uuid',
    [mailId, bookingId],
  );
  if (mail?.kind === 'mail.access-code' && (await readCodeHold(db, bookingId)) !== null)
    throw new Refusal(
      'code_held',
      'The access code of this booking is on hold because its payment is disputed. Decide about the dispute first.',
    );
  const result = await callJson(
    db,
    'resend_mail',
    { p_booking: bookingId, p_mail: mailId, p_request: requestId, p_actor: actor, p_now: clock() },
    (json: { readonly refusal?: string }) => json,
  );
  if (result === null) throw new Refusal('not_found', 'This booking has no such email.');
  const { refusal } = result;
  if (refusal !== undefined) throw new Refusal('already_done', describeMailRefusal(refusal), { reason: refusal });
}
