import { describeArrival, describeCodeMail } from '#rules/access.ts';
import { googleCalendarUrl } from '#rules/business/calendar-link.ts';
import { cancellationTerms, describeCancellation } from '#rules/cancellation.ts';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioDateTime, formatStudioTime } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import {
  arrivalRows,
  type BookingForMail,
  bookingRows,
  calendar,
  type CodeForMail,
  toCalendarEntry,
  type MailWithCalendar,
  type MoneyBack,
  moneyBackText,
  arrivalBlocks,
  roomImage,
  when,
} from './booking-parts.ts';
import { heldBlock } from './held-words.ts';
import { greet, renderMail, sentence, writeTo } from './layout.ts';
import type { PreviewData, Previews } from './preview-data.ts';

/**
 * Confirms a booking or series to the customer. `account`: the page on which the booking can be cancelled; null for a guest, who cancels by
 * email. If the code is held, the mail asks the customer to contact us.
 */
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
  const google = googleCalendarUrl({ ...toCalendarEntry(booking), start: booking.start, end: booking.end });
  const { others = [] } = booking;
  const dates = others.length + 1;
  return {
    ...renderMail(booking.from, {
      subject: `${dates === 1 ? 'Booking' : `${dates} bookings`} confirmed: ${booking.studioName}, ${formatStudioDateTime(booking.start)}`,
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
        ...arrivalBlocks(booking),
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
bookingConfirmedMail.previews = ({
  at,
  booking,
  code,
  long,
  guestBooking,
  pages,
  series,
}: PreviewData): Previews<typeof bookingConfirmedMail> => {
  const links = { pin: pages.pin, account: pages.booking };
  const terms = { freeHours: 24, now: at(-100) };
  return {
    '': [booking, links, code, terms],
    'of a guest': [guestBooking, { ...links, account: null }, code, terms],
    'of a series': [series, links, code, terms],
    'with a held code': [booking, links, { ...code, held: true }, terms],
    long: [long, links, code, terms],
  };
};

const ID_MISSING =
  'We cancelled it because your ID was no longer verified and we could not check it in time. You can verify it in your account and book again.';

/**
 * Informs the customer that a booking was cancelled. `paid`: whether it had been paid for. `page`: the customer's page of the booking,
 * which will have the receipt for a refund; null for a guest, who is mailed the receipt. `idMissing`: whether it was cancelled because the
 * ID was no longer verified.
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
bookingCancelledMail.previews = ({
  back,
  booking,
  pages,
  series,
}: PreviewData): Previews<typeof bookingCancelledMail> => ({
  '': [booking, { ...back.card, paid: true, page: pages.booking }],
  'of a guest': [booking, { ...back.card, paid: true, page: null }],
  'paid in two ways': [booking, { ...back.both, paid: true, page: pages.booking }],
  'without a refund': [booking, { ...back.none, paid: true, page: pages.booking }],
  'of a series': [series, { ...back.card, paid: true, page: pages.booking }],
  'because of the ID': [booking, { ...back.card, paid: true, page: pages.booking }, true],
});

/** Asks the customer to pay for a booking made by staff. */
export function paymentLinkMail(
  booking: BookingForMail,
  { pay, until, terms }: { pay: string; until: Date; terms: string },
): MailWithCalendar {
  const day = formatStudioDate(until, 'medium');
  return renderMail(booking.from, {
    subject: `Please pay for your booking: ${booking.studioName}, ${formatStudioDateTime(booking.start)}`,
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
paymentLinkMail.previews = ({ at, booking, long, pages, series }: PreviewData): Previews<typeof paymentLinkMail> => ({
  '': [booking, { pay: pages.pay, until: at(-48), terms: pages.terms }],
  long: [long, { pay: pages.pay, until: at(-48), terms: pages.terms }],
  'of a series': [series, { pay: pages.pay, until: at(-48), terms: pages.terms }],
});

/** Informs the customer that the link was not paid in time, so the hours are free again. */
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
linkExpiredMail.previews = ({ booking, pages }: PreviewData): Previews<typeof linkExpiredMail> => ({
  '': [booking, pages.book],
});

/** Informs the customer of a refund, for example because staff refunded part of a payment. */
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
refundMail.previews = ({ back, booking }: PreviewData): Previews<typeof refundMail> => ({
  '': [booking, back.card],
  'in two ways': [booking, back.both],
});

/** Informs the customer that a payment is refunded, because the hours could no longer be held when it arrived. */
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
paymentReturnedMail.previews = ({ booking, series }: PreviewData): Previews<typeof paymentReturnedMail> => ({
  '': [booking, 21_150],
  'of a series': [series, 169_200],
});

/** Informs the customer that a delayed payment is processing. */
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
paymentProcessingMail.previews = ({ booking }: PreviewData): Previews<typeof paymentProcessingMail> => ({
  '': [booking],
});

/** Informs the customer that the booking is cancelled because its payment failed. `late`: the money may still arrive, and is then refunded. */
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
paymentFailedMail.previews = ({ booking, pages }: PreviewData): Previews<typeof paymentFailedMail> => ({
  '': [booking, false, pages.book],
  'too late': [booking, true, pages.book],
});
