import type { PowerControl } from '#server/operations/power.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'test-smart-plug', max: 60, seconds: 60 };

/** Switches the lights on for two seconds, for developers: `{success}`. */
export function testSmartPlug(context: { power: PowerControl }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'developers',
    limit: LIMIT,
    async handle({ caller }) {
      await context.power.test(caller.userId ?? '00000000-0000-0000-0000-000000000000');
      return json({ success: true });
    },
  };
}
