import { type ProblemCategory, REPORTS_PER_BOOKING, type ReportKind, reportWindow } from '#rules/business/feedback.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { requireConfirmed } from '../core/require-confirmed.ts';
import { Refusal } from '../core/refusal.ts';
import { storeIncident } from './incidents.ts';
import type { Services } from '../core/services.ts';

export type ProblemReport = {
  readonly bookingId: string;
  readonly kind: ReportKind;
  /** What a problem is about; null for lost property. */
  readonly category: ProblemCategory | null;
  readonly description: string;
  /** Names of objects in the bucket `incidents` that the customer has uploaded. */
  readonly photos: readonly string[];
  readonly requestId: string | null;
};

/**
 * Reports a problem or lost property of an own booking, which staff are alerted to. The same `requestId` again returns the same report. Throws
 * `Refusal`: `not_found` for another booking or photo, `not_confirmed`, `too_early` before and `too_late` days after the session,
 * `too_many_requests` above the reports that a booking may have.
 */
export async function reportProblem(
  { db, clock }: Services,
  { bookingId, kind, category, description, photos, requestId }: ProblemReport,
  customer: string,
): Promise<string> {
  const booking = await requireConfirmed(db, bookingId);
  if (booking.userId !== customer) throw new Refusal('not_found', 'Booking not found');
  const now = clock();
  const window = reportWindow({ start: booking.startTime, end: booking.endTime }, kind);
  if (now < window.start)
    throw new Refusal('too_early', `You can report something from ${formatStudioTime(window.start)} (Sydney time).`);
  if (now >= window.end) throw new Refusal('too_late', 'That session was a while ago. Please email us.');
  return db.transaction(async (tx) => {
    // One after another, so that the count holds.
    await tx.query('select from private.booking where id = $1::uuid for update', [bookingId]);
    const row = await tx.one<{ others: number }>(
      `select count(*)::int as others from private.incident
       where booking_id = $1::uuid and customer_id is not null and request_id is distinct from $2`,
      [bookingId, requestId],
    );
    if ((row?.others ?? 0) >= REPORTS_PER_BOOKING)
      throw new Refusal('too_many_requests', 'You’ve already told us a lot about this session. Please email us.');
    return storeIncident(
      tx,
      { kind, category, bookingId, customer, studioId: booking.studioId, description, photos, requestId },
      { reporter: customer, now },
    );
  });
}
