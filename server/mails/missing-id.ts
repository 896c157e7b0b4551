import { alertAbout, describeAlert } from '#rules/alerts/alerts.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { alertButton } from './alert.ts';
import { greet, type Letterhead, type Mail, renderMail, sentence, writeTo } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

/** A booking whose customer has lost the ID check. `cancelAt`: when it is cancelled unless staff decide; null for never. */
export type BookingWithoutId = {
  readonly id: string;
  readonly reference: string;
  readonly studioName: string;
  readonly start: Date;
  readonly end: Date;
  readonly cancelAt: Date | null;
};

const when = ({ start, end }: BookingWithoutId): string => `${formatStudioRange(start, end)} (Sydney time)`;
const atTime = (at: Date): string => `${formatStudioTime(at)} on ${formatStudioDate(at, 'medium')}, Sydney time`;
const facts = (booking: BookingWithoutId) => ({
  kind: 'facts' as const,
  rows: [
    ['Reference', booking.reference],
    ['Studio', booking.studioName],
    ['When', when(booking)],
  ] as const,
});

/** Asks the customer to verify an ID before the session. */
export function idNeededMail(
  from: Letterhead,
  booking: BookingWithoutId,
  firstName: string | null,
  profileUrl: string,
): Mail {
  const { cancelAt } = booking;
  const until =
    cancelAt === null
      ? ''
      : ` If it isn’t verified by ${atTime(cancelAt)}, we’ll cancel your booking and refund all of it.`;
  return renderMail(from, {
    subject: `We need your ID before your session: ${booking.studioName}, ${formatStudioTime(booking.start)}`,
    preheader: 'Please verify your ID again.',
    heading: 'Please verify your ID again',
    blocks: [
      {
        kind: 'text',
        text: greet(
          firstName,
          `your ID is no longer verified, for example because your name or date of birth has changed.${until}`,
        ),
      },
      facts(booking),
      { kind: 'button', label: 'Verify your ID', href: profileUrl },
      sentence('If you think this is wrong, please email ', writeTo(from.email), '.'),
    ],
  });
}
idNeededMail.previews = ({ at, booking, from, pages }: PreviewData): Previews<typeof idNeededMail> => ({
  '': [from, { ...booking, cancelAt: at(-1) }, 'Olive', pages.profile],
  'without an end': [from, { ...booking, cancelAt: null }, null, pages.profile],
});

/** Informs staff of an upcoming session whose customer has lost the ID check. Contains no names. */
export function idMissingMail(from: Letterhead, booking: BookingWithoutId, siteUrl: string): Mail {
  const { cancelAt } = booking;
  const words = describeAlert(alertAbout('id_missing', booking.start, booking));
  const next =
    cancelAt === null
      ? 'It’s too late to cancel the booking automatically. Decide whether to allow the session.'
      : `Verify the ID, or allow the session. Otherwise the booking is cancelled with a full refund at ${atTime(cancelAt)}.`;
  return renderMail(from, {
    subject: `ID missing: ${booking.reference}, ${formatStudioTime(booking.start)}`,
    preheader: 'Your decision is needed.',
    heading: words.title,
    blocks: [
      { kind: 'text', text: `The customer’s ID was verified when they booked, but no longer is. ${next}` },
      facts(booking),
      alertButton(words, siteUrl),
    ],
  });
}
idMissingMail.previews = ({ at, booking, from, site }: PreviewData): Previews<typeof idMissingMail> => ({
  '': [from, { ...booking, cancelAt: at(-1) }, site],
  'too late': [from, { ...booking, cancelAt: null }, site],
});

/** Informs the customer that staff withdrew a verified ID, and why. */
export function idWithdrawnMail(
  from: Letterhead,
  firstName: string | null,
  reasons: readonly string[],
  profileUrl: string,
): Mail {
  return renderMail(from, {
    subject: 'Your ID is no longer verified',
    preheader: 'Please verify it again before your next session.',
    heading: 'Your ID is no longer verified',
    blocks: [
      {
        kind: 'text',
        text: greet(firstName, `someone on our team looked at your ID check again, and it no longer counts.`),
      },
      ...reasons.map((text) => ({ kind: 'text' as const, text })),
      {
        kind: 'text',
        text: 'You can verify your ID again in your account. Please do it before your next session: we cancel a booking without a verified ID about an hour before it starts, and refund all of it.',
      },
      { kind: 'button', label: 'Your account', href: profileUrl },
      sentence('If you think this is wrong, please email ', writeTo(from.email), '.'),
    ],
  });
}
idWithdrawnMail.previews = ({ from, idReasons, pages }: PreviewData): Previews<typeof idWithdrawnMail> => ({
  '': [from, 'Olive', idReasons, pages.profile],
});
