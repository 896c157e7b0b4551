import { rateSession as contract } from '#contracts/sessions/rate-session.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { rateSession as storeRating } from '#server/operations/incidents/rate-session.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const rateSession = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    await storeRating(booking, body, signedIn(caller).userId);
    return { score: body.score, words: body.words };
  },
);
