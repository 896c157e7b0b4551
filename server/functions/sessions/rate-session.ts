import { rateSession as contract } from '#contracts/sessions/rate-session.ts';
import { rateSession as storeRating } from '#server/operations/incidents/rate-session.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const rateSession = defineHandler(contract, async (services, { caller, body }) => {
  await storeRating(services, body, signedIn(caller).userId);
  return { score: body.score, words: body.words };
});
