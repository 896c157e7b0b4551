import { sessionRoom as contract } from '#contracts/sessions/session-room.ts';
import { admitAtDoor, type AtDoor } from '#server/operations/incidents/admit-at-door.ts';
import { readSession } from '#server/operations/power/session-lights.ts';
import type { PowerContext } from '#server/operations/power/switch-power.ts';
import { defineHandler } from '../handler.ts';

type Context = AtDoor & { readonly power: PowerContext };

export const sessionRoom = defineHandler(contract, async (context: Context, { caller, body }) => {
  await admitAtDoor(context, caller, { ...body, need: 'see your session' });
  return readSession({ ...context.power, clock: context.clock }, body.bookingId);
});
