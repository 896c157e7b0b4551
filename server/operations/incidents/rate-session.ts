import { mayRate } from '#rules/business/feedback.ts';
import { requireConfirmed } from '../core/require-confirmed.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

type Rating = { readonly bookingId: string; readonly score: number; readonly words: string | null };

/**
 * Stores the caller's rating of a session, one per booking. It can be replaced within a week. Throws `Refusal`: `not_found`,
 * `not_confirmed`, `too_early` before the session has ended, `too_late`.
 */
export async function rateSession(
  { db, clock }: Services,
  { bookingId, score, words }: Rating,
  customer: string,
): Promise<void> {
  const booking = await requireConfirmed(db, bookingId);
  if (booking.userId !== customer) throw new Refusal('not_found', 'Booking not found');
  const now = clock();
  const end = booking.endTime;
  if (now < end) throw new Refusal('too_early', 'You can tell us how it was once the session is over.');
  await db.transaction(async (tx) => {
    await tx.query('select from private.booking where id = $1::uuid for update', [bookingId]);
    const before = await tx.queryRow<{ score: number; words: string | null; createdAt: Date }>(
      'select score, words, created_at as "createdAt" from private.rating where booking_id = $1::uuid',
      [bookingId],
    );
    if (!mayRate({ end }, before === null ? null : before.createdAt, now))
      throw new Refusal('too_late', 'You can change a rating for a week. After that, please email us.');
    if (before?.score === score && before.words === words) return;
    await tx.query(
      `insert into private.rating (booking_id, user_id, score, words, created_at, changed_at)
       values ($1::uuid, $2::uuid, $3::int, $4, $5::timestamptz, $5::timestamptz)
       on conflict (booking_id) do update set score = excluded.score, words = excluded.words, changed_at = excluded.changed_at`,
      [bookingId, customer, score, words, now],
    );
    // The text is not logged, because the log is kept when the rating is deleted with its account.
    await recordAudit(tx, {
      actor: customer,
      action: before === null ? 'create' : 'update',
      resource: 'rating',
      id: bookingId,
      details: { ...(before === null ? {} : { before: { score: before.score } }), after: { score } },
    });
  });
}
