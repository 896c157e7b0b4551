import { z } from 'zod';
import { LOST_OUTCOMES, PROBLEM_CATEGORIES, REPORT_KINDS } from '#rules/business/feedback.ts';
import { type CallAnswer, type CallBody, callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';

const instant = z.coerce.date();
const feedbackSchema = z.object({
  reports: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(REPORT_KINDS),
      category: z.enum(PROBLEM_CATEGORIES).nullable(),
      description: z.string(),
      /** The number of photos of the report. */
      photos: z.number(),
      state: z.enum(['open', 'in_progress', 'done']),
      answer: z.string().nullable(),
      answeredAt: instant.nullable(),
      outcome: z.enum(LOST_OUTCOMES).nullable(),
      createdAt: instant,
    }),
  ),
  rating: z.object({ score: z.number(), words: z.string().nullable(), createdAt: instant }).nullable(),
});
/** The reports and the rating of a booking by its customer. */
export type Feedback = z.output<typeof feedbackSchema>;
export type OwnReport = Feedback['reports'][number];

/** A booking with its room, as the feedback forms need it. */
export type FeedbackState = {
  readonly id: string;
  readonly studioId: string;
  readonly studioName: string;
  readonly startTime: Date;
  readonly endTime: Date;
};

/** Reads the customer's reports and rating of a booking. */
export async function readFeedback(bookingId: string): Promise<Feedback> {
  const { data, error } = await rest.rpc('own_feedback', { booking: bookingId });
  if (error) throw error;
  return feedbackSchema.parse(data ?? { reports: [], rating: null });
}

/** Reports a problem or lost property. Idempotent for the same `requestId`. Throws `AppError`. */
export const report = (request: CallBody<'report-problem'>): Promise<CallAnswer<'report-problem'>> =>
  callFunction('report-problem', request);

/** Rates a session from 1 to 5. Throws `AppError`. */
export const rate = (bookingId: string, score: number, words: string | null): Promise<CallAnswer<'rate-session'>> =>
  callFunction('rate-session', { bookingId, score, words });
