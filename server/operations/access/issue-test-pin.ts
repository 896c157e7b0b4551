import { testPinWindow } from '#rules/access.ts';
import { ProviderError } from '#server/providers/call.ts';
import { planStaffCode, requestStaffCode } from './staff-codes.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

export type TestPin = {
  readonly pin: string;
  readonly pinId: string | null;
  readonly deviceId: string;
  readonly startTime: Date;
  readonly endTime: Date;
};
const DAY_MS = 24 * 3_600_000;
/** Represents the service key in the list of codes. */
const SERVICE = '00000000-0000-0000-0000-000000000000';

/**
 * Issues a staff code for the first lock until 7 pm, without closing hours. A lock that computes its codes returns the same code when
 * called again within the hour. The entry in the audit log omits the digits. Throws `ProviderError`, `Refusal('code_limit')`.
 */
export async function issueTestPin(services: Services, actor: string | null): Promise<TestPin> {
  const { db, locks, studioLocks, clock } = services;
  const [first] = studioLocks;
  if (!first) throw new ProviderError(locks.provider, 'no_lock_set', { retryable: false });
  const [studioId, lockId] = first;
  const { choosesDigits, revocable } = locks.capabilities;
  const window = testPinWindow(clock());
  const { startsAt } = window;
  // Limit codes that cannot be removed to one day.
  const endsAt = revocable ? window.endsAt : new Date(Math.min(+window.endsAt, +startsAt + DAY_MS));
  const by = actor ?? SERVICE;
  const requestId = `test ${choosesDigits ? clock().getTime() : `${startsAt.getTime()} ${endsAt.getTime()}`}`;
  const request = { studioId, startTime: startsAt, endTime: endsAt, name: 'TEST', requestId };
  const code = await db.transaction(async (tx) => {
    const who = { actor: by, permission: 'settings', closesHours: false } as const;
    const stored = await planStaffCode(services, tx, request, who);
    await recordAudit(tx, { actor, action: 'create', resource: 'test_pin', id: lockId, details: { until: endsAt } });
    return stored;
  });
  const { pin, providerCodeId } = await requestStaffCode(services, code, by);
  return { pin, pinId: providerCodeId, deviceId: lockId, startTime: startsAt, endTime: endsAt };
}
