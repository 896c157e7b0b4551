import { z } from 'zod';
import { requestIdField } from '#contracts/core/fields.ts';
import { LOST_OUTCOMES } from '#rules/business/feedback.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { answerIncident } from '#server/operations/incidents/answer-incident.ts';
import {
  changeIncident,
  INCIDENT_STATES,
  readIncidents,
  reportIncident,
} from '#server/operations/incidents/incidents.ts';
import type { ServerFunction } from './function.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';

const reportSchema = z.object({
  studioId: z.uuid().nullable(),
  description: z.string().trim().min(1).max(2000),
  photo: z.string().min(1).max(1024).nullable().default(null),
  requestId: requestIdField,
});
const changeSchema = z.object({ incidentId: z.uuid(), state: z.enum(INCIDENT_STATES) });
const answerSchema = z.object({
  incidentId: z.uuid(),
  answer: z.string().trim().min(1).max(2000),
  state: z.enum(['in_progress', 'done']),
  outcome: z.enum(LOST_OUTCOMES).nullable().default(null),
});
const STAFF = { methods: ['POST'], callers: 'staff', permission: 'bookings' } as const;
type Context = { booking: BookingContext };

/** Reads the incidents: `{incidents}`, those that are not done first. */
export function staffIncidents({ access }: { access: AccessContext }): ServerFunction {
  return {
    ...STAFF,
    limit: { name: 'staff-incidents', max: 120, seconds: 60 },
    handle: async () => json({ incidents: await readIncidents(access) }),
  };
}

/** Reports an incident with a photo that was uploaded to the bucket `incidents`: `{incidentId}`. */
export function staffReportIncident({ booking }: Context): ServerFunction {
  return {
    ...STAFF,
    limit: { name: 'staff-report-incident', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      const { photo, ...incident } = parse(reportSchema, body);
      const photos = photo === null ? [] : [photo];
      return json({ incidentId: await reportIncident(booking, { ...incident, photos }, caller.userId) });
    },
  };
}

/** Changes the state of an incident: `{state}`. */
export function staffChangeIncident({ booking }: Context): ServerFunction {
  return {
    ...STAFF,
    limit: { name: 'staff-change-incident', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      const change = parse(changeSchema, body);
      await changeIncident(booking, change, actorOf(caller));
      return json({ state: change.state });
    },
  };
}

/** Answers the report of a customer, who gets a mail: `{state}`. */
export function staffAnswerIncident({ booking }: Context): ServerFunction {
  return {
    ...STAFF,
    limit: { name: 'staff-answer-incident', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      const answer = parse(answerSchema, body);
      await answerIncident(booking, answer, actorOf(caller));
      return json({ state: answer.state });
    },
  };
}
