import { z } from 'zod';
import { bookingIdField } from '../core/fields.ts';

/** Identifies the session: the booking, and the signed link from the code mail for a caller who does not own it. */
export const roomFields = {
  bookingId: bookingIdField,
  token: z.string().max(300).nullable().default(null).describe('The signed link of the code mail.'),
};
