import { isAddressRefused } from '#server/providers/call.ts';
import { defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import type { Services } from '../core/services.ts';
import { customerMail } from '#server/mails/letter.ts';

/**
 * Sends a mail that staff wrote to a customer. Sends nothing if the account has been deleted. Replies go to the business. Throws
 * `ProviderError`.
 */
async function sendCustomerMessage({ db, mail, business }: Services, job: Job): Promise<JobOutcome> {
  const message = await db.queryRow<{ email: string; subject: string; body: string }>(
    `select u.email, m.subject, m.body from private.customer_message m
     join auth.users u on u.id = m.user_id and u.deleted_at is null and u.email is not null where m.id = $1::uuid`,
    [job.subjectId],
  );
  if (message === null) return 'done';
  try {
    const from = business();
    await mail.send({ to: message.email, ...customerMail(from, message), replyTo: from.email, key: `job-${job.id}` });
  } catch (error) {
    if (isAddressRefused(error)) return { closed: 'The mail server refused the address.' };
    throw error;
  }
  return 'done';
}

export const sendCustomerMessageJob = defineJob({
  kind: 'mail.customer',
  title: 'Email from staff',
  worker: 'mail',
  handle: (services, job) => sendCustomerMessage(services, job),
});
