import { formatStudioTime } from '../studio-time.ts';

/** What each kind of job is called to people. The list of all kinds: `defineJob` accepts no other. */
export const JOB_TITLES = {
  'mail.waitlist': 'Email about hours of the wait list',
  'mail.job-alert': 'Email about jobs that fail',
  'access.end-secret': 'Replacing a code that a former member of staff has seen',
  'power.follow': 'Switching the lights for a session',
  'pass.apple': 'Changing a pass in Apple Wallet',
  'pass.google': 'Changing a pass in Google Wallet',
  'mail.booking-confirmed': 'Booking confirmation email',
  'mail.booking-cancelled': 'Cancellation email',
  'mail.booking-moved': 'Email about moved hours',
  'mail.refund': 'Refund email',
  'mail.document': 'Email with the documents',
  'mail.link-expired': 'Email about a link that nobody paid',
  'mail.link-expired-staff': 'Email to staff about a link that nobody paid',
  'mail.payment-link': 'Email with the link to pay',
  'mail.payment-returned': 'Email about a returned payment',
  'mail.payment-processing': 'Email about a payment in progress',
  'mail.payment-failed': 'Email about a failed payment',
  'mail.access-code': 'Access code email',
  'mail.reminder': 'Reminder email',
  'text.reminder': 'Reminder text message',
  'mail.thanks': 'Email after a session',
  'mail.incident-answer': 'Answer to a report',
  'mail.door-help': 'Email to staff about a closed door',
  'mail.id-decision': 'Email about an ID decision',
  'mail.id-withdrawn': 'Email about a withdrawn ID',
  'mail.code-held': 'Email that the access code is held',
  'mail.code-held-staff': 'Email to staff about a held access code',
  'mail.id-needed': 'Email that asks for an ID',
  'mail.id-missing': 'Email to staff about a missing ID',
  'mail.staff-invitation': 'Email that invites to the staff',
  'mail.second-factor': 'Email to staff about two-step sign-in',
  'mail.review-waiting': 'Email to staff about an ID that waits',
  'mail.customer': 'Email from staff',
  'mail.campaign': 'News',
  'mail.campaign-test': 'Test of news',
  'access.request': 'Access code from the lock',
  'access.request-crew': 'Access code of a guest from the lock',
  'access.revoke-crew': 'Removing the code of a guest from the lock',
  'access.revoke-staff': 'Removing a code of staff from the lock',
  'access.revoke': 'Removing a code from the lock',
  'payment.refund': 'Refund',
  'payment.partial-refund': 'Partial refund',
  'payment.compare-ledger': 'Comparison with the payment provider',
  'payment.forget-customer': 'Deleting saved cards at the payment provider',
  'image.delete': 'Deleting an ID photo',
} as const;
export type JobKind = keyof typeof JOB_TITLES;
const isKind = (kind: string): kind is JobKind => kind in JOB_TITLES;

/** What the alerts are called that the server raises without a job. */
const SYSTEM_TITLES: Readonly<Record<string, string>> = {
  'system.backup': 'Backup of the night',
  'system.warning': 'Warning about the server',
};

const AFTER_THE_END: readonly string[] = [
  'mail.booking-cancelled',
  'mail.refund',
  'mail.payment-returned',
  'mail.payment-failed',
  'mail.link-expired',
  'mail.document',
];
/** Whether an email is still sent once its booking is cancelled. The others that wait are dropped when they are due. */
export const isSentAfterCancellation = (kind: string): boolean => AFTER_THE_END.includes(kind);

/** Names a kind of job for people; a kind without a name keeps its own. */
export function titleOfJob(kind: string): string {
  if (kind.startsWith('account-mail.')) return 'Account email';
  if (kind.startsWith('account-text.')) return 'Account text message';
  return isKind(kind) ? JOB_TITLES[kind] : (SYSTEM_TITLES[kind] ?? kind);
}

const REMOVALS: readonly string[] = ['access.revoke', 'access.revoke-crew', 'access.revoke-staff', 'access.end-secret'];

/**
 * Names what a job has not done. `open`: it is tried again. `late`: it is too late for it. `refused`: the recipient's mail server refused the mail.
 */
export function describeUndone(
  kind: string,
  state: 'open' | 'late' | 'refused',
  booking: { readonly studioName: string; readonly start: Date } | null = null,
): string {
  const title = kind === '' ? 'A task of the server' : titleOfJob(kind);
  if (state === 'refused') return `${title}: refused by the customer’s mail server`;
  const session =
    booking === null ? 'a session' : `the ${formatStudioTime(booking.start)} session in ${booking.studioName}`;
  if (kind === 'access.request') return `${state === 'late' ? 'There was no' : 'No'} door code for ${session}`;
  if (kind === 'access.request-crew')
    return `${state === 'late' ? 'There was no' : 'No'} door code for a guest of ${session}`;
  if (REMOVALS.includes(kind)) return `A door code${booking === null ? '' : ` of ${session}`} has not been removed`;
  if (kind === 'payment.refund' || kind === 'payment.partial-refund') return 'A refund has not gone through';
  const undone = /^(account-)?(mail|text)\./.test(kind) ? 'not sent' : 'not done';
  return `${title}: ${undone}${state === 'open' ? ' yet' : ' in time'}`;
}

const MAIL_REFUSALS: Readonly<Record<string, string>> = {
  queued: 'This email is about to be sent.',
  no_address: 'There’s nobody left to email about this booking.',
  cancelled: 'The booking is no longer confirmed.',
  over: 'The session is over.',
  not_cancelled: 'The booking is not cancelled.',
  payment_ended: 'The payment has changed since.',
  changed: 'The booking has changed since.',
  moved_again: 'The booking has moved again since: send that email.',
  money_arrived: 'The money is no longer on its way.',
  not_needed: 'This booking no longer needs an ID.',
};

/** Says why a mail cannot be sent again. Codes are those of `private.mail_refusal()`. */
export function describeMailRefusal(code: string): string {
  return MAIL_REFUSALS[code] ?? 'This email cannot be sent again.';
}
