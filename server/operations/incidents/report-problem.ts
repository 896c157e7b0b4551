import { type ProblemCategory, REPORTS_PER_BOOKING, type ReportKind, reportWindow } from '#rules/business/feedback.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { requireConfirmed } from '../core/require-confirmed.ts';
import { Refusal } from '../core/refusal.ts';
import { storeIncident } from './incidents.ts';
import type { Services } from '../core/services.ts';

export type ProblemReport = {
  readonly bookingId: string;
  readonly kind: ReportKind;
  /** The subject of a problem; null for lost property. */
  readonly category: ProblemCategory | null;
  readonly description: string;
  /** Names of objects in the bucket `incidents` that the customer has uploaded. */
  readonly photos: readonly string[];
  readonly requestId: string | null;
};

/**
 * Reports a problem or lost property for the caller's own booking, and alerts staff. Idempotent for the same `requestId`. Throws `Refusal`:
 * `not_found` for a booking or photo of another person, `not_confirmed`, `too_early` before and `too_late` days after the session,
 * `too_many_requests` if the booking has reached its limit of reports.
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
    // Lock the booking so that concurrent reports cannot exceed the limit.
    await tx.query('select from private.booking where id = $1::uuid for update', [bookingId]);
    const row = await tx.queryRow<{ others: number }>(
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
