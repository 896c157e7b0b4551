import { sessionLights as contract } from '#contracts/sessions/session-lights.ts';
import { admitAtDoor } from '#server/operations/incidents/admit-at-door.ts';
import { readSessionLights, switchSessionLights } from '#server/operations/power/session-lights.ts';
import { defineHandler } from '../handler.ts';

export const sessionLights = defineHandler(contract, async (services, { caller, body }) => {
  const { bookingId, token, on } = body;
  await admitAtDoor(services, caller, { bookingId, token, need: 'switch the lights of your room' });
  return on === null
    ? readSessionLights(services, bookingId)
    : switchSessionLights(services, { bookingId, on }, caller.userId);
});
