import type { IncidentState, LostOutcome } from '#rules/business/feedback.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

type Answer = {
  readonly incidentId: string;
  readonly answer: string;
  readonly state: IncidentState;
  /** What became of lost property; null if that is not known yet, or for other reports. */
  readonly outcome: LostOutcome | null;
};
type Said = Omit<Answer, 'incidentId' | 'answer'> & { readonly answer: string | null };

/**
 * Answers a customer's report; the answer is mailed to the customer. Idempotent. Throws `Refusal`: `not_found` if no customer made the
 * report, `invalid_request` for an outcome of a report that is not about lost property.
 */
export async function answerIncident(
  { db, clock }: Services,
  { incidentId, answer, state, outcome }: Answer,
  actor: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await tx.queryRow<Said & { kind: string; bookingId: string | null }>(
      `select kind, booking_id as "bookingId", answer, state, outcome from private.incident
       where id = $1::uuid and customer_id is not null for update`,
      [incidentId],
    );
    if (before === null) throw new Refusal('not_found', 'Report not found');
    if (outcome !== null && before.kind !== 'lost')
      throw new Refusal('invalid_request', 'Only lost property can be marked as found or returned.', {
        field: 'outcome',
      });
    if (before.answer === answer && before.state === state && before.outcome === outcome) return;
    const now = clock();
    await tx.query(
      `update private.incident set answer = $2, answered_by = $3::uuid, answered_at = $4::timestamptz, outcome = $5, state = $6,
         changed_by = case when state = $6 then changed_by else $3::uuid end, changed_at = case when state = $6 then changed_at else $4::timestamptz end
       where id = $1::uuid`,
      [incidentId, answer, actor, now, outcome, state],
    );
    // The answer itself is not logged, because the log is kept when the report is deleted with its account.
    await recordAudit(tx, {
      actor,
      action: 'update',
      resource: 'incident',
      id: incidentId,
      details: {
        before: { state: before.state, outcome: before.outcome },
        after: { state, outcome, answered: true },
      },
    });
    await enqueue(tx, { kind: 'mail.incident-answer', subjectId: incidentId, dedupe: now.toISOString(), dueAt: now });
  });
}
