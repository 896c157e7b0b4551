import { staffOpenDoor as contract } from '#contracts/access/staff-open-door.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { openDoor } from '#server/operations/access/doors.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffOpenDoor = defineHandler(
  contract,
  async ({ access }: { access: AccessContext }, { caller, body }) => {
    await openDoor(access, body, actorOf(caller));
    return { opened: true as const };
  },
);
