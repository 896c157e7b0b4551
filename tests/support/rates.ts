import type { Rates } from '#rules/pricing.ts';

/** The price list of the specification, written by hand, with one column for each hour and Sunday first; l = $49, m = $59, h = $69. */
const TABLE = [
  'hhhmmmmmmmmmmmmmmmhhhhhm',
  'llllllllllllllllllmmmmml',
  'llllllllllllllllllmmmmml',
  'llllllllllllllllllmmmmml',
  'llllllllllllllllllmmmmml',
  'mmmmmmmmmmmmmmmmmmhhhhhh',
  'hhmmmmmmmmmmmmmmmmhhhhhh',
];
const CENTS: Readonly<Record<string, number>> = { l: 4900, m: 5900, h: 6900 };

/** The prices of the specification, which every studio has until staff set others. */
export const specifiedRates: Rates = {
  lists: [
    {
      validFrom: '2000-01-01',
      hourCents: Array.from(TABLE.join(''), (letter) => CENTS[letter] ?? 0),
      // No discount for 1 and 2 hours, 10% for 3, 15% for 4 or more.
      volumePercents: [0, 0, 10, ...Array.from({ length: 21 }, () => 15)],
    },
  ],
  specialDays: [],
};
