import { z } from 'zod';
import { bookingIdField, requestIdField } from '#contracts/core/fields.ts';
import { PROBLEM_CATEGORIES, REPORT_PHOTOS } from '#rules/business/feedback.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { rateSession as storeRating } from '#server/operations/incidents/rate-session.ts';
import { reportProblem as report } from '#server/operations/incidents/report-problem.ts';
import type { ServerFunction } from './function.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';

const fields = {
  bookingId: bookingIdField,
  description: z.string().trim().min(1).max(1000),
  photos: z.array(z.string().min(1).max(1024)).max(REPORT_PHOTOS).default([]),
  requestId: requestIdField,
};
const reportSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('problem'), category: z.enum(PROBLEM_CATEGORIES), ...fields }),
  z.object({ kind: z.literal('lost'), category: z.null().default(null), ...fields }),
]);
const ratingSchema = z.object({
  bookingId: bookingIdField,
  score: z.int().min(1).max(5),
  words: z.string().trim().min(1).max(500).nullable().default(null),
});

/** Reports a problem or lost property of the own booking, with photos that were uploaded to the bucket `incidents`: `{reportId}`. */
export function reportProblem({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: { name: 'report-problem', max: 20, seconds: 3600 },
    async handle({ caller, body }) {
      return json({ reportId: await report(booking, parse(reportSchema, body), signedIn(caller).userId) });
    },
  };
}

/** Stores how the own session was: `{score, words}`. */
export function rateSession({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: { name: 'rate-session', max: 20, seconds: 60 },
    async handle({ caller, body }) {
      const rating = parse(ratingSchema, body);
      await storeRating(booking, rating, signedIn(caller).userId);
      return json({ score: rating.score, words: rating.words });
    },
  };
}
