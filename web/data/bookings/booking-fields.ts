import { z } from 'zod';

/** An instant that the server sends as text. */
export const instant = z.coerce.date();
export const maybeInstant = instant.nullable();

/** The columns of a booking that both its customer's page and the panel of staff show: those of `private.booking_columns()`. Amounts in cents. */
export const bookingFields = {
  id: z.string(),
  reference: z.string(),
  studioId: z.string(),
  studioName: z.string(),
  startTime: instant,
  endTime: instant,
  status: z.enum(['pending', 'confirmed', 'cancelled']),
  cancelReason: z.string().nullable(),
  holdExpiresAt: maybeInstant,
  createdAt: instant,
  confirmedAt: maybeInstant,
  cancelledAt: maybeInstant,
  freeCancelHours: z.number().nullable(),
  /** The start from which the terms of cancellation count. */
  termsStart: instant,
  totalHours: z.number(),
  baseCents: z.number(),
  discountCents: z.number(),
  couponCode: z.string().nullable(),
  couponCents: z.number(),
  waivedCents: z.number(),
  /** Too little for a payment: what is still to pay, or, below zero, still to go back. */
  owedCents: z.number(),
  finalCents: z.number(),
};
