import { sessionLights as contract } from '#contracts/sessions/session-lights.ts';
import { admitAtDoor, type AtDoor } from '#server/operations/incidents/admit-at-door.ts';
import { readSessionLights, switchSessionLights } from '#server/operations/power/session-lights.ts';
import type { PowerContext } from '#server/operations/power/switch-power.ts';
import { defineHandler } from '../handler.ts';

type Context = AtDoor & { readonly power: PowerContext };

export const sessionLights = defineHandler(contract, async (context: Context, { caller, body }) => {
  const { bookingId, token, on } = body;
  await admitAtDoor(context, caller, { bookingId, token, need: 'switch the lights of your room' });
  const power = { ...context.power, clock: context.clock };
  return on === null
    ? readSessionLights(power, bookingId)
    : switchSessionLights(power, { bookingId, on }, caller.userId);
});
