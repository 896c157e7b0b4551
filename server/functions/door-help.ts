import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { requireJoined } from '#server/operations/crew/guests.ts';
import { admitAtDoor, type AtDoor } from '#server/operations/incidents/admit-at-door.ts';
import { askForDoorHelp, type DoorHelp, readDoorHelp } from '#server/operations/incidents/door-help.ts';
import type { ServerFunction } from './function.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';

const LIMIT = { name: 'door-help', max: 30, seconds: 60 };
const bodySchema = z.object({
  token: z.string().max(300).nullable().default(null),
  ask: z.boolean().default(false),
});
const bookingSchema = z.object({ bookingId: bookingIdField });
const crewSchema = z.object({ crew: z.string().max(100).nullable().default(null) });

/**
 * Says what the lock of a booking tells about its door: `{online, hasCode, wrongAt, openedAt, asked}`; with `ask` it tells staff that it does not open.
 * For the owner of the booking, with the signed link of the code mail, and for guests who have joined with the token of their link (`crew`).
 */
export function doorHelp(context: AtDoor & { readonly access: AccessContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { token, ask } = parse(bodySchema, body);
      const { crew } = parse(crewSchema, body);
      if (crew !== null) {
        const guest = await requireJoined(context.access, crew);
        return json(await answer(context.access, guest.bookingId, { ask, reporter: null, guestId: guest.memberId }));
      }
      const { bookingId } = parse(bookingSchema, body);
      await admitAtDoor(context, caller, { bookingId, token, need: 'get help with your door' });
      return json(await answer(context.access, bookingId, { ask, reporter: caller.userId, guestId: null }));
    },
  };
}

const answer = (
  access: AccessContext,
  bookingId: string,
  { ask, reporter, guestId }: { ask: boolean; reporter: string | null; guestId: string | null },
): Promise<DoorHelp> =>
  ask ? askForDoorHelp(access, bookingId, { reporter, guestId }) : readDoorHelp(access, bookingId, guestId);
