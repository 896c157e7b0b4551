import { staffReportIncident as contract } from '#contracts/incidents/staff-report-incident.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { reportIncident } from '#server/operations/incidents/incidents.ts';
import { defineHandler } from '../handler.ts';

type Context = { readonly booking: BookingContext };

export const staffReportIncident = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  const { photo, ...incident } = body;
  const photos = photo === null ? [] : [photo];
  return { incidentId: await reportIncident(booking, { ...incident, photos }, caller.userId) };
});
