import { z } from 'zod';
import { type PowerContext, switchPower } from '#server/operations/power/switch-power.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'manual-power-control', max: 60, seconds: 60 };
const bodySchema = z.looseObject({ action: z.enum(['turn_on', 'turn_off']), studioId: z.uuid().optional() });

/** Switches the lights for staff, of a room or without `studioId` of the rooms that name no plug: `{success, message}`. */
export function manualPowerControl(context: { power: PowerContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { action, studioId = null } = parse(bodySchema, body);
      const on = action === 'turn_on';
      await switchPower(context.power, { on, studioId }, actorOf(caller));
      return json({ success: true, message: on ? 'Power turned on' : 'Power turned off' });
    },
  };
}
