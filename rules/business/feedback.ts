import { constants } from '../venue.ts';
import type { SessionHours } from './session.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** What customers can report about a session. */
export const REPORT_KINDS = ['problem', 'lost'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** What a problem is about. */
export const PROBLEM_CATEGORIES = ['equipment', 'sound', 'lights', 'cleanliness', 'access', 'other'] as const;
export type ProblemCategory = (typeof PROBLEM_CATEGORIES)[number];

/** The outcome of a lost-property report. */
export const LOST_OUTCOMES = ['found', 'returned', 'not_found'] as const;
export type LostOutcome = (typeof LOST_OUTCOMES)[number];

/** The progress of staff on an incident or a report. */
export const INCIDENT_STATES = ['open', 'in_progress', 'done'] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** The most photos of a report, and the most reports of a booking. */
export const REPORT_PHOTOS = 3;
export const REPORTS_PER_BOOKING = 10;

/** Days after a session during which something can be reported. People notice a lost thing later than a broken one. */
const REPORT_DAYS: Readonly<Record<ReportKind, number>> = { problem: 7, lost: 30 };
/** Days after a session during which it can be rated, and days after the first rating during which that rating can change. */
const RATE_DAYS = 30;
const CHANGE_DAYS = 7;

const CATEGORY_WORDS: Readonly<Record<ProblemCategory, string>> = {
  equipment: 'Equipment',
  sound: 'Sound',
  lights: 'Lights and power',
  cleanliness: 'Cleanliness',
  access: 'Door and access',
  other: 'Something else',
};

/** Names a category for people. */
export const describeCategory = (category: ProblemCategory): string => CATEGORY_WORDS[category];

/** Returns when something can be reported: from the release of the access code until some days after the end. */
export const reportWindow = ({ start, end }: SessionHours, kind: ReportKind): SessionHours => ({
  start: new Date(start.getTime() - constants.releaseLeadMinutes * MINUTE),
  end: new Date(end.getTime() + REPORT_DAYS[kind] * DAY),
});

/** Whether a session can be rated now. `ratedAt`: when it was first rated, or null. */
export function mayRate({ end }: Pick<SessionHours, 'end'>, ratedAt: Date | null, now: Date): boolean {
  if (now < end) return false;
  const until = ratedAt === null ? end.getTime() + RATE_DAYS * DAY : ratedAt.getTime() + CHANGE_DAYS * DAY;
  return now.getTime() < until;
}

/** Describes the state of a report to its customer. */
export function describeReportState({
  state,
  outcome,
}: {
  readonly state: IncidentState;
  readonly outcome: LostOutcome | null;
}): string {
  if (outcome !== null) return { found: 'Found', returned: 'Returned to you', not_found: 'Not found' }[outcome];
  return { open: 'Sent to the team', in_progress: 'Someone has read it', done: 'Solved' }[state];
}
