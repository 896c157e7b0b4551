import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import { readSession, readSessionLights, switchSessionLights } from '#server/operations/power/session-lights.ts';
import type { PowerContext } from '#server/operations/power/switch-power.ts';
import { admitAtDoor, type AtDoor } from '#server/operations/incidents/admit-at-door.ts';
import type { ServerFunction } from './function.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';

type Context = AtDoor & { readonly power: PowerContext };
const roomSchema = z.object({ bookingId: bookingIdField, token: z.string().max(300).nullable().default(null) });
const lightsSchema = roomSchema.extend({ on: z.boolean().nullable().default(null) });

/**
 * Says what the customer of a booking may know of its room now: `{studioId, startTime, endTime, lights, followed}`. For the owner, and with the signed
 * link of the code mail. It does not say who follows.
 */
export function sessionRoom(context: Context): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: { name: 'session-room', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      const { bookingId, token } = parse(roomSchema, body);
      await admitAtDoor(context, caller, { bookingId, token, need: 'see your session' });
      return json(await readSession({ ...context.power, clock: context.clock }, bookingId));
    },
  };
}

/** Says whether the lights of a booking's room are on, and with `on` switches them: `{on, allowed: {on, off}}`. For whom `sessionRoom` is. */
export function sessionLights(context: Context): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: { name: 'session-lights', max: 20, seconds: 60 },
    async handle({ caller, body }) {
      const { bookingId, token, on } = parse(lightsSchema, body);
      await admitAtDoor(context, caller, { bookingId, token, need: 'switch the lights of your room' });
      const power = { ...context.power, clock: context.clock };
      return json(
        on === null
          ? await readSessionLights(power, bookingId)
          : await switchSessionLights(power, { bookingId, on }, caller.userId),
      );
    },
  };
}
