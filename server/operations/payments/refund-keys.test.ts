import { expect, test } from 'vitest';
import { coveredCents, firstKey, idInKey, isAttempt, nextKey } from './refund-keys.ts';

const ID = '3f0f6f5e-5a0c-4f0e-9a63-0d1f2f1b7f11';
const first = firstKey(ID);

test.each([
  ['none', [], `refund:${ID}`],
  ['the first', [first], `refund:${ID}:1`],
  ['the first two', [first, `${first}:1`], `refund:${ID}:2`],
  ['another refund and one without a key', ['refund:other', null], `refund:${ID}`],
])('the next key after %s is %s', (_title, keys, next) => {
  expect(
    nextKey(
      first,
      keys.map((key) => ({ key })),
    ),
  ).toBe(next);
});

test('a refund queued by an earlier version keeps the key of its next attempt, and continues from it', () => {
  const earlier = `refund:part:${ID}:1`;
  expect(nextKey(earlier, [{ key: `refund:part:${ID}:0` }])).toBe(earlier);
  expect(nextKey(earlier, [{ key: earlier }])).toBe(`${earlier}:1`);
  expect(isAttempt(earlier, { key: `refund:part:${ID}:0` })).toBe(false);
  expect(isAttempt(earlier, { key: `${earlier}:1` })).toBe(true);
});

test('an attempt has the first key, or that key and a number', () => {
  expect([first, `${first}:1`, `${first}0`, 'refund:other', null].map((key) => isAttempt(first, { key }))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('the id of a key is found in today’s keys and in those of earlier versions', () => {
  const keys = [first, `${first}:3`, `refund:part:${ID}:0`, 'refund:1'];
  expect(keys.map(idInKey)).toEqual([ID, ID, ID, '']);
});

test('refunds that failed or were canceled cover nothing, those under way and made do', () => {
  const refund = (
    status: 'failed' | 'canceled' | 'pending' | 'requires_action' | 'succeeded',
    amountCents: number,
  ) => ({
    id: status,
    key: null,
    status,
    amountCents,
  });
  const refunds = [
    refund('failed', 1),
    refund('canceled', 2),
    refund('pending', 4),
    refund('requires_action', 8),
    refund('succeeded', 16),
  ];
  expect(coveredCents(refunds)).toBe(28);
});
