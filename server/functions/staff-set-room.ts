import { roomChangeSchema, roomOrderSchema } from '#rules/business/room-change.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import type { PowerContext } from '#server/operations/power/switch-power.ts';
import { listLocks } from '#server/operations/settings/room-locks.ts';
import { orderRooms, setRoom } from '#server/operations/settings/set-room.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LOCKS_LIMIT = { name: 'staff-locks', max: 60, seconds: 60 };
const LIMIT = { name: 'staff-set-room', max: 60, seconds: 60 };

/**
 * Adds a room (`{studioId: null, room: {name, …}}`), changes the parts of one that are named, or orders the rooms (`{order: [studioId]}`).
 * Answers with `{studioId}`, or with the order.
 */
export function staffSetRoom({ access, power }: { access: AccessContext; power: PowerContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'settings',
    limit: LIMIT,
    async handle({ caller, body }) {
      if (body !== null && typeof body === 'object' && 'order' in body) {
        const { order } = parse(roomOrderSchema, body);
        await orderRooms(access, order, actorOf(caller));
        return json({ order });
      }
      return json({
        studioId: await setRoom({ ...access, plugs: power.plugs }, parse(roomChangeSchema, body), actorOf(caller)),
      });
    },
  };
}

/** Lists the locks that a room can have: `{locks: [{id, name, batteryPercent, room}]}`. `room`: the open room that has it. */
export function staffLocks({ access }: { access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'settings',
    limit: LOCKS_LIMIT,
    handle: async () => json({ locks: await listLocks(access) }),
  };
}
