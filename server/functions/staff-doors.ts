import { z } from 'zod';
import { bookingIdField, instantField } from '#contracts/core/fields.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { openDoor, readDoorLog, readDoors } from '#server/operations/access/doors.ts';
import type { PowerContext } from '#server/operations/power/switch-power.ts';
import type { ServerFunction } from './function.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';

const READ_LIMIT = { name: 'staff-doors', max: 60, seconds: 60 };
const LOG_LIMIT = { name: 'staff-door-log', max: 120, seconds: 60 };
const OPEN_LIMIT = { name: 'staff-open-door', max: 10, seconds: 60 };
const bodySchema = z.object({ studioId: z.uuid(), reason: z.string().trim().min(1).max(200) });

/** Reads the doors with their batteries, last openings and codes, and the lights: `{doors, canOpen, lights, lightsOn}`. */
export function staffDoors({ access, power }: { access: AccessContext; power: PowerContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: READ_LIMIT,
    handle: async () => json(await readDoors(access, power.plugs)),
  };
}

const logSchema = z.object({
  studioId: z.uuid().optional(),
  bookingId: bookingIdField.optional(),
  before: instantField.optional(),
});

/** Reads what the locks reported, newest first, with the bookings: `{entries}`. */
export function staffDoorLog({ access }: { access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: LOG_LIMIT,
    async handle({ body }) {
      const { studioId = null, bookingId = null, before = null } = parse(logSchema, body);
      return json({ entries: await readDoorLog(access, { studioId, bookingId, before }) });
    },
  };
}

/** Opens a door from afar: `{opened: true}` once it is open. */
export function staffOpenDoor({ access }: { access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: OPEN_LIMIT,
    async handle({ caller, body }) {
      await openDoor(access, parse(bodySchema, body), actorOf(caller));
      return json({ opened: true });
    },
  };
}
