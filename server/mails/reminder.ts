import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { settings } from '#rules/venue.ts';
import { type BookingForMail, calendar, type MailWithCalendar, notesOf, when } from './booking.ts';
import { greet, renderMail, sentence } from './layout.ts';

/** Reminds of a session the day before. `account`: where reminders are switched off; null for a guest. */
export function reminderMail(
  booking: BookingForMail,
  links: { pin: string; account: string | null },
  codeWorksFrom: Date,
): MailWithCalendar {
  const { from } = booking;
  return {
    ...renderMail(from, {
      subject: `Reminder: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}, ${formatStudioTime(booking.start)}`,
      preheader: `${when(booking)}. Reference ${booking.reference}.`,
      heading: 'See you soon',
      blocks: [
        {
          kind: 'text',
          text: greet(
            booking.firstName,
            `${booking.studioName} is yours from ${formatStudioTime(booking.start)} on ${formatStudioDate(booking.start, 'medium')}.`,
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
        {
          kind: 'text',
          text: `We’ll email your access code ${settings.releaseLeadMinutes} minutes before you start. It works from ${formatStudioTime(codeWorksFrom)}. Please arrive 10 minutes early.`,
        },
        ...notesOf(booking),
        { kind: 'button', label: 'Your access code page', href: links.pin },
        ...(links.account === null
          ? []
          : [sentence('You choose your reminders ', { text: 'in your account', href: links.account }, '.')]),
      ],
    }),
    calendar: calendar(booking, 'PUBLISH'),
  };
}

/** The text message two hours before. */
export function reminderTextMessage({ from, studioName, start, end }: BookingForMail, link: string): string {
  return `${from.name}: ${studioName}, ${formatStudioRange(start, end)} (Sydney time). ${from.address}. Your code: ${link}`;
}
