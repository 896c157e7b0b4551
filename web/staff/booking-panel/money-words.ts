import { z } from 'zod';
import { dollarsToCents, formatMoney } from '#rules/money.ts';
import type { BookingDetails } from './queries.ts';

/** Returns what can still be refunded, in cents. */
export const leftCents = ({ payments }: BookingDetails): number =>
  payments.reduce((sum, one) => sum + one.leftCents, 0);

/** Says how an amount goes back. */
export function describeReturn({ payments }: BookingDetails, cents: number): string {
  const elsewhere = payments.some(({ kind, leftCents: left }) => kind === 'elsewhere' && left > 0);
  return elsewhere
    ? `You give ${formatMoney(cents)} back by hand: it was not paid by card here.`
    : `${formatMoney(cents)} goes back to the card.`;
}

/** Names a booking with its verb, or so many of a series by one of them. */
export const nameBookings = (reference: string, bookings = 1): string =>
  bookings === 1 ? `${reference} is` : `${reference} and ${bookings - 1} more are`;

/** Says who is told about what staff do with a booking. */
export const describeMail = ({ customer }: BookingDetails): string =>
  customer.email === null ? 'No email will be sent.' : `${customer.email} gets an email.`;

/** Reads an amount in dollars as cents, between one cent and `most`. */
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
  .min(1, 'Say why, for your colleagues.')
  .max(500, 'At most 500 characters.');
