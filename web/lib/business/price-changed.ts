import { formatDollars } from '#rules/money.ts';

/** Returns "The price is now $138 instead of $69. Nothing has been charged.", after the reason if there is one. Amounts are in dollars. */
export function priceChanged(why: string, shown: number, total: number): string {
  const now =
    shown === total
      ? `The price is ${formatDollars(total)}.`
      : `The price is now ${formatDollars(total)} instead of ${formatDollars(shown)}.`;
  const reason = why === '' || /[.!?]$/.test(why) ? why : `${why}.`;
  return `${reason} ${now} Nothing has been charged.`.trim();
}
