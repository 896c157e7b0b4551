import { describeArrival, describeCodeMail } from '#rules/access.ts';
import { formatStudioDate, formatStudioDateTime, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import {
  type BookingForMail,
  calendar,
  type CodeForMail,
  type MailWithCalendar,
  arrivalBlocks,
  roomImage,
  when,
} from '../booking-parts.ts';
import { heldBlock, heldSentence } from '../held-words.ts';
import { greet, renderMail, sentence } from '../layout.ts';
import type { PreviewData, Previews } from '../preview-data.ts';

/** Reminds the customer of a session on the day before. `account`: the page on which reminders can be switched off; null for a guest. */
export function reminderMail(
  booking: BookingForMail,
  links: { pin: string; account: string | null },
  code: CodeForMail,
): MailWithCalendar {
  const { from } = booking;
  return {
    ...renderMail(from, {
      subject: `Reminder: ${booking.studioName}, ${formatStudioDateTime(booking.start)}`,
      preheader: `${when(booking)}. Reference ${booking.reference}.`,
      heading: 'See you soon',
      picture: roomImage(booking),
      blocks: [
        {
          kind: 'text',
          text: greet(
            booking.firstName,
            `${booking.studioName} is yours from ${formatStudioTime(booking.start)} on ${formatStudioDate(booking.start, 'medium')}, Sydney time.`,
          ),
        },
        {
          kind: 'facts',
          rows: [
            ['Studio', booking.studioName],
            ['When', when(booking)],
            ['Where', from.address],
            ['Reference', booking.reference],
          ],
        },
        code.held
          ? heldBlock(from)
          : {
              kind: 'text',
              text: `${describeCodeMail(booking.start, code.releaseAt)} ${describeArrival(booking.start, code.worksFrom)}`,
            },
        ...arrivalBlocks(booking),
        { kind: 'button', label: 'Your access code page', href: links.pin },
        ...(links.account === null
          ? []
          : [sentence('You choose your reminders ', { text: 'in your account', href: links.account }, '.')]),
      ],
    }),
    calendar: calendar(booking, 'PUBLISH'),
  };
}
reminderMail.previews = ({ booking, code, long, guestBooking, pages }: PreviewData): Previews<typeof reminderMail> => {
  const links = { pin: pages.pin, account: pages.booking };
  return {
    '': [booking, links, code],
    'of a guest': [guestBooking, { ...links, account: null }, code],
    long: [long, links, code],
    'with a held code': [booking, links, { ...code, held: true }],
  };
};

/** Renders the text message two hours before a session. `held`: whether a dispute holds the code. */
export function reminderTextMessage(booking: BookingForMail, link: string, held: boolean): string {
  const { from, studioName, start, end } = booking;
  const code = held ? heldSentence(from) : `Your code: ${link}`;
  return `${from.name}: ${studioName}, ${formatStudioRange(start, end)} (Sydney time). ${from.address}. ${code}`;
}
reminderTextMessage.previews = ({ booking, site }: PreviewData): Previews<typeof reminderTextMessage> => ({
  '': [booking, `${site}/bookings`, false],
  'with a held code': [booking, `${site}/bookings`, true],
});
