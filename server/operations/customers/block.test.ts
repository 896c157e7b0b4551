import { expect, test } from 'vitest';
import { createRowDatabase } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { decideBlockedBookings } from './block.ts';

type Booking = Parameters<typeof decideBlockedBookings>[1][number];
// Casts: the operation reads only these fields.
const ALL = [
  { id: 'held', status: 'pending' },
  { id: 'one', status: 'confirmed' },
  { id: 'two', status: 'confirmed' },
] as unknown as readonly Booking[];
const [, ...CONFIRMED] = ALL;

/** Decides about the bookings; none of them can be cancelled. Returns those that are left, and the calls of SQL functions. */
async function decide(decision: 'later' | 'keep' | 'terms' | 'refund', error?: Error) {
  const fail = (): never => {
    throw error;
  };
  const { db, statements } = createRowDatabase(
    error === undefined ? {} : { 'from private.booking b where b.id': fail },
  );
  const request = { decision, reason: 'Damage', actor: 's', money: 'held' as const };
  const remaining = await decideBlockedBookings(servicesWith({ db }), ALL, request);
  return {
    remaining,
    kept: statements.filter(({ text }) => text.includes('keep_blocked_bookings')).map(({ values }) => values),
  };
}

test('the paid bookings of a blocked customer are left for later, kept, or left when they cannot be cancelled', async () => {
  expect(await decide('later')).toEqual({ remaining: CONFIRMED, kept: [] });
  expect(await decide('keep')).toEqual({ remaining: [], kept: [[['one', 'two'], 's']] });
  for (const decision of ['terms', 'refund'] as const)
    expect(await decide(decision)).toEqual({ remaining: CONFIRMED, kept: [] });
});

test('an error that is not a refusal is thrown on', async () => {
  const error = new Error('an error of our own');
  await expect(decide('refund', error)).rejects.toBe(error);
});
