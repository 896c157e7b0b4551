import type { z } from 'zod';
import type { CouponTerms } from '#rules/coupon-discount.ts';
import type { couponSchema, giftSchema } from '#rules/coupons.ts';
import { formatDollars } from '#rules/money.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { rowsWith } from '#web/data/rows.ts';

/** A discount code as staff see it. */
export type DiscountCode = {
  readonly id: string;
  readonly code: string;
  readonly discount_type: CouponTerms['discountType'];
  /** In percent or in AUD dollars, depending on `discount_type`. */
  readonly discount_value: number;
  readonly description: string | null;
  readonly min_hours: number | null;
  readonly max_uses: number | null;
  readonly current_uses: number;
  readonly expires_at: string | null;
  readonly active: boolean;
  readonly created_at: string;
  readonly per_user_limit: number | null;
  readonly customer_email: string | null;
  readonly valid_from: string | null;
  /** 0 = Sunday. */
  readonly weekdays: readonly number[] | null;
  readonly from_hour: number | null;
  readonly until_hour: number | null;
  /** The rules about days and hours in words. */
  readonly works_when: string | null;
};
/** Formats the value: "20%", "$15", "$12.50". */
export function worth(code: Pick<DiscountCode, 'discount_type' | 'discount_value'>): string {
  return code.discount_type === 'percentage' ? `${code.discount_value}%` : formatDollars(code.discount_value);
}

/** What a code brought and cost, in dollars. */
export type CodeResults = { readonly bookings: number; readonly sold: number; readonly discount: number };
export type CouponDraft = z.output<typeof couponSchema>;

/** Reads all codes except gift codes, newest first. Returns none unless the caller is staff. */
export async function readDiscountCodes(): Promise<DiscountCode[]> {
  const { data, error } = await rest
    .from('discount_codes')
    .select('*')
    .is('gift_batch_id', null)
    .order('created_at', { ascending: false });
  if (error) throw error;
  return data;
}
/** Reads what these codes brought and cost. Codes that no booking has used are missing. */
export async function readCodeResults(codes: readonly string[]): Promise<ReadonlyMap<string, CodeResults>> {
  const { data, error } = await rest.rpc('discount_code_results', { codes: [...codes] });
  if (error) throw error;
  return new Map(rowsWith(data, 'coupon_id', 'bookings', 'sold', 'discount').map((row) => [row.coupon_id, row]));
}
/** Creates a code, or updates the code with this id. Throws; `errorCode` returns '23505' if the code already exists. */
export async function saveDiscountCode(id: string | null, draft: CouponDraft): Promise<void> {
  const row = {
    code: draft.code,
    discount_type: draft.discount_type,
    discount_value: draft.discount_value,
    description: draft.description ?? null,
    min_hours: draft.min_hours ?? null,
    max_uses: draft.max_uses ?? null,
    expires_at: draft.expires_at ?? null,
    per_user_limit: draft.per_user_limit ?? null,
    customer_email: draft.customer_email ?? null,
    valid_from: draft.valid_from ?? null,
    weekdays: draft.weekdays ?? null,
    from_hour: draft.from_hour ?? null,
    until_hour: draft.until_hour ?? null,
  };
  if (id === null) {
    const { error } = await rest.from('discount_codes').insert(row);
    if (error) throw error;
    return;
  }
  requireOneRow(await rest.from('discount_codes').update(row).eq('id', id).select('id'));
}
export async function setDiscountCodeActive(id: string, active: boolean): Promise<void> {
  requireOneRow(await rest.from('discount_codes').update({ active }).eq('id', id).select('id'));
}

/** Throws unless exactly one row changed. PostgREST reports success even if the policies filter out every row. */
function requireOneRow({ data, error }: { data: readonly unknown[] | null; error: Error | null }): void {
  if (error) throw error;
  if (data?.length !== 1) throw new Error('The discount code was not changed.');
}

/** A batch of single-use codes that staff created at once. */
export type GiftBatch = {
  readonly id: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly discount_type: string;
  readonly discount_value: number;
  readonly description: string | null;
  readonly expires_at: string | null;
  readonly codes: number;
  readonly used: number;
  /** The number of codes that can still be used until they expire. */
  readonly active: number;
  readonly sold: number;
  readonly discount: number;
};
export type GiftDraft = z.output<typeof giftSchema>;

/** Reads the batches of gift codes, newest first. */
export async function readGiftBatches(): Promise<GiftBatch[]> {
  const { data, error } = await rest.rpc('gift_batches', {});
  if (error) throw error;
  const always = ['id', 'prefix', 'created_at', 'discount_type', 'discount_value', 'codes', 'used', 'active'] as const;
  return rowsWith(data, ...always, 'sold', 'discount');
}
/** Creates the codes of a new batch. Idempotent for the same `batch`. */
export async function makeGiftCodes(batch: string, { prefix, amount, ...terms }: GiftDraft): Promise<void> {
  const { error } = await rest.rpc('make_gift_codes', { batch, amount, prefix, terms });
  if (error) throw error;
}
/** Turns the codes of a batch off or on. */
export async function setGiftBatchActive(batch: string, active: boolean): Promise<void> {
  const { error } = await rest.rpc('set_gift_batch_active', { batch, active });
  if (error) throw error;
}
/** Reads the codes of a batch as CSV. */
export function readGiftCodes(batchId: string): Promise<string> {
  return callFunction('staff-export-list', { list: 'gift-codes', batchId });
}
