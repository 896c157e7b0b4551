import { formatStudioRange } from '#rules/studio-time.ts';
import { type Letterhead, type Mail, renderMail } from './layout.ts';

/** A customer at a door that does not open. `description`: what they have tried. */
export type AtClosedDoor = {
  readonly description: string;
  readonly reference: string;
  readonly studioName: string;
  readonly start: Date;
  readonly end: Date;
  readonly name: string | null;
  readonly phone: string | null;
};

/** Tells staff who stands at a closed door. `doors`: where they open it. */
export function doorHelpMail(from: Letterhead, waiting: AtClosedDoor, doors: string): Mail {
  const { description, reference, studioName, start, end, name, phone } = waiting;
  return renderMail(from, {
    subject: `Somebody is at a closed door: ${studioName}`,
    preheader: `${name ?? 'A customer'} can’t get in.`,
    heading: 'The door doesn’t open',
    blocks: [
      { kind: 'text', text: description },
      { kind: 'button', label: 'Open the door remotely', href: doors },
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
