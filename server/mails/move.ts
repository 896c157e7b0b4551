import { formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioDateTime, formatStudioTime } from '#rules/studio-time.ts';
import {
  type BookingForMail,
  calendar,
  type MailWithCalendar,
  type MoneyBack,
  moneyBackText,
  when,
  roomImage,
} from './booking-parts.ts';
import { heldBlock } from './held-words.ts';
import { greet, type Mail, renderMail, sentence } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

/** The studio and hours of a booking before or after a move. */
export type Hours = { readonly studioName: string; readonly start: Date; readonly end: Date };

const placed = (hours: Hours): string => `${hours.studioName}, ${when(hours)}`;
const compared = (booking: BookingForMail, to: Hours): [string, string][] => [
  ['Reference', booking.reference],
  ['Now', placed(booking)],
  ['New', placed(to)],
];

/** The texts for a session that only ends later, and for any other change of hours or room. */
const LONGER = {
  subject: 'Booking extended',
  heading: 'Your session ends later',
  text: 'your session is longer now.',
  code: 'If you already have an access code, it no longer works. We’ll email you a new one, and it’s on your access code page.',
} as const;
const MOVED = {
  subject: 'Booking moved',
  heading: 'Your booking has moved',
  text: 'your booking has new hours. The old ones are no longer yours.',
  code: 'If you already have an access code, it no longer works. We’ll email you a new one before you start.',
} as const;
const endsOnlyLater = (before: Hours, now: Hours): boolean =>
  before.studioName === now.studioName &&
  before.start.getTime() === now.start.getTime() &&
  before.end.getTime() < now.end.getTime();

/**
 * Informs the customer of a booking's new hours. `before`: its previous hours; `pass`: whether the customer may have a wallet pass of it;
 * `held`: whether its code is held until we have talked to the customer.
 */
export function bookingMovedMail(
  booking: BookingForMail,
  before: Hours,
  change: { paidCents: number; back: MoneyBack; pin: string; pass: boolean; held: boolean },
): MailWithCalendar {
  const { paidCents, back, pin, pass, held } = change;
  const words = endsOnlyLater(before, booking) ? LONGER : MOVED;
  const money = [
    ...(paidCents > 0 ? [`You paid ${formatMoney(paidCents)} for the change.`] : []),
    ...(moneyBackText(back) === '' ? [] : [`The new hours cost less. ${moneyBackText(back)}`]),
  ];
  return {
    ...renderMail(booking.from, {
      subject: `${words.subject}: ${booking.studioName}, ${formatStudioDateTime(booking.start)}`,
      preheader: `Now ${when(booking)}. Reference ${booking.reference}.`,
      heading: words.heading,
      picture: roomImage(booking),
      blocks: [
        {
          kind: 'text',
          text: greet(booking.firstName, words.text),
        },
        {
          kind: 'facts',
          rows: [
            ['Reference', booking.reference],
            ['Before', `${before.studioName}, ${when(before)}`],
            ['Now', `${booking.studioName}, ${when(booking)}`],
            ['Where', booking.from.address],
          ],
        },
        ...money.map((text) => ({ kind: 'text' as const, text })),
        held ? heldBlock(booking.from) : { kind: 'text' as const, text: words.code },
        ...(pass ? [{ kind: 'text' as const, text: PASS_FOLLOWS }] : []),
        { kind: 'button', label: 'Your access code page', href: pin },
      ],
    }),
    calendar: calendar(booking, 'PUBLISH'),
  };
}
bookingMovedMail.previews = ({
  back,
  booking,
  earlier,
  long,
  pages,
}: PreviewData): Previews<typeof bookingMovedMail> => {
  const change = { paidCents: 0, back: back.both, pin: pages.pin, pass: false, held: false };
  return {
    '': [booking, earlier, { ...change, paidCents: 2_000, back: back.none }],
    'with a held code': [booking, earlier, { ...change, back: back.none, held: true }],
    cheaper: [booking, earlier, change],
    long: [long, earlier, { ...change, pass: true }],
  };
};

const PASS_FOLLOWS =
  'The pass in your phone’s wallet updates automatically when the phone is online. If it still shows the old hours, add it again from your booking’s page.';

/** Asks the customer to pay the difference for new hours. `booking`: the booking before the move. */
export function moveLinkMail(
  booking: BookingForMail,
  to: Hours,
  { cents, pay, until, terms }: { cents: number; pay: string; until: Date; terms: string },
): Mail {
  const day = formatStudioDate(until, 'medium');
  return renderMail(booking.from, {
    subject: `Please pay for the change of your booking ${booking.reference}`,
    preheader: `${formatMoney(cents)} until ${formatStudioTime(until)}, ${day}.`,
    heading: 'New hours for your booking',
    blocks: [
      {
        kind: 'text',
        text: greet(
          booking.firstName,
          `your new hours cost ${formatMoney(cents)} more. We’re holding them for you until ${formatStudioTime(until)} on ${day}, Sydney time. Your booking changes when you’ve paid. Until then, and if you don’t pay, it stays as it is.`,
        ),
      },
      { kind: 'facts', rows: [...compared(booking, to), ['To pay', formatMoney(cents)]] },
      { kind: 'button', label: 'Pay the difference', href: pay },
      sentence('By paying you accept ', { text: 'our terms', href: terms }, '.'),
    ],
  });
}
moveLinkMail.previews = ({ at, booking, earlier, pages }: PreviewData): Previews<typeof moveLinkMail> => ({
  '': [booking, earlier, { cents: 2_000, pay: pages.pay, until: at(-48), terms: pages.terms }],
});

