import { constants } from '../venue.ts';
import type { SessionHours } from './session.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** What customers report of a session. */
export const REPORT_KINDS = ['problem', 'lost'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** What a problem is about. */
export const PROBLEM_CATEGORIES = ['equipment', 'sound', 'lights', 'cleanliness', 'access', 'other'] as const;
export type ProblemCategory = (typeof PROBLEM_CATEGORIES)[number];

/** What became of lost property. */
export const LOST_OUTCOMES = ['found', 'returned', 'not_found'] as const;
export type LostOutcome = (typeof LOST_OUTCOMES)[number];

/** How far staff are with an incident or a report. */
export const INCIDENT_STATES = ['open', 'in_progress', 'done'] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** How many photos a report may have, and how many reports a booking. */
export const REPORT_PHOTOS = 3;
export const REPORTS_PER_BOOKING = 10;

/** How many days after a session something can be reported: what was left behind is missed later than what is broken. */
const REPORT_DAYS: Readonly<Record<ReportKind, number>> = { problem: 7, lost: 30 };
/** How many days after a session it can be rated, and how many days after the first rating that can change. */
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

/** When something can be reported: from the minutes in which the code is shown until so many days after the end. */
export const reportWindow = ({ start, end }: SessionHours, kind: ReportKind): SessionHours => ({
  start: new Date(start.getTime() - constants.releaseLeadMinutes * MINUTE),
  end: new Date(end.getTime() + REPORT_DAYS[kind] * DAY),
});

/** Whether a session can be rated now. `ratedAt`: the first rating; null without one. */
export function mayRate({ end }: Pick<SessionHours, 'end'>, ratedAt: Date | null, now: Date): boolean {
  if (now < end) return false;
  const until = ratedAt === null ? end.getTime() + RATE_DAYS * DAY : ratedAt.getTime() + CHANGE_DAYS * DAY;
  return now.getTime() < until;
}

/** What a customer reads about a report. */
export function describeReportState({
  state,
  outcome,
}: {
  readonly state: IncidentState;
  readonly outcome: LostOutcome | null;
}): string {
  if (outcome !== null) return { found: 'Found', returned: 'Returned to you', not_found: 'Not found' }[outcome];
  return { open: 'Sent to the team', in_progress: 'Somebody has read it', done: 'Solved' }[state];
}
