import type { PowerControl } from '#server/operations/power.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'test-smart-plug', max: 60, seconds: 60 };

/** Two seconds of light, for staff: `{success}`. */
export function testSmartPlug(parts: { power: PowerControl }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'developers',
    limit: LIMIT,
    async handle({ caller }) {
      await parts.power.test(caller.userId ?? '00000000-0000-0000-0000-000000000000');
      return json({ success: true });
    },
  };
}
