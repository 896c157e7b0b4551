import { z } from 'zod';
import { bookingIdField } from '../core/fields.ts';

/** Whose session it is: the booking, and for a caller who does not own it the signed link of the code mail. */
export const roomFields = {
  bookingId: bookingIdField,
  token: z.string().max(300).nullable().default(null).describe('The signed link of the code mail.'),
};
