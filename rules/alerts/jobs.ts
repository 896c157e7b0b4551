import { formatStudioTime } from '../studio-time.ts';
import { JOB_TITLES } from './job-titles.ts';

/** Every kind of job of the business. */
export type JobKind = keyof typeof JOB_TITLES;
const isKind = (kind: string): kind is JobKind => kind in JOB_TITLES;

/** Names of the alerts that the server raises without a job. */
const SYSTEM_TITLES: Readonly<Record<string, string>> = {
  'system.backup': 'Nightly backup',
  'system.warning': 'Server warning',
};

const AFTER_THE_END: readonly string[] = [
  'mail.booking-cancelled',
  'mail.refund',
  'mail.payment-returned',
  'mail.payment-failed',
  'mail.link-expired',
  'mail.document',
];
/** Whether an email is still sent after its booking is cancelled. Other pending emails are dropped when they are due. */
export const isSentAfterCancellation = (kind: string): boolean => AFTER_THE_END.includes(kind);

/** Returns the name of a kind of job for people. A kind without a name is returned unchanged. */
export function titleOfJob(kind: string): string {
  if (kind.startsWith('account-mail.')) return 'Account email';
  if (kind.startsWith('account-text.')) return 'Account text message';
  return isKind(kind) ? JOB_TITLES[kind] : (SYSTEM_TITLES[kind] ?? kind);
}

const REMOVALS: readonly string[] = ['access.revoke', 'access.revoke-crew', 'access.revoke-staff', 'access.end-secret'];

/**
 * Describes what a job has not done. `open`: it will be tried again. `late`: its time has passed. `refused`: the recipient's mail server
 * refused the mail.
 */
export function describeUndone(
  kind: string,
  state: 'open' | 'late' | 'refused',
  booking: { readonly studioName: string; readonly start: Date } | null = null,
): string {
  const title = kind === '' ? 'A server task' : titleOfJob(kind);
  if (state === 'refused') return `${title}: rejected by the customer’s mail server`;
  const session =
    booking === null ? 'a session' : `the ${formatStudioTime(booking.start)} session in ${booking.studioName}`;
  if (kind === 'access.request') return `${state === 'late' ? 'There was no' : 'No'} door code for ${session}`;
  if (kind === 'access.request-crew')
    return `${state === 'late' ? 'There was no' : 'No'} door code for a guest of ${session}`;
  if (REMOVALS.includes(kind)) return `A door code${booking === null ? '' : ` for ${session}`} has not been removed`;
  if (kind === 'payment.refund' || kind === 'payment.partial-refund') return 'A refund has not gone through';
  const undone = /^(account-)?(mail|text)\./.test(kind) ? 'not sent' : 'not done';
  return `${title}: ${undone}${state === 'open' ? ' yet' : ' in time'}`;
}

const MAIL_REFUSALS: Readonly<Record<string, string>> = {
  queued: 'This email is about to be sent.',
  no_address: 'This booking has no email address to send to.',
  cancelled: 'The booking is no longer confirmed.',
  over: 'The session is over.',
  not_cancelled: 'The booking is not cancelled.',
  payment_ended: 'The payment has changed since then.',
  changed: 'The booking has changed since then.',
  moved_again: 'The booking has moved again. Send the newer email.',
  money_arrived: 'The payment is no longer processing.',
  not_needed: 'This booking no longer needs an ID.',
};

/** Returns why a mail cannot be sent again. Codes are those of `private.mail_refusal()`. */
export function describeMailRefusal(code: string): string {
  return MAIL_REFUSALS[code] ?? 'This email cannot be sent again.';
}
