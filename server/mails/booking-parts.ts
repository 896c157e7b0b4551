import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import { ARRIVE_EARLY } from '#rules/access.ts';
import type { Business } from '#rules/business/business.ts';
import { parseParagraphs } from '#rules/letter.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import type { Block, Letterhead, Mail } from './layout.ts';

/** A booking as shown in mails. Times are instants; amounts are in cents. */
export type BookingForMail = {
  readonly id: string;
  readonly reference: string;
  readonly studioName: string;
  readonly start: Date;
  readonly end: Date;
  readonly hours: number;
  readonly baseCents: number;
  readonly discountCents: number;
  readonly couponDiscountCents: number;
  readonly waivedCents: number;
  readonly moves: number;
  readonly totalCents: number;
  readonly firstName: string | null;
  readonly from: Letterhead & Pick<Business, 'phone'>;
  /** The URL of a picture of the room; null if there is none. */
  readonly picture: string | null;
  /** Information for arriving customers; may be empty. */
  readonly arrivalNotes: string;
  /** The other bookings of the series if a mail is about all of it. Their prices are included in the amounts. */
  readonly others?: readonly BookingForMail[];
};

export type MailWithCalendar = Mail & {
  readonly calendar?: { method: 'PUBLISH' | 'CANCEL'; content: string };
  /** An attached PDF file. */
  readonly document?: { name: string; content: Uint8Array };
};

/** Formats the hours in Sydney time; for a series, those of each booking. */
export const when = ({ start, end, others = [] }: Pick<BookingForMail, 'start' | 'end' | 'others'>): string =>
  `${[{ start, end }, ...others].map((span) => formatStudioRange(span.start, span.end)).join('; ')} (Sydney time)`;

/** Combines a series into its first booking with the sums of all amounts, for mails about the whole series. */
export function asSeries([first, ...others]: readonly [BookingForMail, ...BookingForMail[]]): BookingForMail {
  const sum = (amount: (booking: BookingForMail) => number): number =>
    others.reduce((total, booking) => total + amount(booking), amount(first));
  return {
    ...first,
    others,
    hours: sum(({ hours }) => hours),
    baseCents: sum(({ baseCents }) => baseCents),
    discountCents: sum(({ discountCents }) => discountCents),
    couponDiscountCents: sum(({ couponDiscountCents }) => couponDiscountCents),
    waivedCents: sum(({ waivedCents }) => waivedCents),
    totalCents: sum(({ totalCents }) => totalCents),
  };
}

/** Converts the arrival notes of a booking to paragraphs with links. */
export const arrivalBlocks = ({ arrivalNotes }: Pick<BookingForMail, 'arrivalNotes'>): Block[] =>
  parseParagraphs(arrivalNotes).map((lines) => ({ kind: 'paragraph', lines }));

/** When the access code of a booking is emailed (null for immediately), from when it opens the door, and whether it is on hold. */
export type CodeForMail = { readonly releaseAt: Date | null; readonly worksFrom: Date; readonly held: boolean };

/** Returns the calendar entry of a booking. */
export const toCalendarEntry = (booking: BookingForMail): { title: string; details: string; location: string } => ({
  title: `${booking.studioName}, ${booking.from.name}`,
  details: [`Booking ${booking.reference}. ${ARRIVE_EARLY}`, booking.arrivalNotes].join(' ').trim(),
  location: booking.from.address,
});

/** Renders a calendar file with an entry for the booking and for each other booking of its series. */
export function calendar(
  booking: BookingForMail,
  method: 'PUBLISH' | 'CANCEL',
): { method: 'PUBLISH' | 'CANCEL'; content: string } {
  const file = ical({
    name: booking.from.name,
    prodId: { company: booking.from.name, product: 'bookings', language: 'EN' },
    method: method === 'CANCEL' ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.PUBLISH,
  });
  for (const item of [booking, ...(booking.others ?? [])]) {
    const entry = toCalendarEntry(item);
    file.createEvent({
      id: `${item.id}@bookings`,
      // Calendars show the version of an entry with the highest sequence number.
      sequence: item.moves + (method === 'CANCEL' ? 1 : 0),
      status: method === 'CANCEL' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      stamp: item.start,
      start: item.start,
      end: item.end,
      summary: entry.title,
      description: entry.details,
      location: entry.location,
    });
  }
  return { method, content: file.toString() };
}

/** Returns the picture of the room, for mails before a session. */
export const roomImage = ({ picture, studioName }: Pick<BookingForMail, 'picture' | 'studioName'>) =>
  picture === null ? null : { src: picture, alt: `Inside ${studioName}` };

/** Returns the details that identify a booking and its location, for mails before a session. */
export const arrivalRows = (booking: BookingForMail): readonly (readonly [string, string])[] => [
  ...bookingRows(booking),
  ['Where', booking.from.address],
];

/** Returns a row for each booking of a series, labelled with its reference. */
const dateRows = (booking: BookingForMail): (readonly [string, string])[] =>
  [booking, ...(booking.others ?? [])].map((item, index) => [
    item.reference,
    `${formatStudioRange(item.start, item.end)}${index === 0 ? ' (Sydney time)' : ''}`,
  ]);

/** Returns the details that identify a booking to its customer; for a series, those of each booking. */
export const bookingRows = (booking: BookingForMail): readonly (readonly [string, string])[] =>
  (booking.others ?? []).length === 0
    ? [
        ['Reference', booking.reference],
        ['Studio', booking.studioName],
        ['When', when(booking)],
      ]
    : [['Studio', booking.studioName], ...dateRows(booking)];

/** The amounts refunded, in cents: to the card, and by hand for money that was paid without the payment provider. */
export type MoneyBack = { readonly cardCents: number; readonly handCents: number };

/** Explains how money is refunded; an empty string if none is. */
export function moneyBackText({ cardCents, handCents }: MoneyBack): string {
  const parts = [
    ...(cardCents > 0
      ? [`${formatMoney(cardCents)} is on its way back to your card. It can take your bank up to ten days to show it.`]
      : []),
    ...(handCents > 0
      ? [`We’ll give you ${formatMoney(handCents)} back ourselves, because you didn’t pay it online.`]
      : []),
  ];
  return parts.join(' ');
}
