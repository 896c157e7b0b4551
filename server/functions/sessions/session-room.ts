import { sessionRoom as contract } from '#contracts/sessions/session-room.ts';
import { admitAtDoor } from '#server/operations/incidents/admit-at-door.ts';
import { readSession } from '#server/operations/power/session-lights.ts';
import { defineHandler } from '../handler.ts';

export const sessionRoom = defineHandler(contract, async (services, { caller, body }) => {
  await admitAtDoor(services, caller, { ...body, need: 'see your session' });
  const room = await readSession(services, body.bookingId);
  return { ...room, startTime: room.startTime.toISOString(), endTime: room.endTime.toISOString() };
});
