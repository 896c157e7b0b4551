import { expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { LockCapabilities, Locks } from '#server/providers/ports.ts';
import { createFakeDatabase } from '#tests/support/fake-database.ts';
import { issueTestPin } from './issue-test-pin.ts';

/** 3:20 pm in Sydney. */
const now = new Date('2031-03-01T04:20:00Z');

function createLocks(mode: LockCapabilities['mode'], lockIds: readonly string[] = ['lock-1', 'lock-2']) {
  const requests: Parameters<Locks['issueCode']>[0][] = [];
  const locks = {
    capabilities: { mode },
    issueCode: async (input: Parameters<Locks['issueCode']>[0]) => (
      requests.push(input),
      { pin: input.pin, providerCodeId: 'code-1' }
    ),
  };
  const { db, values } = createFakeDatabase(null);
  const lockOf = new Map(lockIds.map((lockId) => [`studio of ${lockId}`, lockId]));
  // Casts: the operation calls nothing else of the database and the locks.
  const context = { db: db as Database, locks: locks as unknown as Locks, lockOf, clock: () => now };
  return { context, requests, values };
}

test.each([
  ['bridge', 0],
  ['hourly', 1],
] as const)(
  'a test PIN of a lock in mode %s works at the first lock from this hour to 7 pm, and the audit log has no digits',
  async (mode, variant) => {
    const { context, requests, values } = createLocks(mode);
    const [startTime, endTime] = [new Date('2031-03-01T04:00:00Z'), new Date('2031-03-01T08:00:00Z')];
    const issued = await issueTestPin(context, 'me');
    expect(issued).toEqual({
      pin: expect.stringMatching(/^[1-9]\d{5}$/),
      pinId: 'code-1',
      deviceId: 'lock-1',
      startTime,
      endTime,
    });
    expect(requests).toEqual([
      { lockId: 'lock-1', startsAt: startTime, endsAt: endTime, accessName: 'TEST', variant, pin: issued.pin },
    ]);
    expect(values).toEqual([['me', 'lock-1', { until: endTime }]]);
  },
);

test('a test PIN needs a lock', async () => {
  await expect(issueTestPin(createLocks('bridge', []).context, 'me')).rejects.toMatchObject({
    name: 'ProviderError',
    reason: 'no_lock_set',
    retryable: false,
  });
});
