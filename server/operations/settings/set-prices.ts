import type { PriceListChange, SpecialDaysChange } from '#rules/price-list.ts';
import { DatabaseError } from '#server/db/database.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/**
 * Sets or removes the price list of a studio, or of all studios, from a given day. Throws `Refusal`, `too_late` for a day that has already
 * begun.
 */
export function setPriceList(services: Services, change: PriceListChange, actor: string): Promise<void> {
  return setPrices(services, 'set_price_list', change, actor);
}

/** Sets or removes the prices of special days. If some of the days have begun, only those still to come are removed. Throws `Refusal`. */
export function setSpecialDays(services: Services, change: SpecialDaysChange, actor: string): Promise<void> {
  return setPrices(services, 'set_special_days', change, actor);
}

async function setPrices(
  { db, clock }: Services,
  name: 'set_price_list' | 'set_special_days',
  change: PriceListChange | SpecialDaysChange,
  actor: string,
): Promise<void> {
  try {
    const row = await db.queryRow<{ outcome: 'set' | 'no_studio' | 'none' }>(
      `select private.${name}($1::jsonb, $2::uuid, $3::timestamptz) as outcome`,
      [change, actor, clock()],
    );
    if (row?.outcome === 'no_studio') throw new Refusal('not_found', 'Studio not found');
    if (row?.outcome === 'none') throw new Refusal('not_found', 'No prices start on that day.');
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'price_history')
      throw new Refusal('too_late', 'Prices already in effect can’t be changed. Choose a later day.');
    if (error instanceof DatabaseError && error.constraint === 'special_days_apart')
      throw new Refusal('days_overlap', 'Some of these days already have special prices. Remove those first.');
    throw error;
  }
}
