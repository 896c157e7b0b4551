import type { Database } from '#server/db/database.ts';
import { Refusal } from '../core/refusal.ts';

/**
 * Counts a try of a discount code, with the counters of `validate_discount_code`: one limit for every place where a code can be
 * tried. Throws `Refusal('too_many_requests')` with the seconds to wait.
 */
export async function countCouponGuess(
  { db }: { readonly db: Pick<Database, 'one'> },
  userId: string,
  ip: string,
): Promise<void> {
  const row = await db.one<{ admitted: boolean; wait: number }>(
    `select private.count_coupon_guess($1::uuid, nullif($2, '')) as admitted,
       ceil(extract(epoch from date_trunc('minute', now()) + interval '1 minute' - now()))::int as wait`,
    [userId, ip],
  );
  if (row?.admitted !== true)
    throw new Refusal('too_many_requests', 'Too many attempts. Please try again in a minute.', {
      retryAfter: Math.max(1, row?.wait ?? 60),
    });
}
