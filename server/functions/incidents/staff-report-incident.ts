import { staffReportIncident as contract } from '#contracts/incidents/staff-report-incident.ts';
import { reportIncident } from '#server/operations/incidents/incidents.ts';
import { defineHandler } from '../handler.ts';

export const staffReportIncident = defineHandler(contract, async (services, { caller, body }) => {
  const { photo, ...incident } = body;
  const photos = photo === null ? [] : [photo];
  return { incidentId: await reportIncident(services, { ...incident, photos }, caller.userId) };
});
