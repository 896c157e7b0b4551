import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import type { Business } from '#rules/business/business.ts';
import { googleCalendarUrl } from '#rules/business/calendar-link.ts';
import { ARRIVE_EARLY, describeArrival, describeCodeMail } from '#rules/access.ts';
import { cancellationTerms, describeCancellation } from '#rules/cancellation.ts';
import { paragraphsOf } from '#rules/letter.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { heldBlock } from './held-words.ts';
import { type Block, greet, type Letterhead, type Mail, renderMail, sentence, writeTo } from './layout.ts';

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
const entryOf = (booking: BookingForMail): { title: string; details: string; location: string } => ({
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

/** `account`: where the booking can be cancelled; null for a guest, who writes to us. `held`: the code waits until we have talked to the customer. */
export function bookingConfirmedMail(
  booking: BookingForMail,
  links: { pin: string; account: string | null },
  code: CodeForMail,
  terms: { readonly freeHours: number; readonly now: Date },
): MailWithCalendar {
  const isFree = cancellationTerms(booking.start, terms.now, terms.freeHours).allowed;
  const money: [string, string][] = [['Price', formatMoney(booking.baseCents)]];
  if (booking.discountCents > 0) money.push(['Volume discount', `-${formatMoney(booking.discountCents)}`]);
  if (booking.couponDiscountCents > 0) money.push(['Coupon', `-${formatMoney(booking.couponDiscountCents)}`]);
  if (booking.waivedCents > 0) money.push(['Not charged', `-${formatMoney(booking.waivedCents)}`]);
  const cancelAt =
    links.account === null
      ? ['by email to ', writeTo(booking.from.email)]
      : [{ text: 'in your account', href: links.account }];
  const google = googleCalendarUrl({ ...entryOf(booking), start: booking.start, end: booking.end });
  const { others = [] } = booking;
  const dates = others.length + 1;
  return {
    ...renderMail(booking.from, {
      subject: `${dates === 1 ? 'Booking' : `${dates} bookings`} confirmed: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}, ${formatStudioTime(booking.start)}`,
      preheader: `${when(booking)}. Reference ${booking.reference}.`,
      heading: dates === 1 ? 'Your booking is confirmed' : `Your ${dates} bookings are confirmed`,
      picture: roomImage(booking),
      blocks: [
        { kind: 'text', text: greet(booking.firstName, `${booking.studioName} is yours.`) },
        { kind: 'facts', rows: arrivalRows(booking) },
        {
          kind: 'facts',
          rows: [['Hours', String(booking.hours)], ...money, ['Paid', formatMoney(booking.totalCents)]],
        },
        code.held
          ? heldBlock(booking.from)
          : {
              kind: 'text',
              text: `${
                dates === 1
                  ? describeCodeMail(booking.start, code.releaseAt)
                  : `We’ll email each access code ${constants.releaseLeadMinutes} minutes before you start.`
              } You’ll also find it on your access code page. ${describeArrival(booking.start, code.worksFrom)}`,
            },
        ...notesOf(booking),
        { kind: 'button', label: 'Your access code page', href: links.pin },
        dates === 1
          ? sentence(
              describeCancellation(booking.start, terms.now, terms.freeHours),
              ...(isFree ? [' Cancel ', ...cancelAt, '.'] : []),
            )
          : sentence(
              `You can move or cancel each of them for a full refund up to ${terms.freeHours} hours before you start, `,
              ...cancelAt,
              '.',
            ),
        sentence(
          `Put ${dates === 1 ? 'it' : 'them'} in your calendar: `,
          ...(dates === 1
            ? [{ text: 'Google', href: google }, ', or open the attached file with Apple or Outlook.']
            : ['open the attached file with Apple, Google or Outlook.']),
        ),
      ],
    }),
    calendar: calendar(booking, 'PUBLISH'),
  };
}

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

const ID_MISSING =
  'We cancelled it because your ID was no longer verified and nobody could check it in time. You can verify it in your account and book again.';

/**
 * `paid`: the booking had been paid for. `page`: the customer's page of the booking, which will have the receipt of a refund; null for a guest, to whom it is mailed.
 * `idMissing`: cancelled because the ID was no longer verified.
 */
export function bookingCancelledMail(
  booking: BookingForMail,
  { paid, page, ...back }: MoneyBack & { paid: boolean; page: string | null },
  idMissing = false,
): MailWithCalendar {
  const notRefunded = paid ? 'Nothing is refunded with this cancellation.' : 'Nothing was charged for it.';
  const money = moneyBackText(back);
  return {
    ...renderMail(booking.from, {
      subject: `Booking cancelled: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}`,
      preheader: `Booking ${booking.reference} is cancelled.`,
      heading: 'Your booking is cancelled',
      blocks: [
        { kind: 'facts', rows: bookingRows(booking) },
        ...(idMissing ? [{ kind: 'text' as const, text: ID_MISSING }] : []),
        { kind: 'text', text: money || notRefunded },
        ...(money !== '' && page !== null
          ? [
              sentence(
                'You’ll find its receipt ',
                { text: 'with your booking', href: page },
                ' once it has gone through.',
              ),
            ]
          : []),
      ],
    }),
    calendar: calendar(booking, 'CANCEL'),
  };
}

/** Asks the customer to pay for a booking that staff made. */
export function paymentLinkMail(
  booking: BookingForMail,
  { pay, until, terms }: { pay: string; until: Date; terms: string },
): MailWithCalendar {
  const day = formatStudioDate(until, 'medium');
  return renderMail(booking.from, {
    subject: `Please pay for your booking: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}, ${formatStudioTime(booking.start)}`,
    preheader: `${when(booking)}. ${formatMoney(booking.totalCents)} until ${formatStudioTime(until)}, ${day}.`,
    heading: 'Your booking is waiting for you',
    blocks: [
      {
        kind: 'text',
        text: greet(
          booking.firstName,
          `we’re holding these hours for you until ${formatStudioTime(until)} on ${day}, Sydney time. Your booking is confirmed when you’ve paid.`,
        ),
      },
      {
        kind: 'facts',
        rows: [...bookingRows(booking), ['To pay', formatMoney(booking.totalCents)]],
      },
      { kind: 'button', label: 'Pay now', href: pay },
      sentence('By paying you accept ', { text: 'our terms', href: terms }, '.'),
    ],
  });
}

/** Says that nobody paid by the link in time, so the hours are free again. */
export function linkExpiredMail(booking: BookingForMail, bookAgain: string): MailWithCalendar {
  return renderMail(booking.from, {
    subject: `Your hours are no longer held: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}`,
    preheader: `${when(booking)}. Nothing was charged.`,
    heading: 'We no longer hold your hours',
    blocks: [
      {
        kind: 'text',
        text: greet(
          booking.firstName,
          `the time to pay ${formatMoney(booking.totalCents)} has passed, so these hours are free again. Nothing was charged.`,
        ),
      },
      { kind: 'facts', rows: bookingRows(booking) },
      { kind: 'button', label: 'Choose a time', href: bookAgain },
    ],
  });
}

/** Says what goes back of a payment, for example because staff refunded a part of it. */
export function refundMail(booking: BookingForMail, back: MoneyBack): MailWithCalendar {
  return renderMail(booking.from, {
    subject: `Refund: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}`,
    preheader: moneyBackText(back),
    heading: 'We’re refunding you',
    blocks: [
      { kind: 'text', text: greet(booking.firstName, 'here is what you get back for your booking.') },
      { kind: 'text', text: moneyBackText(back) },
      { kind: 'facts', rows: bookingRows(booking) },
    ],
  });
}

/** Says that a payment goes back because the hours could no longer be held when it arrived. */
export function paymentReturnedMail(booking: BookingForMail, refundCents: number): MailWithCalendar {
  return renderMail(booking.from, {
    subject: `Your payment is going back: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}`,
    preheader: `${formatMoney(refundCents)} is going back to your card.`,
    heading: 'Your payment is going back',
    blocks: [
      {
        kind: 'text',
        text: `Your payment of ${formatMoney(refundCents)} reached us when we could no longer hold the time for you, so we’re sending all of it back to your card. It can take your bank up to ten days to show it.`,
      },
      { kind: 'facts', rows: bookingRows(booking) },
      { kind: 'text', text: 'You have no booking for this time. You’re welcome to choose another.' },
    ],
  });
}

/** Says that a delayed payment is processing. */
export function paymentProcessingMail(booking: BookingForMail): MailWithCalendar {
  return renderMail(booking.from, {
    subject: `Your payment is being processed: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}`,
    preheader: `We’re holding your time while your bank processes the payment.`,
    heading: 'Your payment is being processed',
    blocks: [
      {
        kind: 'text',
        text: greet(
          booking.firstName,
          `thanks. Your bank is processing your payment of ${formatMoney(booking.totalCents)}, which can take a few business days. We’re holding your time until then, and we’ll email you as soon as we know. Please don’t pay again.`,
        ),
      },
      { kind: 'facts', rows: bookingRows(booking) },
      {
        kind: 'text',
        text: 'Your booking is confirmed when the money arrives. If it hasn’t arrived when your session starts, we’ll cancel the booking and send back anything that arrives later.',
      },
    ],
  });
}

/** Says that the booking is cancelled because its payment failed. `late`: the money may still arrive and is then refunded. */
export function paymentFailedMail(booking: BookingForMail, late: boolean, bookAgain: string): MailWithCalendar {
  return renderMail(booking.from, {
    subject: `Payment not received: ${booking.studioName}, ${formatStudioDate(booking.start, 'medium')}`,
    preheader: `Booking ${booking.reference} is cancelled.`,
    heading: late ? 'Your payment didn’t arrive in time' : 'Your payment didn’t go through',
    blocks: [
      {
        kind: 'text',
        text: late
          ? greet(
              booking.firstName,
              `your bank was still processing your payment of ${formatMoney(booking.totalCents)} when your session started, so your booking is cancelled. If the money still arrives, we’ll send all of it back.`,
            )
          : greet(
              booking.firstName,
              `your bank couldn’t complete your payment of ${formatMoney(booking.totalCents)}, so your booking is cancelled and nothing was charged.`,
            ),
      },
      { kind: 'facts', rows: bookingRows(booking) },
      { kind: 'button', label: 'Book again', href: bookAgain },
    ],
  });
}
