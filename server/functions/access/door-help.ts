import { doorHelp as contract } from '#contracts/access/door-help.ts';
import { requireJoined } from '#server/operations/crew/guests.ts';
import { admitAtDoor } from '#server/operations/incidents/admit-at-door.ts';
import { askForDoorHelp, readDoorHelp } from '#server/operations/incidents/door-help.ts';
import { defineHandler } from '../handler.ts';

export const doorHelp = defineHandler(contract, async (services, { caller, body }) => {
  if (body.crew !== null) {
    const { bookingId, memberId: guestId } = await requireJoined(services, body.crew);
    return body.ask
      ? askForDoorHelp(services, bookingId, { reporter: null, guestId })
      : readDoorHelp(services, bookingId, guestId);
  }
  const { bookingId, token, ask } = body;
  await admitAtDoor(services, caller, { bookingId, token, need: 'get help with your door' });
  return ask
    ? askForDoorHelp(services, bookingId, { reporter: caller.userId, guestId: null })
    : readDoorHelp(services, bookingId, null);
});
