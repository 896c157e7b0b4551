import { constants } from '../venue.ts';

/**
 * What a booking costs its customer, in cents. If nothing is owed, `finalCents` is what was charged and `waivedCents` is what staff chose
 * not to charge. `owedCents` is a difference that is too small for a payment. A positive one is part of `waivedCents` and is charged later.
 * A negative one was charged in addition to `finalCents` and is paid back later.
 */
export type Balance = { readonly finalCents: number; readonly waivedCents: number; readonly owedCents: number };

/** The balance after a move. `differenceCents`: what the move charges or, with `waive`, does not charge; a negative amount is paid back. */
export type MovedBalance = Balance & { readonly differenceCents: number };

/**
 * Computes the balance of a booking whose hours now cost `totalCents`. What staff waived stays waived, up to the new price. Differences
 * below the smallest card payment stay owed, in both directions, until their sum reaches it. The sum of all moves therefore differs from
 * the direct price by less than that payment.
 */
export function balanceMove(before: Balance, totalCents: number, { waive }: { readonly waive: boolean }): MovedBalance {
  const charged = before.finalCents - Math.min(before.owedCents, 0);
  const waived = before.waivedCents - Math.max(before.owedCents, 0);
  const less = charged - totalCents;
  if (less > 0) {
    const owed = less < constants.cardMinimumCents ? -less : 0;
    return { finalCents: totalCents, waivedCents: 0, owedCents: owed, differenceCents: owed === 0 ? -less : 0 };
  }
  const more = totalCents - charged - waived;
  if (waive || more <= 0)
    return {
      finalCents: charged,
      waivedCents: totalCents - charged,
      owedCents: 0,
      differenceCents: Math.max(more, 0),
    };
  if (more < constants.cardMinimumCents)
    return { finalCents: charged, waivedCents: waived + more, owedCents: more, differenceCents: 0 };
  return { finalCents: charged + more, waivedCents: waived, owedCents: 0, differenceCents: more };
}
