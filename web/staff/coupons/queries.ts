import type { z } from 'zod';
import type { CouponTerms } from '#rules/coupon-discount.ts';
import type { couponSchema } from '#rules/coupons.ts';
import { rest } from '#web/data/rest.ts';

/** A discount code as staff see it. */
export type DiscountCode = {
  readonly id: string;
  readonly code: string;
  readonly discount_type: CouponTerms['discountType'];
  /** Percent, or AUD dollars. */
  readonly discount_value: number;
  readonly description: string | null;
  readonly min_hours: number | null;
  readonly max_uses: number | null;
  readonly current_uses: number;
  readonly expires_at: string | null;
  readonly active: boolean;
  readonly created_at: string;
};
export type CouponDraft = z.output<typeof couponSchema>;

/** Reads every code, newest first; none unless the caller is staff. */
export async function readDiscountCodes(): Promise<DiscountCode[]> {
  const { data, error } = await rest.from('discount_codes').select('*').order('created_at', { ascending: false });
  if (error) throw error;
  return data;
}
/** Creates a code, or updates the one with this id. Throws; `errorCode` '23505' means that the code already exists. */
export async function saveDiscountCode(id: string | null, draft: CouponDraft): Promise<void> {
  const row = {
    code: draft.code,
    discount_type: draft.discount_type,
    discount_value: draft.discount_value,
    description: draft.description ?? null,
    min_hours: draft.min_hours ?? null,
    max_uses: draft.max_uses ?? null,
    expires_at: draft.expires_at ?? null,
  };
  if (id === null) {
    const { error } = await rest.from('discount_codes').insert(row);
    if (error) throw error;
    return;
  }
  requireOne(await rest.from('discount_codes').update(row).eq('id', id).select('id'));
}
export async function setDiscountCodeActive(id: string, active: boolean): Promise<void> {
  requireOne(await rest.from('discount_codes').update({ active }).eq('id', id).select('id'));
}

/** Throws unless exactly one row changed: PostgREST answers success when the policies filter out every row. */
function requireOne({ data, error }: { data: readonly unknown[] | null; error: Error | null }): void {
  if (error) throw error;
  if (data?.length !== 1) throw new Error('The discount code was not changed.');
}
