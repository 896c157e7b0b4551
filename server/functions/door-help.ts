import { z } from 'zod';
import type { AccessContext } from '#server/operations/access/context.ts';
import { askForDoorHelp, readDoorHelp } from '#server/operations/incidents/door-help.ts';
import { admitAtDoor, type AtDoor } from '#server/operations/incidents/admit-at-door.ts';
import type { ServerFunction } from './function.ts';
import { bookingIdField, parse } from './requests.ts';
import { json } from './responses.ts';

const LIMIT = { name: 'door-help', max: 30, seconds: 60 };
const bodySchema = z.object({
  bookingId: bookingIdField,
  token: z.string().max(300).nullable().default(null),
  ask: z.boolean().default(false),
});

/**
 * Says what the lock of a booking tells about its door: `{online, hasCode, wrongAt, openedAt, asked}`; with `ask` it tells staff that it does not open.
 * For the owner of the booking, and with the signed link of the code mail.
 */
export function doorHelp(context: AtDoor & { readonly access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { bookingId, token, ask } = parse(bodySchema, body);
      await admitAtDoor(context, caller, { bookingId, token, need: 'get help with your door' });
      return json(
        ask
          ? await askForDoorHelp(context.access, bookingId, caller.userId)
          : await readDoorHelp(context.access, bookingId),
      );
    },
  };
}
