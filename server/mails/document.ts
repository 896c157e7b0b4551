import { documentNumber } from '#rules/business/documents.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate } from '#rules/studio-time.ts';
import { type BookingForMail, type MailWithCalendar, when } from './booking-parts.ts';
import { greet, renderMail } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

/** The mailed documents: the note of a refund, or all documents if staff send them. `registered`: whether the seller has an ABN. */
export type MailedDocument = {
  readonly note: { readonly number: number; readonly cents: number } | null;
  readonly registered: boolean;
};

/** Sends the documents of a booking as an attachment. `page`: where the customer finds them later; null for a guest. */
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
documentMail.previews = ({ booking, guestBooking, pages }: PreviewData): Previews<typeof documentMail> => {
  const pdf = { name: 'tax-invoice-7KQM-4TXR.pdf', content: new Uint8Array() };
  return {
    '': [booking, { note: null, registered: true }, pages.booking, pdf],
    'of a refund': [booking, { note: { number: 214, cents: 8_460 }, registered: true }, pages.booking, pdf],
    'of a guest': [guestBooking, { note: null, registered: false }, null, pdf],
  };
};
