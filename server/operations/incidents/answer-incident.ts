import type { IncidentState, LostOutcome } from '#rules/business/feedback.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

type Answer = {
  readonly incidentId: string;
  readonly answer: string;
  readonly state: IncidentState;
  /** What became of lost property; null: nothing yet, or another report. */
  readonly outcome: LostOutcome | null;
};
type Said = Omit<Answer, 'incidentId' | 'answer'> & { readonly answer: string | null };

/**
 * Answers the report of a customer, who gets a mail. The same answer again changes and sends nothing. Throws `Refusal`: `not_found` for a report
 * that no customer made, `invalid_request` for an outcome of something that is not lost.
 */
export async function answerIncident(
  { db, clock }: Services,
  { incidentId, answer, state, outcome }: Answer,
  actor: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await tx.one<Said & { kind: string; bookingId: string | null }>(
      `select kind, booking_id as "bookingId", answer, state, outcome from private.incident
       where id = $1::uuid and customer_id is not null for update`,
      [incidentId],
    );
    if (before === null) throw new Refusal('not_found', 'Report not found');
    if (outcome !== null && before.kind !== 'lost')
      throw new Refusal('invalid_request', 'Only lost property is found or returned.', { field: 'outcome' });
    if (before.answer === answer && before.state === state && before.outcome === outcome) return;
    const now = clock();
    await tx.query(
      `update private.incident set answer = $2, answered_by = $3::uuid, answered_at = $4::timestamptz, outcome = $5, state = $6,
         changed_by = case when state = $6 then changed_by else $3::uuid end, changed_at = case when state = $6 then changed_at else $4::timestamptz end
       where id = $1::uuid`,
      [incidentId, answer, actor, now, outcome, state],
    );
    // Without the words: the log is kept when the report is deleted with its account.
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
