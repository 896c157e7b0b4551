import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEncryption } from '#server/crypto/encryption.ts';
import { createFingerprint } from '#server/crypto/fingerprint.ts';
import type { Database } from '#server/db/database.ts';
import type { LockCapabilities, Locks } from '#server/providers/ports.ts';
import { takeEmbedded } from '#tests/support/databases/embedded-pool.ts';
import { STUDIO_A, STUDIO_B } from '#tests/support/test-server.ts';
import { issueTestPin } from '#server/operations/access/issue-test-pin.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

/** 3:20 pm in Sydney. */
const NOW = new Date('2031-03-01T04:20:00Z');
/** 6:30 pm in Sydney: the first full hour that is a day away or more is 25 hours after the last full hour. */
const EVENING = new Date('2031-03-03T07:30:00Z');
let db: Database;
beforeAll(async () => {
  db = await takeEmbedded();
  await db.query(
    `insert into public.studios (id, name, hourly_rate) values ($1::uuid, 'First', 49), ($2::uuid, 'Second', 49)`,
    [STUDIO_A, STUDIO_B],
  );
}, 180_000);
afterAll(() => db.close());

function createLocks(mode: LockCapabilities['mode'], lockIds: readonly string[] = ['lock-1', 'lock-2'], now = NOW) {
  const requests: Parameters<Locks['issueCode']>[0][] = [];
  const locks = {
    capabilities: { mode, choosesDigits: mode === 'bridge', revocable: mode === 'bridge', codesPerWindow: 3 },
    issueCode: async (input: Parameters<Locks['issueCode']>[0]) => (
      requests.push(input),
      { pin: input.pin === '' ? `00${input.variant}` : input.pin, providerCodeId: 'code-1' }
    ),
  };
  const studioLocks = new Map(lockIds.map((lockId, index) => [index === 0 ? STUDIO_A : STUDIO_B, lockId]));
  const context = servicesWith({
    db,
    // Cast: the operation calls no other function of the locks.
    locks: locks as unknown as Locks,
    studioLocks,
    encryption: createEncryption(Buffer.alloc(32, 2)),
    fingerprint: createFingerprint(Buffer.alloc(32, 3)),
    clock: () => now,
  });
  return { context, requests };
}

test.each([
  ['bridge', 0, /^[1-9]\d{5}$/],
  ['hourly', 1, /^001$/],
] as const)(
  'a test PIN of a lock in mode %s works at the first lock from this hour to 7 pm, and the audit log has no digits',
  async (mode, variant, digits) => {
    const { context, requests } = createLocks(mode);
    const [startTime, endTime] = [new Date('2031-03-01T04:00:00Z'), new Date('2031-03-01T08:00:00Z')];
    const issued = await issueTestPin(context, null);
    expect(issued).toEqual({
      pin: expect.stringMatching(digits),
      pinId: 'code-1',
      deviceId: 'lock-1',
      startTime,
      endTime,
    });
    expect(requests).toMatchObject([
      { lockId: 'lock-1', startsAt: startTime, endsAt: endTime, accessName: 'TEST', variant },
    ]);
    const { rows } = await db.query<{ details: unknown }>(
      `select details from public.audit_logs where resource_type = 'test_pin' order by created_at desc limit 1`,
    );
    expect(rows).toEqual([{ details: { until: endTime.toISOString() } }]);
  },
);

test('a lock that computes its codes gives the same test PIN again within the hour, and one behind a bridge another one', async () => {
  const pins = async (mode: LockCapabilities['mode'], minutes: number): Promise<string> =>
    (await issueTestPin(createLocks(mode, undefined, new Date(NOW.getTime() + minutes * 60_000)).context, null)).pin;
  expect(await pins('hourly', 1)).toBe(await pins('hourly', 2));
  expect(await pins('bridge', 1)).not.toBe(await pins('bridge', 2));
});

test('a test PIN that its lock cannot remove works for at most 24 hours', async () => {
  const span = async (mode: LockCapabilities['mode']): Promise<number> => {
    const { startTime, endTime } = await issueTestPin(createLocks(mode, undefined, EVENING).context, null);
    return (endTime.getTime() - startTime.getTime()) / 3_600_000;
  };
  expect([await span('bridge'), await span('hourly')]).toEqual([25, 24]);
});

test('a test PIN needs a lock', async () => {
  await expect(issueTestPin(createLocks('bridge', []).context, null)).rejects.toMatchObject({
    name: 'ProviderError',
    reason: 'no_lock_set',
    retryable: false,
  });
});
