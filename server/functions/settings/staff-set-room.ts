import { staffSetRoom as contract } from '#contracts/settings/staff-set-room.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import type { PowerContext } from '#server/operations/power/switch-power.ts';
import { orderRooms, setRoom } from '#server/operations/settings/set-room.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Services = { readonly access: AccessContext; readonly power: PowerContext };

export const staffSetRoom = defineHandler(contract, async ({ access, power }: Services, { caller, body }) => {
  if ('order' in body) {
    await orderRooms(access, body.order, actorOf(caller));
    return { order: body.order };
  }
  return { studioId: await setRoom({ ...access, plugs: power.plugs }, body, actorOf(caller)) };
});
