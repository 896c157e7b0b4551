import { expect, test } from 'vitest';
import { type Concession, needsMoneyPermission } from './concessions.ts';

test.each<[string, Concession, boolean]>([
  ['a refund of what the terms give', { kind: 'refund', cents: 5_900, termsCents: 5_900 }, false],
  ['no refund where the terms give none', { kind: 'refund', cents: 0, termsCents: 0 }, false],
  ['a refund where the terms give none', { kind: 'refund', cents: 1, termsCents: 0 }, true],
  ['a refund of a part of what the terms give', { kind: 'refund', cents: 5_899, termsCents: 5_900 }, true],
  ['no refund where the terms give one', { kind: 'refund', cents: 0, termsCents: 5_900 }, true],
  ['a waiver of a cent', { kind: 'waiver', cents: 1 }, true],
  ['a waiver of nothing', { kind: 'waiver', cents: 0 }, false],
  ['a price of a cent less', { kind: 'price', cents: 1 }, true],
  ['the price of the list', { kind: 'price', cents: 0 }, false],
  ['a free booking', { kind: 'free' }, true],
  ['a booking that was paid elsewhere', { kind: 'elsewhere' }, true],
])('whether %s needs the permission for money: %#', (_, concession, needed) => {
  expect(needsMoneyPermission(concession)).toBe(needed);
});
