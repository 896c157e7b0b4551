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
  /** A PDF file beside it. */
  readonly document?: { name: string; content: Uint8Array };
};

/** The hours, in Sydney time; of a series, those of each booking. */
export const when = ({ start, end, others = [] }: Pick<BookingForMail, 'start' | 'end' | 'others'>): string =>
  `${[{ start, end }, ...others].map((one) => formatStudioRange(one.start, one.end)).join('; ')} (Sydney time)`;

/** A mail about all of a series shows its first booking, with the sums of all. */
export function asSeries([first, ...others]: readonly [BookingForMail, ...BookingForMail[]]): BookingForMail {
  const sum = (amount: (one: BookingForMail) => number): number =>
    others.reduce((total, one) => total + amount(one), amount(first));
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

/** What people should know when they arrive, with its links. */
export const notesOf = ({ arrivalNotes }: Pick<BookingForMail, 'arrivalNotes'>): Block[] =>
  paragraphsOf(arrivalNotes).map((lines) => ({ kind: 'paragraph', lines }));

/** When the access code of a booking is emailed (null: it comes at once), from when it opens the door, and whether it is on hold. */
export type CodeForMail = { readonly releaseAt: Date | null; readonly worksFrom: Date; readonly held: boolean };

/** What a calendar says of a booking. */
export const entryOf = (booking: BookingForMail): { title: string; details: string; location: string } => ({
  title: `${booking.studioName}, ${booking.from.name}`,
  details: [`Booking ${booking.reference}. ${ARRIVE_EARLY}`, booking.arrivalNotes].join(' ').trim(),
  location: booking.from.address,
});

/** The calendar entry of a booking, and of each other one of its series. */
export function calendar(
  booking: BookingForMail,
  method: 'PUBLISH' | 'CANCEL',
): { method: 'PUBLISH' | 'CANCEL'; content: string } {
  const file = ical({
    name: booking.from.name,
    prodId: { company: booking.from.name, product: 'bookings', language: 'EN' },
    method: method === 'CANCEL' ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.PUBLISH,
  });
  for (const one of [booking, ...(booking.others ?? [])]) {
    const entry = entryOf(one);
    file.createEvent({
      id: `${one.id}@bookings`,
      // Calendars show the entry with the highest number.
      sequence: one.moves + (method === 'CANCEL' ? 1 : 0),
      status: method === 'CANCEL' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      stamp: one.start,
      start: one.start,
      end: one.end,
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

/** A row for each booking of a series, named by its reference. */
const datesOf = (booking: BookingForMail): (readonly [string, string])[] =>
  [booking, ...(booking.others ?? [])].map((one, at) => [
    one.reference,
    `${formatStudioRange(one.start, one.end)}${at === 0 ? ' (Sydney time)' : ''}`,
  ]);

/** What names a booking to its customer; for a series, each booking of it. */
export const bookingRows = (booking: BookingForMail): readonly (readonly [string, string])[] =>
  (booking.others ?? []).length === 0
    ? [
        ['Reference', booking.reference],
        ['Studio', booking.studioName],
        ['When', when(booking)],
      ]
    : [['Studio', booking.studioName], ...datesOf(booking)];

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
