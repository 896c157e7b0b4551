import { titleOfJob } from '#rules/jobs.ts';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { type Letterhead, type Mail, renderMail } from './layout.ts';

/** A job that needs attention. `closedFor`: why it is no longer tried; null while it is. */
export type AlertedJob = {
  readonly id: string;
  readonly kind: string;
  /** The booking's reference; null when it has none. */
  readonly reference: string | null;
  readonly tries: number;
  readonly since: Date;
  readonly error: string | null;
  readonly closedFor: string | null;
};

const LISTED_MAX = 20;
/** Informs the owner which jobs keep failing and which came too late. */
export function jobAlertMail(from: Letterhead, jobs: readonly AlertedJob[]): Mail {
  const failing = jobs.filter((job) => job.closedFor === null).length;
  const late = jobs.length - failing;
  const subject = failing > 0 ? `${plural(failing)} failing` : `${plural(late)} too late`;
  const both = failing > 0 && late > 0 ? `${subject}, ${plural(late)} too late` : subject;
  return renderMail(from, {
    subject: `Needs attention: ${subject}`,
    preheader: 'Something we owe a customer hasn’t happened yet.',
    heading: 'Needs attention',
    blocks: [
      {
        kind: 'text',
        text: `${both}. We keep trying the jobs that fail, and email you again tomorrow if they still do. Staff can retry a job now or close it with a reason.`,
      },
      ...jobs.slice(0, LISTED_MAX).map((job) => ({ kind: 'facts' as const, rows: rowsOf(job) })),
      ...(jobs.length > LISTED_MAX
        ? [{ kind: 'text' as const, text: `And ${jobs.length - LISTED_MAX} more: see the audit log.` }]
        : []),
    ],
  });
}

const plural = (count: number): string => (count === 1 ? '1 job is' : `${count} jobs are`);

function rowsOf(job: AlertedJob): (readonly [string, string])[] {
  return [
    ['What', titleOfJob(job.kind)],
    ...(job.reference === null ? [] : [['Booking', job.reference] as const]),
    ['Since', `${formatStudioDate(job.since, 'medium')}, ${formatStudioTime(job.since)} (Sydney time)`],
    ['Tries', String(job.tries)],
    ...(job.closedFor === null ? [] : [['No longer tried', job.closedFor] as const]),
    ...(job.error === null ? [] : [['Last error', job.error] as const]),
    ['Job', job.id],
  ];
}
