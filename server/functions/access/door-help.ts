import { doorHelp as contract } from '#contracts/access/door-help.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { requireJoined } from '#server/operations/crew/guests.ts';
import { admitAtDoor, type AtDoor } from '#server/operations/incidents/admit-at-door.ts';
import { askForDoorHelp, readDoorHelp } from '#server/operations/incidents/door-help.ts';
import { defineHandler } from '../handler.ts';

type Context = AtDoor & { readonly access: AccessContext };

export const doorHelp = defineHandler(contract, async (context: Context, { caller, body }) => {
  if (body.crew !== null) {
    const { bookingId, memberId: guestId } = await requireJoined(context.access, body.crew);
    return body.ask
      ? askForDoorHelp(context.access, bookingId, { reporter: null, guestId })
      : readDoorHelp(context.access, bookingId, guestId);
  }
  const { bookingId, token, ask } = body;
  await admitAtDoor(context, caller, { bookingId, token, need: 'get help with your door' });
  return ask
    ? askForDoorHelp(context.access, bookingId, { reporter: caller.userId, guestId: null })
    : readDoorHelp(context.access, bookingId, null);
});
