import { z } from 'zod';
import type { PowerControl } from '#server/operations/power.ts';
import { json, parse } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'manual-power-control', max: 60, seconds: 60 };
const bodySchema = z.looseObject({ action: z.enum(['turn_on', 'turn_off']) });

/** Switches the lights for staff: `{success, message}`. */
export function manualPowerControl(context: { power: PowerControl }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { action } = parse(bodySchema, body);
      const on = action === 'turn_on';
      await context.power.set(on, caller.userId ?? '00000000-0000-0000-0000-000000000000');
      return json({ success: true, message: on ? 'Power turned on' : 'Power turned off' });
    },
  };
}
