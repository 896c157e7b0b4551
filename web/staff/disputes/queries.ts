import { z } from 'zod';
import { callFunction } from '#web/data/fetch-client.ts';

const disputeSchema = z.object({
  id: z.string(),
  status: z.enum(['open', 'won', 'lost']),
  providerStatus: z.string(),
  needsResponse: z.boolean(),
  reason: z.string().nullable(),
  amountCents: z.number(),
  dueAt: z.coerce.date().nullable(),
  openedAt: z.coerce.date(),
});
export type Dispute = z.infer<typeof disputeSchema>;

/** Reads the disputes of a booking, oldest first. */
export async function readDisputes(bookingId: string): Promise<Dispute[]> {
  const answer = await callFunction('staff-disputes', { bookingId });
  return z.object({ disputes: z.array(disputeSchema) }).parse(answer).disputes;
}

/** Reads the evidence for a dispute about a booking as an HTML page. */
export function readEvidence(bookingId: string): Promise<string> {
  return callFunction('staff-dispute-evidence', { bookingId });
}
