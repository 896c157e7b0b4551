import { testIgloohomeOauth as contract } from '#contracts/developers/test-igloohome-oauth.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { defineHandler } from '../handler.ts';
import { runTrial } from './run-trial.ts';

export const testIgloohomeOauth = defineHandler(contract, async ({ access }: { access: AccessContext }) =>
  runTrial(async () => {
    const { devices } = await access.locks.check();
    return { message: `Signed in; ${devices.length} devices.`, response: { devices: devices.map(({ id }) => id) } };
  }),
);
