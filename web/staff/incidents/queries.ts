import { z } from 'zod';
import {
  INCIDENT_STATES,
  type IncidentState,
  LOST_OUTCOMES,
  PROBLEM_CATEGORIES,
  REPORT_KINDS,
} from '#rules/business/feedback.ts';
import { type CallAnswer, type CallBody, callFunction, fetchClient } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import { AppError, OFFLINE } from '#web/lib/errors.ts';

const BUCKET = 'incidents';

const incidentSchema = z.object({
  id: z.string(),
  studioId: z.string().nullable(),
  studioName: z.string().nullable(),
  booking: z
    .object({
      id: z.string(),
      reference: z.string(),
      closedMinutes: z.number(),
      backCents: z.number(),
      refunded: z.boolean(),
    })
    .nullable(),
  kind: z.enum(['room', 'door', ...REPORT_KINDS]),
  category: z.enum(PROBLEM_CATEGORIES).nullable(),
  reference: z.string().nullable(),
  description: z.string(),
  state: z.enum(INCIDENT_STATES),
  reporter: z.string().nullable(),
  photos: z.array(z.string()),
  answer: z.string().nullable(),
  answeredAt: z.coerce.date().nullable(),
  outcome: z.enum(LOST_OUTCOMES).nullable(),
  createdAt: z.coerce.date(),
  changedBy: z.string().nullable(),
  changedAt: z.coerce.date().nullable(),
});
export type Incident = z.infer<typeof incidentSchema>;

/** The highest number of incidents that are read. */
export const INCIDENTS_SHOWN = 200;

/** Reads the incidents: unfinished ones first, then newest first. */
export async function readIncidents(): Promise<Incident[]> {
  const answer = await callFunction('staff-incidents', {});
  return z.object({ incidents: z.array(incidentSchema) }).parse(answer).incidents;
}

/** Reads a photo as a data URL for an image on this page. */
export async function readPhoto(name: string): Promise<string> {
  const { data, error } = await (await client()).storage.from(BUCKET).download(name);
  if (error) throw new AppError('download', error.message, 0);
  return readAsUrl(data);
}

function readAsUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(new AppError('unreadable', 'The photo could not be shown.', 0)));
    reader.readAsDataURL(blob);
  });
}

/** Reports an incident. Idempotent for the same `requestId`. */
export function reportIncident(
  incident: CallBody<'staff-report-incident'>,
): Promise<CallAnswer<'staff-report-incident'>> {
  return callFunction('staff-report-incident', incident);
}

export function changeIncident(incidentId: string, state: IncidentState): Promise<CallAnswer<'staff-change-incident'>> {
  return callFunction('staff-change-incident', { incidentId, state });
}

/** Answers the report of a customer, who receives an email. `outcome`: the outcome of a lost-property report. */
export function answerIncident(
  answer: CallBody<'staff-answer-incident'>,
): Promise<CallAnswer<'staff-answer-incident'>> {
  return callFunction('staff-answer-incident', answer);
}

const ratingsSchema = z.object({
  rooms: z.array(z.object({ studioId: z.string(), studioName: z.string(), count: z.number(), average: z.number() })),
  ratings: z.array(
    z.object({
      reference: z.string(),
      studioName: z.string(),
      startTime: z.coerce.date(),
      score: z.number(),
      words: z.string().nullable(),
      at: z.coerce.date(),
    }),
  ),
});
export type Ratings = z.output<typeof ratingsSchema>;

/** Reads the ratings of sessions. */
export async function readRatings(): Promise<Ratings> {
  const { data, error } = await rest.rpc('staff_ratings');
  if (error) throw error;
  return ratingsSchema.parse(data);
}

async function client() {
  const found = await fetchClient().catch(() => null);
  if (found === null) throw new AppError('offline', OFFLINE, 0);
  return found;
}

/** Refunds the price of the minutes at a closed door, once for each incident. */
export async function refundClosedDoor(incident: Incident): Promise<void> {
  if (incident.booking === null) return;
  await callFunction('staff-refund', {
    bookingId: incident.booking.id,
    cents: incident.booking.backCents,
    reason: `The door stayed closed for ${incident.booking.closedMinutes} minutes`,
    requestId: `incident:${incident.id}`,
  });
}
