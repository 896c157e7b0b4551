import { testIgloohomeOauth as contract } from '#contracts/developers/test-igloohome-oauth.ts';
import { defineHandler } from '../handler.ts';
import { runTrial } from './run-trial.ts';

export const testIgloohomeOauth = defineHandler(contract, async (services) =>
  runTrial(async () => {
    const { devices } = await services.locks.check();
    return { message: `Signed in; ${devices.length} devices.`, response: { devices: devices.map(({ id }) => id) } };
  }),
);
