import { z } from 'zod';

/** An instant that the server sends as a text. */
export const instant = z.coerce.date();
export const maybeInstant = instant.nullable();

/** The columns of a booking that both the customer's page and the staff panel show: those of `private.booking_columns()`. Amounts are in cents. */
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
  /** The start on which the cancellation terms are based. */
  termsStart: instant,
  totalHours: z.number(),
  baseCents: z.number(),
  discountCents: z.number(),
  couponCode: z.string().nullable(),
  couponCents: z.number(),
  waivedCents: z.number(),
  /** A difference that is too small for a payment. A positive one is still to be paid, a negative one is still to be refunded. */
  owedCents: z.number(),
  finalCents: z.number(),
};
