import { dollarsToCents, formatMoney } from '#rules/money.ts';

const money = (dollars: number): string => formatMoney(dollarsToCents(dollars) ?? 0);

/** Says "The price is now $138 instead of $69. Nothing has been charged.", after the reason if there is one. Amounts in dollars. */
export function priceChanged(why: string, shown: number, total: number): string {
  const now =
    shown === total ? `The price is ${money(total)}.` : `The price is now ${money(total)} instead of ${money(shown)}.`;
  const reason = why === '' || /[.!?]$/.test(why) ? why : `${why}.`;
  return `${reason} ${now} Nothing has been charged.`.trim();
}
