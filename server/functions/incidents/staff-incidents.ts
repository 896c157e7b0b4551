import { staffIncidents as contract } from '#contracts/incidents/staff-incidents.ts';
import { readIncidents } from '#server/operations/incidents/incidents.ts';
import { defineHandler } from '../handler.ts';

export const staffIncidents = defineHandler(contract, async (services) => ({
  incidents: (await readIncidents(services)).map((incident) => ({
    ...incident,
    answeredAt: incident.answeredAt?.toISOString() ?? null,
    createdAt: incident.createdAt.toISOString(),
    changedAt: incident.changedAt?.toISOString() ?? null,
  })),
}));
