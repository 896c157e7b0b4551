import { type Alert, alertAbout, describeAlert } from '#rules/alerts/alerts.ts';
import { constants } from '#rules/venue.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { alertButton } from '../alert.ts';
import { type BookingForMail, bookingRows, type MailWithCalendar } from '../booking-parts.ts';
import { heldBlock, reach } from '../held-words.ts';
import { greet, type Letterhead, type Mail, renderMail } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/**
 * Informs the customer of a disputed booking, shortly before the session, that the code is held and whom to call. It gives no reason,
 * because the customer may be the person who misused another person's card.
 */
export function codeHeldMail(booking: BookingForMail, link: string): MailWithCalendar {
  const { from } = booking;
  return renderMail(from, {
    subject: `Your access code is on hold: ${booking.studioName}, ${formatStudioTime(booking.start)}`,
    preheader: `Please ${reach(from)} before you come.`,
    heading: 'Please talk to us before you come',
    blocks: [
      {
        kind: 'text',
        text: greet(
          booking.firstName,
          'we need to talk to you before your session. Your booking stays as it is meanwhile.',
        ),
      },
      heldBlock(from),
      {
        kind: 'text',
        text: 'As soon as it is settled, your code comes by email and appears on your access code page.',
      },
      { kind: 'facts', rows: bookingRows(booking) },
      { kind: 'button', label: 'Your access code page', href: link },
    ],
  });
}
codeHeldMail.previews = ({ booking, from, long, guestBooking, pages }: PreviewData): Previews<typeof codeHeldMail> => ({
  '': [{ ...booking, from: { ...from, phone: '02 5550 1234' } }, pages.pin],
  'without a phone': [guestBooking, pages.pin],
  long: [long, pages.pin],
});

/** Informs staff that the payment of an upcoming booking is disputed, so that its code waits for a decision. Does not name the customer. */
export function codeHeldStaffMail(
  from: Letterhead,
  booking: NonNullable<Alert['booking']> & { readonly end: Date },
  siteUrl: string,
): Mail {
  const decideBy = new Date(booking.start.getTime() - constants.releaseLeadMinutes * 60_000);
  const words = describeAlert(alertAbout('code_held', booking.start, booking));
  return renderMail(from, {
    subject: `${words.title} (${booking.reference})`,
    preheader: 'Decide whether to allow the session.',
    heading: words.title,
    blocks: [
      {
        kind: 'text',
        text: 'Please decide: allow the session, cancel the booking, or block the customer too. Without a decision, the code stays on hold and the customer is asked to call you. Nothing is refunded automatically.',
      },
      {
        kind: 'facts',
        rows: [
          ['Reference', booking.reference],
          ['Studio', booking.studioName],
          ['When', `${formatStudioRange(booking.start, booking.end)} (Sydney time)`],
          ['Decide by', `${formatStudioTime(decideBy)} on ${formatStudioDate(decideBy, 'medium')}`],
        ],
      },
      alertButton(words, siteUrl),
    ],
  });
}
codeHeldStaffMail.previews = ({ booking, from, site }: PreviewData): Previews<typeof codeHeldStaffMail> => ({
  '': [from, booking, site],
});
