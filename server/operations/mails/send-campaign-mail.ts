import { z } from 'zod';
import { letterSchema } from '#rules/letter.ts';
import { newsMail } from '#server/mails/letter.ts';
import { isAddressRefused } from '#server/providers/call.ts';
import { callJson, callSql } from '../core/call-sql.ts';
import { failpoint } from '../core/failpoint.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';

const payloadSchema = z.object({ subscription: z.uuid() });

/** What `private.next_campaign_mail()` returns. */
type Step =
  | { do: 'nothing' }
  | { do: 'skip' }
  | { do: 'wait'; until: string }
  | { do: 'send'; email: string; subject: string; body: string };

/**
 * Sends the mail of a campaign to one subscription, at the pace of the campaign. An address that the mail server permanently rejects is
 * marked and gets no more news. Throws `ProviderError`.
 */
async function sendCampaignMail(
  { db, mail, clock, siteUrl, business }: Services,
  job: Job<z.output<typeof payloadSchema>>,
): Promise<JobOutcome> {
  const campaign = job.subjectId;
  const { subscription } = job.payload;
  const of = { p_campaign: campaign, p_subscription: subscription };
  const record = (outcome: 'sent' | 'bounced' | 'skipped', reason: string | null = null) =>
    callSql(db, 'record_campaign_mail', { ...of, p_outcome: outcome, p_reason: reason, p_now: clock() });
  const step = await callJson(db, 'next_campaign_mail', { ...of, p_now: clock() }, (json: Step) => json);
  if (step === null || step.do === 'nothing') return 'done';
  if (step.do === 'wait') return { retryAt: new Date(step.until) };
  if (step.do === 'skip') {
    await record('skipped');
    return 'done';
  }
  try {
    failpoint('mail.before.mail.campaign');
    await mail.send({
      to: step.email,
      ...newsMail(business(), step, `${siteUrl}/unsubscribe?id=${subscription}`),
      unsubscribeUrl: `${siteUrl}/functions/v1/unsubscribe?id=${subscription}`,
      key: `job-${job.id}`,
    });
    failpoint('mail.after.mail.campaign');
  } catch (error) {
    if (!isAddressRefused(error)) throw error;
    await record('bounced', error.reason);
    return 'done';
  }
  await record('sent');
  return 'done';
}

/** Sends a test mail to the member of staff who writes it, as the list would get it. Sends nothing if the account has been deleted. */
async function sendCampaignTest(
  { db, mail, siteUrl, business }: Services,
  job: Job<z.output<typeof letterSchema>>,
): Promise<JobOutcome> {
  const row = await db.queryRow<{ email: string }>(
    'select email from auth.users where id = $1::uuid and deleted_at is null and email is not null',
    [job.subjectId],
  );
  if (row === null) return 'done';
  const letter = job.payload;
  // The link has no subscription id, so its page shows that the link is incomplete.
  const message = newsMail(business(), { ...letter, subject: `Test: ${letter.subject}` }, `${siteUrl}/unsubscribe`);
  await mail.send({ to: row.email, ...message, key: `job-${job.id}` });
  return 'done';
}

export const sendCampaignMailJob = defineJob({
  kind: 'mail.campaign',
  title: 'News email',
  worker: 'campaigns',
  alerts: 'once',
  payload: payloadSchema,
  handle: (services, job) => sendCampaignMail(services, job),
});

export const sendCampaignTestJob = defineJob({
  kind: 'mail.campaign-test',
  title: 'Test news email',
  worker: 'mail',
  alerts: 'never',
  payload: letterSchema,
  handle: (services, job) => sendCampaignTest(services, job),
});
