import { Refusal } from './refusal.ts';

/** The answer to staff who would end a hold that its customer is paying for at this moment. */
export const paymentOnItsWay = (bookingId: string): Refusal =>
  new Refusal(
    'payment_processing',
    'The customer is paying for this booking, so nothing was changed. Look at it again.',
    { bookingId },
  );
