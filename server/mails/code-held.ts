import { formatStudioTime } from '#rules/studio-time.ts';
import { type BookingForMail, bookingRows, type MailWithCalendar } from './booking.ts';
import { type Block, greet, renderMail, sentence, writeTo } from './layout.ts';

type From = BookingForMail['from'];

/** How to reach us, as words: by phone if there is one. */
const reach = ({ phone, email }: From): string => (phone === '' ? `write to ${email}` : `call us on ${phone}`);

/** Says that the code is on hold and whom to call. It names no dispute: the mail may be read by guests of the booking. */
export const heldBlock = ({ phone, email }: From): Block =>
  phone === ''
    ? sentence('Your access code is on hold. Please write to ', writeTo(email), ' before you come.')
    : sentence(
        'Your access code is on hold. Please call us on ',
        { text: phone, href: `tel:${phone.replaceAll(/[^\d+]/g, '')}` },
        ' before you come.',
      );

/** The same in a text message. */
export const heldSentence = (from: From): string => `Your code is on hold: please ${reach(from)} before you come.`;

/** Tells the customer of a disputed booking, shortly before the session, that the code is held and whom to call. */
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
          'your bank has told us that a payment for this booking is disputed. Your booking stays as it is while we sort this out with you.',
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
