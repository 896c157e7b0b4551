import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { type Mail, renderMail } from './layout.ts';

/** A job that a person has to know about. `closedFor`: why it is not tried any more; null while it is. */
export type AlertedJob = {
  readonly id: string;
  readonly kind: string;
  /** The booking's reference where there is one. */
  readonly reference: string | null;
  readonly tries: number;
  readonly since: Date;
  readonly error: string | null;
  readonly closedFor: string | null;
};

const LISTED_MAX = 20;
const TITLES: Readonly<Record<string, string>> = {
  'mail.booking-confirmed': 'Booking confirmation mail',
  'mail.booking-cancelled': 'Cancellation mail',
  'mail.payment-returned': 'Mail about a returned payment',
  'mail.access-code': 'Access code mail',
  'access.request': 'Access code from the lock',
  'access.revoke': 'Removing a code from the lock',
  'payment.refund': 'Refund',
  'image.delete': 'Deleting an ID picture',
};

/** To the owner: what keeps failing, and what came too late. */
export function jobAlertMail(jobs: readonly AlertedJob[]): Mail {
  const failing = jobs.filter((job) => job.closedFor === null).length;
  const late = jobs.length - failing;
  const subject = failing > 0 ? `${plural(failing)} failing` : `${plural(late)} too late`;
  return renderMail({
    subject: `Needs attention: ${subject}`,
    preheader: 'Something the studio owes somebody has not happened yet.',
    heading: 'Needs attention',
    blocks: [
      {
        kind: 'text',
        text: 'We keep trying whatever is still failing; you hear of it again tomorrow if it has not worked by then. Staff can try a job at once or close it with a reason.',
      },
      ...jobs.slice(0, LISTED_MAX).map((job) => ({ kind: 'facts' as const, rows: rowsOf(job) })),
      ...(jobs.length > LISTED_MAX
        ? [{ kind: 'text' as const, text: `And ${jobs.length - LISTED_MAX} more, which stand in the audit log.` }]
        : []),
    ],
  });
}

const plural = (count: number): string => (count === 1 ? '1 job is' : `${count} jobs are`);

function rowsOf(job: AlertedJob): (readonly [string, string])[] {
  return [
    ['What', TITLES[job.kind] ?? job.kind],
    ...(job.reference === null ? [] : [['Booking', job.reference] as const]),
    ['Since', `${formatStudioDate(job.since, 'medium')}, ${formatStudioTime(job.since)} (Sydney time)`],
    ['Tries', String(job.tries)],
    ...(job.closedFor === null ? [] : [['Not tried any more', job.closedFor] as const]),
    ...(job.error === null ? [] : [['Last error', job.error] as const]),
    ['Job', job.id],
  ];
}
