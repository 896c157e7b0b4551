import { formatMoney } from '#rules/money.ts';

/**
 * Describes an amount that is still owed on a booking because it is too small for a payment; null if there is none. `owedCents`: a negative
 * amount is owed to the customer.
 */
export function describeOwed(owedCents: number): string | null {
  if (owedCents === 0) return null;
  const amount = formatMoney(Math.abs(owedCents));
  return owedCents > 0
    ? `${amount} is still to pay. It is charged with later changes once it comes to 50 cents.`
    : `${amount} is still to go back. It is returned with later changes once it comes to 50 cents.`;
}
