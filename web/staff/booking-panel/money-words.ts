import { z } from 'zod';
import { dollarsToCents, formatMoney } from '#rules/money.ts';
import type { BookingDetails } from './queries.ts';

/** Returns the amount that can still be refunded, in cents. */
export const leftCents = ({ payments }: BookingDetails): number =>
  payments.reduce((sum, payment) => sum + payment.leftCents, 0);

/** Describes how an amount is refunded. */
export function describeReturn({ payments }: BookingDetails, cents: number): string {
  const elsewhere = payments.some(({ kind, leftCents: remaining }) => kind === 'elsewhere' && remaining > 0);
  return elsewhere
    ? `You need to refund ${formatMoney(cents)} by hand, because it was not paid by card here.`
    : `${formatMoney(cents)} will be refunded to the card.`;
}

/** Returns a booking as the subject of a sentence, with its verb. For several bookings of a series, names one of them and the number of the others. */
export const nameBookings = (reference: string, bookings = 1): string =>
  bookings === 1 ? `${reference} is` : `${reference} and ${bookings - 1} more are`;

/** Describes whether the customer will get an email about a staff action. */
export const describeMail = ({ customer }: BookingDetails): string =>
  customer.email === null ? 'No email will be sent.' : `${customer.email} will get an email.`;

/** Creates a schema that converts dollars to cents, from one cent to `most`. */
export const amountSchema = (most: number) =>
  z.string().transform((text, context): number => {
    const cents = text.trim() === '' ? null : dollarsToCents(Number(text));
    if (cents !== null && cents >= 1 && cents <= most) return cents;
    context.addIssue({ code: 'custom', message: `Enter an amount up to ${formatMoney(most)}.` });
    return z.NEVER;
  });

export const reasonSchema = z
  .string()
  .trim()
  .min(1, 'Enter a reason for your colleagues.')
  .max(500, 'Use at most 500 characters.');