/** Why new hours are no longer held: they were not paid in time, the payment failed, or staff released them. */
export type MoveEnd = 'expired' | 'failed' | 'withdrawn';
const ENDS: Readonly<Record<MoveEnd, string>> = {
  expired: 'the time to pay for the new hours has passed',
  failed: 'the payment for the new hours didn’t go through',
  withdrawn: 'we’ve called off the move to the new hours',
};

/** Informs the customer that a booking keeps its hours, because the new ones were not paid for. */
export function moveEndedMail(booking: BookingForMail, to: Hours, why: MoveEnd): Mail {
  return renderMail(booking.from, {
    subject: `Your booking ${booking.reference} stays as it is`,
    preheader: placed(booking),
    heading: 'Your booking stays as it is',
    blocks: [
      {
        kind: 'text',
        text: greet(booking.firstName, `${ENDS[why]}, so those hours are free again. Nothing was charged for them.`),
      },
      {
        kind: 'facts',
        rows: [
          ['Reference', booking.reference],
          ['Your booking', placed(booking)],
          ['No longer held', placed(to)],
        ],
      },
    ],
  });
}
moveEndedMail.previews = ({ booking, earlier }: PreviewData): Previews<typeof moveEndedMail> => ({
  '': [booking, earlier, 'expired'],
  'payment failed': [booking, earlier, 'failed'],
  withdrawn: [booking, earlier, 'withdrawn'],
});

/** Informs the customer that the payment for new hours takes days. */
export function moveProcessingMail(booking: BookingForMail, to: Hours, cents: number): Mail {
  return renderMail(booking.from, {
    subject: `Your payment for booking ${booking.reference} is being processed`,
    preheader: 'We’re holding the new hours while your bank processes the payment.',
    heading: 'Your payment is being processed',
    blocks: [
      {
        kind: 'text',
        text: greet(
          booking.firstName,
          `thanks. Your bank is processing your payment of ${formatMoney(cents)}. Your booking changes when the money arrives; until then it stays as it is. If it hasn’t arrived when a session starts, we’ll send back anything that arrives later. Please don’t pay again.`,
        ),
      },
      { kind: 'facts', rows: compared(booking, to) },
    ],
  });
}
moveProcessingMail.previews = ({ booking, earlier }: PreviewData): Previews<typeof moveProcessingMail> => ({
  '': [booking, earlier, 2_000],
});

/**
 * Informs the customer that the payment for new hours is refunded, because the booking could no longer move. `kept`: whether the booking
 * still exists.
 */
export function movePaymentReturnedMail(booking: BookingForMail, to: Hours, cents: number, kept: boolean): Mail {
  return renderMail(booking.from, {
    subject: `Your payment for booking ${booking.reference} is going back`,
    preheader: `${formatMoney(cents)} is going back to your card.`,
    heading: 'Your payment is going back',
    blocks: [
      {
        kind: 'text',
        text: `Your payment of ${formatMoney(cents)} for new hours reached us when we could no longer give them to you, so we’re sending all of it back to your card. It can take your bank up to ten days to show it. ${kept ? 'Your booking stays as it is.' : 'Your booking is cancelled.'}`,
      },
      { kind: 'facts', rows: kept ? compared(booking, to) : [['Reference', booking.reference]] },
    ],
  });
}
movePaymentReturnedMail.previews = ({ booking, earlier }: PreviewData): Previews<typeof movePaymentReturnedMail> => ({
  '': [booking, earlier, 2_000, true],
  cancelled: [booking, earlier, 2_000, false],
});

/** Informs staff that a link they sent was not paid in time. `moves`: where the booking would have moved; null for a new booking. */
export function linkExpiredStaffMail(
  booking: BookingForMail,
  { moves, cents, panel }: { moves: Hours | null; cents: number; panel: string },
): Mail {
  return renderMail(booking.from, {
    subject: `Not paid: ${booking.reference}`,
    preheader: `${formatMoney(cents)} was not paid in time.`,
    heading: 'A payment link expired',
    blocks: [
      {
        kind: 'text',
        text: `${formatMoney(cents)} was not paid in time. ${moves === null ? 'The hours are free again.' : 'The new hours are free again, and the booking stays unchanged.'}`,
      },
      {
        kind: 'facts',
        rows:
          moves === null
            ? [
                ['Reference', booking.reference],
                ['Hours', placed(booking)],
              ]
            : compared(booking, moves),
      },
      { kind: 'button', label: 'Open the booking', href: panel },
    ],
  });
}
linkExpiredStaffMail.previews = ({ booking, earlier, site }: PreviewData): Previews<typeof linkExpiredStaffMail> => {
  const panel = `${site}/admin?tab=bookings&booking=7KQM-4TXR`;
  return {
    '': [booking, { moves: null, cents: 21_150, panel }],
    'of a move': [booking, { moves: earlier, cents: 2_000, panel }],
  };
};
