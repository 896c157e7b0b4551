import { expect, test } from 'vitest';
import { divideCents } from './shares.ts';

test.each([
  [100, [200, 200], [50, 50]],
  [100, [300, 100], [75, 25]],
  [100, [100, 100, 100], [34, 33, 33]],
  [300, [100, 100, 100], [100, 100, 100]],
  [1, [0, 10], [0, 1]],
  [99, [0, 33, 66], [0, 33, 66]],
  // If the amount exceeds what is left, the remainder goes to the first payment.
  [10, [3, 3], [7, 3]],
  [5, [0, 0], [5, 0]],
] as const)('%i cents are divided among %j in proportion, as %j', (cents, left, parts) => {
  expect(divideCents(cents, left)).toEqual(parts);
});

test('all of what is left is divided as it is left, whatever it is', () => {
  for (let seed = 1; seed < 500; seed += 1) {
    const left = Array.from({ length: 2 + (seed % 7) }, (_, at) => (seed * (at + 3) * 7919) % 30_000);
    const total = left.reduce((sum, one) => sum + one, 0);
    expect(divideCents(total, left)).toEqual(left);
    const some = (seed * 104_729) % (total + 1);
    const parts = divideCents(some, left);
    expect(parts.reduce((sum, one) => sum + one, 0)).toBe(some);
    expect(parts.every((part, at) => part >= 0 && part <= (left[at] ?? 0))).toBe(true);
  }
});
