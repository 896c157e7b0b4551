import { staffOpenDoor as contract } from '#contracts/access/staff-open-door.ts';
import { openDoor } from '#server/operations/access/doors.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffOpenDoor = defineHandler(contract, async (services, { caller, body }) => {
  await openDoor(services, body, getActor(caller));
  return { opened: true as const };
});
