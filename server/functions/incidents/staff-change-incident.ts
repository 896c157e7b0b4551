import { staffChangeIncident as contract } from '#contracts/incidents/staff-change-incident.ts';
import { changeIncident } from '#server/operations/incidents/incidents.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffChangeIncident = defineHandler(contract, async (services, { caller, body }) => {
  await changeIncident(services, body, getActor(caller));
  return { state: body.state };
});
