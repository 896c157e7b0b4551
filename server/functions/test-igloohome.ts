import type { Caller } from '#server/http/caller.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { issueTestPin } from '#server/operations/access/issue-test-pin.ts';
import { ProviderError } from '#server/providers/call.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'test-igloohome', max: 60, seconds: 60 };

type TestContext = { access: AccessContext };

/** `test-igloohome-config`: reports the configured mode and locks. */
export function testIgloohomeConfig({ access }: TestContext): ServerFunction {
  return runTest(async () => {
    const { mode } = access.locks.capabilities;
    const locks = [...access.lockOf.values()];
    return { message: `Mode ${mode}, ${locks.length} locks set.`, response: { mode, locks } };
  });
}

/** `test-igloohome-oauth`: checks our credentials at the lock system. */
export function testIgloohomeOauth({ access }: TestContext): ServerFunction {
  return runTest(async () => {
    const { devices } = await access.locks.check();
    return { message: `Signed in; ${devices.length} devices.`, response: { devices: devices.map(({ id }) => id) } };
  });
}

/** `test-igloohome-pin`: issues a code for the first lock until 7 pm. */
export function testIgloohomePin({ access }: TestContext): ServerFunction {
  return runTest(async (caller) => ({
    message: 'PIN created.',
    pinData: await issueTestPin(access, caller.userId),
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
