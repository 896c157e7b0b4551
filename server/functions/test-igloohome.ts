import type { Caller } from '#server/http/caller.ts';
import type { TestPins } from '#server/operations/test-pins.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Locks } from '#server/providers/ports.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'test-igloohome', max: 60, seconds: 60 };

type Parts = { locks: Locks; lockIds: readonly string[]; testPins: TestPins };

/** `test-igloohome-config`: is everything set that a door needs? */
export function testIgloohomeConfig(parts: Parts): ServerFunction {
  return trial(async () => ({
    message: `Mode ${parts.locks.capabilities.mode}, ${parts.lockIds.length} locks set.`,
    response: { mode: parts.locks.capabilities.mode, locks: parts.lockIds },
  }));
}

/** `test-igloohome-oauth`: do our credentials open the lock system? */
export function testIgloohomeOauth(parts: Parts): ServerFunction {
  return trial(async () => {
    const { devices } = await parts.locks.check();
    return { message: `Signed in; ${devices.length} devices.`, response: { devices } };
  });
}

/** `test-igloohome-pin`: a code for the first lock until 7 pm, told only to the developer who asked. */
export function testIgloohomePin(parts: Parts): ServerFunction {
  return trial(async (caller) => ({
    message: 'PIN created.',
    pinData: await parts.testPins.issue(caller.userId),
  }));
}

function trial(work: (caller: Caller) => Promise<Record<string, unknown>>): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'developers',
    limit: LIMIT,
    async handle({ caller }) {
      try {
        return json({ success: true, ...(await work(caller)) });
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        return json({ success: false, error: error.reason });
      }
    },
  };
}
