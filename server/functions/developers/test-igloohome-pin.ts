import { testIgloohomePin as contract } from '#contracts/developers/test-igloohome-pin.ts';
import { issueTestPin } from '#server/operations/access/issue-test-pin.ts';
import { defineHandler } from '../handler.ts';
import { runTrial } from './run-trial.ts';

export const testIgloohomePin = defineHandler(contract, async (services, { caller }) =>
  runTrial(async () => {
    const issued = await issueTestPin(services, caller.userId);
    const { startTime, endTime } = issued;
    return {
      message: 'PIN created.',
      pinData: { ...issued, startTime: startTime.toISOString(), endTime: endTime.toISOString() },
    };
  }),
);
