import type { Transaction } from '#server/db/database.ts';
import { Refusal } from './refusal.ts';

/**
 * Uses a booking's discount code again after its cancellation has returned the use, in the caller's transaction. This happens when a
 * cancellation is undone, or when it refunds nothing. Does nothing if no use was returned. Throws `Refusal` if the code has no use left.
 */
export async function takeCoupon(tx: Transaction, bookingId: string): Promise<void> {
  const use = await tx.queryRow<{ coupon: string }>(
    `update private.coupon_redemption set state = 'committed' where booking_id = $1::uuid and state = 'returned' returning coupon_id as coupon`,
    [bookingId],
  );
  if (use === null) return;
  const { count } = await tx.query(
    `update public.discount_codes set current_uses = current_uses + 1 where id = $1::uuid and (max_uses is null or current_uses < max_uses)`,
    [use.coupon],
  );
  if (count === 0) throw new Refusal('coupon_exhausted', 'Someone else has used the discount code in the meantime.');
}
