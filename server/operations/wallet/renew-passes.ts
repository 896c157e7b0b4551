import { ProviderError } from '#server/providers/call.ts';
import { URGENT_WAIT_MS, defineJob, type Job, type JobOutcome } from '../core/jobs.ts';
import { describePass, type PassRow, readPass } from './pass-rows.ts';
import type { Services } from '../core/services.ts';

/**
 * Job `pass.google`: updates the Google pass to the current booking. Concurrent jobs may read and call in a different order, so the job
 * runs again if the booking has changed in the meantime. Throws `ProviderError`.
 */
async function renewGooglePass(services: Services, job: Job): Promise<JobOutcome> {
  const { wallets, clock, siteUrl } = services;
  const row = await readPass(services, job.subjectId);
  const pointless = whyPointless(row, job, clock());
  if (row === null || pointless !== null) return pointless ?? 'done';
  if (wallets.google === null) return { closed: 'Google Wallet passes are no longer set up.' };
  await wallets.google.update(describePass(row, siteUrl), clock());
  const after = await readPass(services, job.subjectId);
  return after === null || after.version === row.version ? 'done' : { retryAt: clock() };
}

/**
 * Job `pass.apple`: notifies the phones that have the pass to request it again, and deletes those that no longer have it. A push has no
 * content, so nothing outdated can arrive. Throws `ProviderError`.
 */
async function renewApplePass(services: Services, job: Job): Promise<JobOutcome> {
  const { db, wallets, clock } = services;
  const row = await readPass(services, job.subjectId);
  const pointless = whyPointless(row, job, clock());
  if (row === null || pointless !== null) return pointless ?? 'done';
  const { rows: phones } = await db.query<{ token: string }>(
    'select distinct push_token as token from private.pass_device where booking_id = $1::uuid',
    [job.subjectId],
  );
  if (phones.length === 0) return 'done';
  if (wallets.apple === null) return { closed: 'Apple Wallet passes are no longer set up.' };
  const tokens = phones.map(({ token }) => token);
  const { gone, failed } = await wallets.apple.push(tokens, row.booking.endTime);
  // Delete the phones of other bookings too: an invalid token is invalid for all passes of the phone.
  if (gone.length > 0) await db.query('delete from private.pass_device where push_token = any ($1::text[])', [gone]);
  if (failed !== null) throw new ProviderError('apple-push', failed, { retryable: true });
  return 'done';
}

/**
 * Returns the result of a job whose pass is no longer needed, because it is deleted or the session has ended; null otherwise. A job that
 * failed until the end of the session is reported.
 */
function whyPointless(row: PassRow | null, { tries }: Job, now: Date): JobOutcome | null {
  if (row === null) return 'done';
  if (row.booking.endTime > now) return null;
  return tries <= 1 ? 'done' : { closed: 'The session ended before the pass could follow.' };
}

export const renewApplePassJob = defineJob({
  kind: 'pass.apple',
  title: 'Apple Wallet pass update',
  worker: 'apple-passes',
  longestWaitMs: URGENT_WAIT_MS,
  alerts: 'once',
  handle: (services, job) => renewApplePass(services, job),
});

export const renewGooglePassJob = defineJob({
  kind: 'pass.google',
  title: 'Google Wallet pass update',
  worker: 'google-passes',
  longestWaitMs: URGENT_WAIT_MS,
  alerts: 'once',
  handle: (services, job) => renewGooglePass(services, job),
});
