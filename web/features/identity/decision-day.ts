import { formatStudioDate, studioDate } from '#rules/studio-time.ts';

/** Formats the day by which staff decide about an ID; null once that day has passed. */
export const decisionDay = (decidedBy: Date, now: Date): string | null =>
  studioDate(decidedBy) < studioDate(now) ? null : formatStudioDate(decidedBy);
