import type { People } from '#server/operations/people.ts';
import type { PowerControl } from '#server/operations/power.ts';
import { json } from './answers.ts';
import type { ServerFunction } from './function.ts';

/** Two seconds of light, for staff: `{success}`. */
export function testSmartPlug(parts: { power: PowerControl; people: People }): ServerFunction {
  return {
    methods: ['POST'],
    async handle({ caller }) {
      await parts.people.requireDeveloper(caller);
      await parts.power.test(caller.userId ?? '00000000-0000-0000-0000-000000000000');
      return json({ success: true });
    },
  };
}
