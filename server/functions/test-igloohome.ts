import type { Clock } from '#server/http/caller.ts';
import type { People } from '#server/operations/people.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Locks } from '#server/providers/ports.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

type Parts = { locks: Locks; lockIds: readonly string[]; people: People; clock: Clock };

/** `test-igloohome-config`: is everything set that a door needs? */
export function testIgloohomeConfig(parts: Parts): ServerFunction {
  return trial(parts, async () => ({
    message: `Mode ${parts.locks.capabilities.mode}, ${parts.lockIds.length} locks set.`,
    response: { mode: parts.locks.capabilities.mode, locks: parts.lockIds },
  }));
}

/** `test-igloohome-oauth`: do our credentials open the lock system? */
export function testIgloohomeOauth(parts: Parts): ServerFunction {
  return trial(parts, async () => {
    const { devices } = await parts.locks.check();
    return { message: `Signed in; ${devices.length} devices.`, response: { devices } };
  });
}

/** `test-igloohome-pin`: a code for the first lock, for the hour to come, told only to the developer who asked. */
export function testIgloohomePin(parts: Parts): ServerFunction {
  return trial(parts, async () => {
    const lockId = parts.lockIds[0];
    if (!lockId) throw new ProviderError('igloohome', 'no_lock_set', { retryable: false });
    const hour = 3_600_000;
    const startsAt = new Date(Math.ceil(parts.clock().getTime() / hour) * hour);
    const pin = String(100_000 + Math.floor(Math.random() * 900_000));
    const code = await parts.locks.issueCode({
      lockId,
      startsAt,
      endsAt: new Date(startsAt.getTime() + hour),
      accessName: 'TEST',
      variant: parts.locks.capabilities.mode === 'bridge' ? 0 : 1,
      pin,
    });
    return {
      message: 'PIN created.',
      pinData: { pin: code.pin, pinId: code.providerCodeId, deviceId: lockId, startTime: startsAt },
    };
  });
}

function trial(parts: Parts, work: () => Promise<Record<string, unknown>>): ServerFunction {
  return {
    methods: ['POST'],
    async handle({ caller }) {
      await parts.people.requireDeveloper(caller);
      try {
        return json({ success: true, ...(await work()) });
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        return json({ success: false, error: error.reason });
      }
    },
  };
}
