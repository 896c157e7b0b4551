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
] as const)('%i cents are divided among %j in proportion, as %j', (cents, remaining, parts) => {
  expect(divideCents(cents, remaining)).toEqual(parts);
});

test('all of what is left is divided as it is left, whatever it is', () => {
  for (let seed = 1; seed < 500; seed += 1) {
    const remaining = Array.from({ length: 2 + (seed % 7) }, (_, index) => (seed * (index + 3) * 7919) % 30_000);
    const total = remaining.reduce((sum, amount) => sum + amount, 0);
    expect(divideCents(total, remaining)).toEqual(remaining);
    const some = (seed * 104_729) % (total + 1);
    const parts = divideCents(some, remaining);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(some);
    expect(parts.every((part, index) => part >= 0 && part <= (remaining[index] ?? 0))).toBe(true);
  }
});
