import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/**
 * Counts an attempt to use a discount code, by an account or a guest. The limit is shared with `validate_discount_code`, so that there is
 * one limit for all places where a code can be tried. Throws `Refusal('too_many_requests')` with the seconds to wait.
 */
export async function countCouponGuess({ db }: Services, userId: string | null, ip: string): Promise<void> {
  const row = await db.queryRow<{ wait: number | null }>(
    `select private.take_coupon_guess($1::uuid, nullif($2, '')) as wait`,
    [userId, ip],
  );
  if (row?.wait !== null)
    throw new Refusal('too_many_requests', 'Too many attempts. Please try again in a minute.', {
      retryAfter: row?.wait ?? 60,
    });
}
