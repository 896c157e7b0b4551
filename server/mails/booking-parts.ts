import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import { ARRIVE_EARLY } from '#rules/access.ts';
import type { Business } from '#rules/business/business.ts';
import { paragraphsOf } from '#rules/letter.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import type { Block, Letterhead, Mail } from './layout.ts';

/** What the mails of a booking show. Times are instants, money is cents. */
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
  /** The address of a picture of its room; null without one. */
  readonly picture: string | null;
  /** What people should know when they arrive; may be empty. */
  readonly arrivalNotes: string;
  /** The other bookings of its series, where a mail is about all of it; their prices are in the amounts. */
  readonly others?: readonly BookingForMail[];
};

export type MailWithCalendar = Mail & {
  readonly calendar?: { method: 'PUBLISH' | 'CANCEL'; content: string };
  /** A PDF file that is attached. */
  readonly document?: { name: string; content: Uint8Array };
};

/** The hours, in Sydney time; of a series, those of each booking. */
export const when = ({ start, end, others = [] }: Pick<BookingForMail, 'start' | 'end' | 'others'>): string =>
  `${[{ start, end }, ...others].map((span) => formatStudioRange(span.start, span.end)).join('; ')} (Sydney time)`;

/** A mail about all of a series shows its first booking, with the sums of all. */
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

/** Returns the arrival notes of a booking as paragraphs, with their links. */
export const arrivalBlocks = ({ arrivalNotes }: Pick<BookingForMail, 'arrivalNotes'>): Block[] =>
  paragraphsOf(arrivalNotes).map((lines) => ({ kind: 'paragraph', lines }));

/** When the access code of a booking is emailed (null: it comes at once), from when it opens the door, and whether it is on hold. */
export type CodeForMail = { readonly releaseAt: Date | null; readonly worksFrom: Date; readonly held: boolean };

/** Returns what a calendar shows of a booking. */
export const toCalendarEntry = (booking: BookingForMail): { title: string; details: string; location: string } => ({
  title: `${booking.studioName}, ${booking.from.name}`,
  details: [`Booking ${booking.reference}. ${ARRIVE_EARLY}`, booking.arrivalNotes].join(' ').trim(),
  location: booking.from.address,
});

/** Returns a calendar file with an entry for the booking, and for each other booking of its series. */
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
      // Calendars show the entry with the highest number.
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

/** The picture of the room, for mails before a session. */
export const roomImage = ({ picture, studioName }: Pick<BookingForMail, 'picture' | 'studioName'>) =>
  picture === null ? null : { src: picture, alt: `Inside ${studioName}` };

/** What names a booking, and where it is, for mails before a session. */
export const arrivalRows = (booking: BookingForMail): readonly (readonly [string, string])[] => [
  ...bookingRows(booking),
  ['Where', booking.from.address],
];

/** Returns a row for each booking of a series, under its reference. */
const dateRows = (booking: BookingForMail): (readonly [string, string])[] =>
  [booking, ...(booking.others ?? [])].map((item, index) => [
    item.reference,
    `${formatStudioRange(item.start, item.end)}${index === 0 ? ' (Sydney time)' : ''}`,
  ]);

/** What names a booking to its customer; for a series, each booking of it. */
export const bookingRows = (booking: BookingForMail): readonly (readonly [string, string])[] =>
  (booking.others ?? []).length === 0
    ? [
        ['Reference', booking.reference],
        ['Studio', booking.studioName],
        ['When', when(booking)],
      ]
    : [['Studio', booking.studioName], ...dateRows(booking)];

/** What goes back of a payment, in cents: to the card, and by hand where staff got the money without the payment provider. */
export type MoneyBack = { readonly cardCents: number; readonly handCents: number };

/** Says how money goes back; nothing when none does. */
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
