import { type Alert, type AlertWords, describeAlert } from '#rules/alerts/alerts.ts';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { type Block, type Letterhead, type Mail, renderMail } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

const LISTED_MAX = 20;
const ALSO =
  'We retry what we can, and email you again tomorrow if it still fails. The Today tab of the admin pages always shows what needs attention.';

/** Lists the alerts that need a person's attention, each with a button to the page where it can be resolved. */
export function alertMail(from: Letterhead, alerts: readonly Alert[], siteUrl: string): Mail {
  const [first] = alerts;
  const title = first !== undefined && alerts.length === 1 ? describeAlert(first).title : `${alerts.length} alerts`;
  const more = alerts.length - LISTED_MAX;
  return renderMail(from, {
    subject: `Needs attention: ${title}`,
    preheader: 'A customer may still be waiting for something.',
    heading: 'Needs attention',
    blocks: [
      ...(alerts.length === 1 ? [] : [{ kind: 'text' as const, text: `${alerts.length} alerts need attention.` }]),
      ...alerts.slice(0, LISTED_MAX).flatMap((alert) => createBlocks(alert, siteUrl)),
      ...(more > 0
        ? [
            { kind: 'text' as const, text: `And ${more} more.` },
            { kind: 'button' as const, label: 'Go to Today', href: `${siteUrl}/admin?tab=today` },
          ]
        : []),
      { kind: 'text', text: ALSO },
    ],
  });
}
alertMail.previews = ({ at, booking, from, site }: PreviewData): Previews<typeof alertMail> => {
  const refund: Alert = {
    kind: 'job_failing',
    since: at(-30),
    due: null,
    job: { id: 'c3b1f9a2-0d4e-4b7a-8f11-6a2d9e5c7b30', kind: 'payment.refund', tries: 12 },
    problem: 'stripe: http_503',
    booking,
    studioId: '5a000000-0000-4000-8000-00000000000b',
    studioName: 'Studio B',
    customer: null,
  };
  const late: Alert = {
    ...refund,
    kind: 'job_late',
    job: { id: 'c3b1f9a2-0d4e-4b7a-8f11-6a2d9e5c7b31', kind: 'mail.access-code', tries: 3 },
    problem: 'The session ended before the access code could be emailed.',
  };
  const lockless: Alert = {
    ...refund,
    job: { id: 'c3b1f9a2-0d4e-4b7a-8f11-6a2d9e5c7b32', kind: 'access.request', tries: 3 },
    problem: 'igloohome: http_404',
  };
  return {
    '': [from, [refund, late, lockless], site],
    'without a door code': [from, [lockless], site],
    'too late': [from, [late], site],
    many: [from, Array.from({ length: 45 }, () => refund), site],
  };
};

/** Returns the button to the page that resolves an alert. `label`: replaces the label of the alert's action. */
export const alertButton = ({ action }: AlertWords, siteUrl: string, label: string = action.label): Block => ({
  kind: 'button',
  label,
  href: siteUrl + action.to,
});

function createBlocks(alert: Alert, siteUrl: string): readonly Block[] {
  const words = describeAlert(alert);
  const { booking, since, job } = alert;
  const at = (time: Date): string => `${formatStudioDateTime(time)} (Sydney time)`;
  return [
    {
      kind: 'facts',
      rows: [
        ['What', words.title],
        ...(words.why.length === 0 ? [] : [['Why', `${words.why.join('. ')}.`] as const]),
        ...(booking === null
          ? []
          : ([
              ['Booking', booking.reference],
              ['Session', `${booking.studioName}, ${at(booking.start)}`],
            ] as const)),
        ['Since', at(since)],
        ...(words.support === null ? [] : [['For support', words.support] as const]),
        ...(job === null ? [] : [['Job', job.id] as const]),
      ],
    },
    alertButton(words, siteUrl),
  ];
}
