import { documentNumber } from '#rules/business/documents.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { type BookingForMail, type MailWithCalendar, when } from './booking-parts.ts';
import { greet, renderMail } from './layout.ts';

/** What is mailed: the note of a refund, or all documents because staff send them. `registered`: the seller has an ABN. */
export type MailedDocument = {
  readonly note: { readonly number: number; readonly cents: number } | null;
  readonly registered: boolean;
};

/** The documents of a booking, as the attached file. `page`: where the customer finds them later; null for a guest. */
export function documentMail(
  booking: BookingForMail,
  { note, registered }: MailedDocument,
  page: string | null,
  document: NonNullable<MailWithCalendar['document']>,
): MailWithCalendar {
  const noteName = registered ? 'adjustment note' : 'refund receipt';
  const name = note === null ? (registered ? 'tax invoice' : 'receipt') : noteName;
  const about =
    note === null
      ? `here’s the ${name} for your booking, as a PDF.`
      : `your refund of ${formatMoney(note.cents)} has gone through. The ${name} is attached, with all documents of your booking in one PDF.`;
  return {
    ...renderMail(booking.from, {
      subject: `Your ${name}: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}`,
      preheader: `Booking ${booking.reference}, ${when(booking)}.`,
      heading: `Your ${name}`,
      blocks: [
        { kind: 'text', text: greet(booking.firstName, about) },
        {
          kind: 'facts',
          rows: [
            ...(note === null
              ? []
              : [['Number', documentNumber(note.number)] as const, ['Refunded', formatMoney(note.cents)] as const]),
            ['Reference', booking.reference],
            ['Studio', booking.studioName],
            ['When', when(booking)],
          ],
        },
        ...(page === null ? [] : [{ kind: 'button' as const, label: 'Your booking', href: page }]),
      ],
    }),
    document,
  };
}
