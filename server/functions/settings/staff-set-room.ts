import { staffSetRoom as contract } from '#contracts/settings/staff-set-room.ts';
import { orderRooms, setRoom } from '#server/operations/settings/set-room.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffSetRoom = defineHandler(contract, async (services, { caller, body }) => {
  if ('order' in body) {
    await orderRooms(services, body.order, getActor(caller));
    return { order: body.order };
  }
  return { studioId: await setRoom(services, body, getActor(caller)) };
});
