import { staffIncidents as contract } from '#contracts/incidents/staff-incidents.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { readIncidents } from '#server/operations/incidents/incidents.ts';
import { defineHandler } from '../handler.ts';

export const staffIncidents = defineHandler(contract, async ({ access }: { access: AccessContext }) => ({
  incidents: (await readIncidents(access)).map((incident) => ({
    ...incident,
    answeredAt: incident.answeredAt?.toISOString() ?? null,
    createdAt: incident.createdAt.toISOString(),
    changedAt: incident.changedAt?.toISOString() ?? null,
  })),
}));
