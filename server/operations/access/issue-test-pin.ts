import { randomInt } from 'node:crypto';
import { testPinWindow } from '#rules/access.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { AccessContext } from './context.ts';

export type TestPin = {
  readonly pin: string;
  readonly pinId: string | null;
  readonly deviceId: string;
  readonly startTime: Date;
  readonly endTime: Date;
};

/** Issues a code for the first lock until 7 pm. Writes the audit log without the digits. Throws `ProviderError`. */
export async function issueTestPin(
  { db, locks, lockOf, clock }: Pick<AccessContext, 'db' | 'locks' | 'lockOf' | 'clock'>,
  actor: string | null,
): Promise<TestPin> {
  const [lockId] = lockOf.values();
  if (!lockId) throw new ProviderError('igloohome', 'no_lock_set', { retryable: false });
  const { startsAt, endsAt } = testPinWindow(clock());
  await db.query(`select private.audit($1::uuid, 'create', 'test_pin', $2, $3::jsonb)`, [
    actor,
    lockId,
    { until: endsAt },
  ]);
  const code = await locks.issueCode({
    lockId,
    startsAt,
    endsAt,
    accessName: 'TEST',
    variant: locks.capabilities.mode === 'bridge' ? 0 : 1,
    pin: String(randomInt(100_000, 1_000_000)),
  });
  return { pin: code.pin, pinId: code.providerCodeId, deviceId: lockId, startTime: startsAt, endTime: endsAt };
}
