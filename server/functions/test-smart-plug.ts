import { type PowerContext, testPower } from '#server/operations/power/switch-power.ts';
import { actorOf } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'test-smart-plug', max: 60, seconds: 60 };

/** Switches the lights on for two seconds, for developers: `{success}`. */
export function testSmartPlug(context: { power: PowerContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'developers',
    limit: LIMIT,
    async handle({ caller }) {
      await testPower(context.power, actorOf(caller));
      return json({ success: true });
    },
  };
}
