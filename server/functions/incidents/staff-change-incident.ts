import { staffChangeIncident as contract } from '#contracts/incidents/staff-change-incident.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { changeIncident } from '#server/operations/incidents/incidents.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

type Context = { readonly booking: BookingContext };

export const staffChangeIncident = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  await changeIncident(booking, body, actorOf(caller));
  return { state: body.state };
});
