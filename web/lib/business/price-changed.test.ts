import { expect, test } from 'vitest';
import { priceChanged } from './price-changed.ts';

test.each([
  ['', 69, 138, 'The price is now $138 instead of $69. Nothing has been charged.'],
  ['', 59.5, 49, 'The price is now $49 instead of $59.50. Nothing has been charged.'],
  ['This code has expired.', 138, 138, 'This code has expired. The price is $138. Nothing has been charged.'],
  [
    'Invalid coupon code',
    69,
    138,
    'Invalid coupon code. The price is now $138 instead of $69. Nothing has been charged.',
  ],
] as const)('%o, $%d shown, $%d now: "%s"', (why, shown, total, text) => {
  expect(priceChanged(why, shown, total)).toBe(text);
});
