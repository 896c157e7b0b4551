import { type Concession, needsMoneyPermission } from '#rules/business/concessions.ts';
import { Refusal } from './refusal.ts';
import { secondFactorRequired } from './second-factor.ts';

/** Whether staff have the permission `money`. `needs_second_factor`: they have it once they sign in with their second factor. */
export type MoneyRight = 'held' | 'missing' | 'needs_second_factor';

/**
 * The only check of what staff may do with the money of a booking. Every operation that refunds, waives, or books without a payment uses
 * it. Without the permission, staff may only do what `bookings` allows. Throws `Refusal`: `not_yours` with the missing permission, or
 * `second_factor_required`.
 */
export function requireConcession(right: MoneyRight | undefined, concession: Concession): void {
  if (right === 'held' || !needsMoneyPermission(concession)) return;
  if (right === 'needs_second_factor') throw secondFactorRequired('money');
  throw new Refusal('not_yours', `${wordsFor(concession)} You need the “Money” permission for this.`, {
    permission: 'money',
  });
}

function wordsFor(concession: Concession): string {
  switch (concession.kind) {
    case 'refund':
      return `The terms of this booking give ${concession.termsCents === 0 ? 'no refund' : 'a full refund'}.`;
    case 'waiver':
      return 'The new hours cost more.';
    case 'price':
      return 'The list price is higher.';
    case 'free':
      return 'This booking would be free.';
    case 'elsewhere':
      return 'This booking would be paid outside this site.';
  }
}
