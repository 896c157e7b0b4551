import { alertAbout, describeAlert } from '#rules/alerts/alerts.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import { alertButton } from './alert.ts';
import { type Letterhead, type Mail, renderMail } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

/** A customer at a door that does not open. `description`: what staff should know about the lock. */
export type AtClosedDoor = {
  readonly description: string;
  readonly reference: string;
  readonly studioName: string;
  readonly start: Date;
  readonly end: Date;
  readonly name: string | null;
  readonly phone: string | null;
};

/** Informs staff that a customer stands at a closed door. */
export function doorHelpMail(from: Letterhead, waiting: AtClosedDoor, siteUrl: string): Mail {
  const { description, reference, studioName, start, end, name, phone } = waiting;
  const words = describeAlert(alertAbout('door_closed', start, null));
  return renderMail(from, {
    subject: `${words.title}: ${studioName}`,
    preheader: `${name ?? 'A customer'} can’t get in.`,
    heading: words.title,
    blocks: [
      { kind: 'text', text: description },
      alertButton(words, siteUrl),
      {
        kind: 'facts',
        rows: [
          ['Customer', name ?? 'Unknown'],
          ['Phone', phone ?? 'None given'],
          ['Studio', studioName],
          ['When', `${formatStudioRange(start, end)} (Sydney time)`],
          ['Reference', reference],
        ],
      },
      ...(phone === null
        ? []
        : [{ kind: 'button' as const, label: `Call ${phone}`, href: `tel:${phone.replaceAll(/[^\d+]/g, '')}` }]),
    ],
  });
}
doorHelpMail.previews = ({ booking, from, site }: PreviewData): Previews<typeof doorHelpMail> => {
  const waiting = {
    ...booking,
    description: 'Right door, keypad awake, new code tried.',
    name: 'Olive Nguyen',
    phone: '+61 400 000 014',
  };
  return {
    '': [from, waiting, site],
    'of an unknown customer': [from, { ...waiting, name: null, phone: null }, site],
  };
};
