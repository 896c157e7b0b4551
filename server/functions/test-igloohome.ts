import type { Caller } from '#server/http/caller.ts';
import type { TestPins } from '#server/operations/test-pins.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Locks } from '#server/providers/ports.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'test-igloohome', max: 60, seconds: 60 };

type TestContext = { locks: Locks; lockIds: readonly string[]; testPins: TestPins };

/** `test-igloohome-config`: reports the configured mode and locks. */
export function testIgloohomeConfig(context: TestContext): ServerFunction {
  return runTest(async () => ({
    message: `Mode ${context.locks.capabilities.mode}, ${context.lockIds.length} locks set.`,
    response: { mode: context.locks.capabilities.mode, locks: context.lockIds },
  }));
}

/** `test-igloohome-oauth`: checks our credentials at the lock system. */
export function testIgloohomeOauth(context: TestContext): ServerFunction {
  return runTest(async () => {
    const { devices } = await context.locks.check();
    return { message: `Signed in; ${devices.length} devices.`, response: { devices } };
  });
}

/** `test-igloohome-pin`: issues a code for the first lock until 7 pm. */
export function testIgloohomePin(context: TestContext): ServerFunction {
  return runTest(async (caller) => ({
    message: 'PIN created.',
    pinData: await context.testPins.issue(caller.userId),
  }));
}

function runTest(work: (caller: Caller) => Promise<Record<string, unknown>>): ServerFunction {
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
