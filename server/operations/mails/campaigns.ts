import { randomUUID } from 'node:crypto';
import type { Letter } from '#rules/letter.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

export type Campaign = Letter & {
  /** Tells a repeated call from a second campaign. */
  readonly campaignId: string;
  readonly perMinute: number;
};

/**
 * Queues a mail to everybody on the mailing list. Returns how many get it; a repeated call returns the same. Throws `Refusal('already_done')` while another
 * campaign is sent, or when the id names another mail, and `invalid_request` when nobody is on the list.
 */
export async function startCampaign(
  { db, clock }: Services,
  { campaignId, subject, body, perMinute }: Campaign,
  actor: string,
): Promise<number> {
  const row = await db.one<{
    result: { outcome: 'started' | 'exists' | 'changed' | 'running' | 'nobody'; recipients?: number };
  }>('select private.start_campaign($1::uuid, $2, $3, $4::int, $5::uuid, $6::timestamptz) as result', [
    campaignId,
    subject,
    body,
    perMinute,
    actor,
    clock(),
  ]);
  switch (row?.result.outcome) {
    case 'started':
    case 'exists':
      return row.result.recipients ?? 0;
    case 'running':
      throw new Refusal('already_done', 'Another email is being sent. Wait until it has ended, or stop it.');
    case 'changed':
      throw new Refusal('already_done', 'This email was already sent with a different text. Write a new one.');
    default:
      throw new Refusal('invalid_request', 'Nobody is on the mailing list.');
  }
}

/** Stops a campaign: what is not sent yet is not sent. One that has ended stays so. Throws `Refusal('not_found')`. */
export async function stopCampaign({ db, clock }: Services, campaignId: string, actor: string): Promise<void> {
  const row = await db.one<{ found: boolean }>(
    'select private.stop_campaign($1::uuid, $2::uuid, $3::timestamptz) as found',
    [campaignId, actor, clock()],
  );
  if (!row?.found) throw new Refusal('not_found', 'There is no such email.');
}

/** Queues a mail to the account itself, as the mailing list would get it. Throws `Refusal` for the service key, which has no address. */
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

/** Ends a subscription. Does not say whether there was one. */
export async function leaveMailingList({ db }: Services, subscription: string): Promise<void> {
  await db.query('select public.leave_mailing_list($1::uuid)', [subscription]);
}
