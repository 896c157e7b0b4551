import { staffChangeIncident as contract } from '#contracts/incidents/staff-change-incident.ts';
import { changeIncident } from '#server/operations/incidents/incidents.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffChangeIncident = defineHandler(contract, async (services, { caller, body }) => {
  await changeIncident(services, body, actorOf(caller));
  return { state: body.state };
});
