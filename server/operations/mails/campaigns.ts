import { randomUUID } from 'node:crypto';
import type { Letter } from '#rules/letter.ts';
import { callJson, callSql } from '../core/call-sql.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

export type Campaign = Letter & {
  /** Distinguishes a repeated call from a second campaign. */
  readonly campaignId: string;
  readonly perMinute: number;
};

/** What `private.start_campaign()` returns. */
type Started = {
  readonly outcome: 'started' | 'exists' | 'changed' | 'running' | 'nobody';
  readonly recipients?: number;
};

/**
 * Queues a mail to everyone on the mailing list. Returns the number of recipients; a repeated call returns the same number. Throws
 * `Refusal`: `already_done` while another campaign is being sent, or if the id belongs to a different mail, and `invalid_request` if the
 * list is empty.
 */
export async function startCampaign(
  { db, clock }: Services,
  { campaignId, subject, body, perMinute }: Campaign,
  actor: string,
): Promise<number> {
  const result = await callJson(
    db,
    'start_campaign',
    {
      p_id: campaignId,
      p_subject: subject,
      p_body: body,
      p_per_minute: perMinute,
      p_actor: actor,
      p_now: clock(),
    },
    (json: Started) => json,
  );
  switch (result?.outcome) {
    case 'started':
    case 'exists':
      return result.recipients ?? 0;
    case 'running':
      throw new Refusal('already_done', 'Another email is being sent. Wait until it has finished, or stop it.');
    case 'changed':
      throw new Refusal('already_done', 'This email was already sent with a different text. Write a new one.');
    default:
      throw new Refusal('invalid_request', 'The mailing list is empty.');
  }
}

/** Stops a campaign, so that its unsent mails are not sent. Does nothing to a campaign that has ended. Throws `Refusal('not_found')`. */
export async function stopCampaign({ db, clock }: Services, campaignId: string, actor: string): Promise<void> {
  const found = await callSql(db, 'stop_campaign', { p_id: campaignId, p_actor: actor, p_now: clock() });
  if (found !== true) throw new Refusal('not_found', 'This email doesn’t exist.');
}

/** Queues a test mail to the caller's account, as the mailing list would get it. Throws `Refusal` for the service key, which has no address. */
export async function testCampaign({ db, clock }: Services, letter: Letter, userId: string | null): Promise<void> {
  if (userId === null) throw new Refusal('invalid_request', 'The service key has no address.');
  await enqueue(db, {
    kind: 'mail.campaign-test',
    subjectId: userId,
    dedupe: randomUUID(),
    payload: letter,
    dueAt: clock(),
  });
}

/** Ends a subscription. Does not reveal whether it existed. */
export async function leaveMailingList({ db }: Services, subscription: string): Promise<void> {
  await db.query('select public.leave_mailing_list($1::uuid)', [subscription]);
}
