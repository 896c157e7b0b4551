import { alertAbout, describeAlert } from '#rules/alerts/alerts.ts';
import { formatStudioDate, formatStudioRange, type StudioDate } from '#rules/studio-time.ts';
import { alertButton } from './alert.ts';
import { greet, type Letterhead, type Mail, renderMail, sentence, writeTo } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

type Block = Parameters<typeof renderMail>[1]['blocks'][number];

/** Informs the customer that staff approved the ID. */
export function idApprovedMail(from: Letterhead, firstName: string | null, verifiedUntil: Date, bookUrl: string): Mail {
  return renderMail(from, {
    subject: 'Your ID is verified',
    preheader: 'You can book now.',
    heading: 'Your ID is verified',
    blocks: [
      {
        kind: 'text',
        text: greet(
          firstName,
          `someone on our team checked your ID, and it’s verified until ${formatStudioDate(verifiedUntil)}. We’ve deleted the photo.`,
        ),
      },
      { kind: 'button', label: 'Book a studio', href: bookUrl },
    ],
  });
}
idApprovedMail.previews = ({ at, from, site }: PreviewData): Previews<typeof idApprovedMail> => ({
  '': [from, 'Olive', at(24 * 365), `${site}/booking`],
});

/** Informs the customer that staff refused the ID, and why. `adultFrom`: the 18th birthday according to the ID, if the customer is younger. */
export function idRefusedMail(
  from: Letterhead,
  firstName: string | null,
  reasons: readonly string[],
  adultFrom: StudioDate | null,
  profileUrl: string,
): Mail {
  const next: readonly Block[] =
    adultFrom === null
      ? [
          { kind: 'text', text: 'You can verify another ID in your account.' },
          { kind: 'button', label: 'Your account', href: profileUrl },
        ]
      : [{ kind: 'text', text: `You can book from ${formatStudioDate(adultFrom)}.` }];
  return renderMail(from, {
    subject: 'We couldn’t verify your ID',
    preheader: 'What was missing, and what you can do now.',
    heading: 'We couldn’t verify your ID',
    blocks: [
      {
        kind: 'text',
        text: greet(
          firstName,
          `someone on our team looked at your ID and couldn’t verify it. We’ve deleted the photo.`,
        ),
      },
      ...reasons.map((text) => ({ kind: 'text' as const, text })),
      ...next,
      sentence('If you think this is wrong, please email ', writeTo(from.email), '.'),
    ],
  });
}
idRefusedMail.previews = ({ from, idReasons, pages }: PreviewData): Previews<typeof idRefusedMail> => ({
  '': [from, 'Olive', idReasons, null, pages.profile],
  'too young': [from, null, ['You must be 18 or older.'], '2027-04-03', pages.profile],
});

/** Asks for another photo of the ID. */
export function idRetakeMail(
  from: Letterhead,
  firstName: string | null,
  reasons: readonly string[],
  profileUrl: string,
): Mail {
  return renderMail(from, {
    subject: 'Please take another photo of your ID',
    preheader: 'What the next photo has to show.',
    heading: 'We need another photo of your ID',
    blocks: [
      {
        kind: 'text',
        text: greet(
          firstName,
          `someone on our team looked at the photo of your ID and needs a better one. We’ve deleted this one.`,
        ),
      },
      ...reasons.map((text) => ({ kind: 'text' as const, text })),
      { kind: 'button', label: 'Take another photo', href: profileUrl },
    ],
  });
}
idRetakeMail.previews = ({ from, idReasons, pages }: PreviewData): Previews<typeof idRetakeMail> => ({
  '': [from, 'Olive', idReasons, pages.profile],
});

/**
 * Informs staff how many IDs wait for review, by when the first has to be decided, and when the next session of a waiting customer is.
 * Contains no names.
 */
export function reviewWaitingMail(
  from: Letterhead,
  waiting: { readonly count: number; readonly decideBy: Date; readonly session: { start: Date; end: Date } | null },
  siteUrl: string,
): Mail {
  const { count, decideBy, session } = waiting;
  const words = describeAlert(alertAbout('id_waiting', decideBy, null));
  const title = count === 1 ? 'An ID is pending review' : `${count} IDs are pending review`;
  const rows: (readonly [string, string])[] = [
    ['Decide by', formatStudioDate(decideBy)],
    ...(session === null
      ? []
      : [['Next session', `${formatStudioRange(session.start, session.end)} (Sydney time)`] as const]),
  ];
  return renderMail(from, {
    subject: title,
    preheader: 'The customer can’t book until you decide.',
    heading: title,
    blocks: [
      { kind: 'text', text: 'The customer can’t book until you decide.' },
      { kind: 'facts', rows },
      alertButton(words, siteUrl, count === 1 ? words.action.label : 'Review IDs'),
    ],
  });
}
reviewWaitingMail.previews = ({ at, booking, from, site }: PreviewData): Previews<typeof reviewWaitingMail> => ({
  '': [from, { count: 3, decideBy: at(60), session: booking }, site],
  one: [from, { count: 1, decideBy: at(60), session: null }, site],
});
