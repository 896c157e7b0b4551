/** Money is whole cents inside the program and AUD dollars with at most two decimals in requests and answers. */

/** Converts dollars to cents; null unless finite, not negative and with at most two decimals. */
export function dollarsToCents(dollars: number): number | null {
  if (!Number.isFinite(dollars) || dollars < 0) return null;
  const cents = Math.round(dollars * 100);
  // Exact: a decimal of two places equals its cents divided by 100 as a double; more decimals give another double.
  return Number.isSafeInteger(cents) && cents / 100 === dollars ? cents : null;
}

/** Converts cents to dollars: 5950 → 59.5. */
export function centsToDollars(cents: number): number {
  return cents / 100;
}

/** Formats cents for files that programs read: 5950 → "59.50". */
export function formatAmount(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** Formats cents for people: "$59", "$59.50", "$1,020". */
export function formatMoney(cents: number): string {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.floor(Math.abs(cents) / 100);
  const rest = Math.abs(cents) % 100;
  const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${sign}$${grouped}${rest === 0 ? '' : `.${String(rest).padStart(2, '0')}`}`;
}

/** Formats an amount as requests and answers carry it: 59.5 → "$59.50". */
export function formatDollars(dollars: number): string {
  return formatMoney(Math.round(dollars * 100));
}
