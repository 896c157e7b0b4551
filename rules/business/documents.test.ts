import { expect, test } from 'vitest';
import { documentNumber, formatAbn, gstCents } from './documents.ts';

test.each([
  [0, 0],
  [1, 0],
  [5, 0],
  [6, 1],
  [11, 1],
  [16, 1],
  [17, 2],
  [5_900, 536],
  [110_000, 10_000],
])('the GST in %i cents is %i', (total, gst) => {
  expect(gstCents(total)).toBe(gst);
});

test('GST is rounded to the nearest cent', () => {
  for (let total = 0; total < 5_000; total += 1) {
    const exact = total / 11;
    expect(Math.abs(gstCents(total) - exact)).toBeLessThanOrEqual(0.5);
  }
});

test('numbers have six digits or more, and an ABN its groups', () => {
  expect([documentNumber(7), documentNumber(1_234_567)]).toEqual(['000007', '1234567']);
  expect([formatAbn('51824753556'), formatAbn('51 824 753 556'), formatAbn('12')]).toEqual([
    '51 824 753 556',
    '51 824 753 556',
    '12',
  ]);
});
