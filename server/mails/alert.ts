import { type Alert, type AlertWords, describeAlert } from '#rules/alerts/alerts.ts';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import { type Block, type Letterhead, type Mail, renderMail } from './layout.ts';

const LISTED_MAX = 20;
const ALSO =
  'We keep trying what can be tried again, and email you once more tomorrow if it still fails. Today in the admin pages always shows what needs somebody.';

/** Tells staff what needs a person, each with the button that leads to where it is dealt with. */
export function alertMail(from: Letterhead, alerts: readonly Alert[], siteUrl: string): Mail {
  const [first] = alerts;
  const title = first !== undefined && alerts.length === 1 ? describeAlert(first).title : `${alerts.length} things`;
  const more = alerts.length - LISTED_MAX;
  return renderMail(from, {
    subject: `Needs attention: ${title}`,
    preheader: 'Something we owe a customer may not have happened yet.',
    heading: 'Needs attention',
    blocks: [
      ...(alerts.length === 1 ? [] : [{ kind: 'text' as const, text: `${alerts.length} things need somebody.` }]),
      ...alerts.slice(0, LISTED_MAX).flatMap((alert) => blocksOf(alert, siteUrl)),
      ...(more > 0
        ? [
            { kind: 'text' as const, text: `And ${more} more.` },
            { kind: 'button' as const, label: 'Open Today', href: `${siteUrl}/admin?tab=today` },
          ]
        : []),
      { kind: 'text', text: ALSO },
    ],
  });
}

/** The button that leads to what an alert asks for. `label`: other words for it. */
export const alertButton = ({ action }: AlertWords, siteUrl: string, label: string = action.label): Block => ({
  kind: 'button',
  label,
  href: siteUrl + action.to,
});

function blocksOf(alert: Alert, siteUrl: string): readonly Block[] {
  const words = describeAlert(alert);
  const { booking, since, job } = alert;
  const at = (time: Date): string => `${formatStudioDate(time, 'medium')}, ${formatStudioTime(time)} (Sydney time)`;
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
