import { formatStudioDate, studioDate } from '#rules/studio-time.ts';

/** Returns the day by which staff decide about an ID, as people read it; null once that day has passed. */
export const decisionDay = (decidedBy: Date, now: Date): string | null =>
  studioDate(decidedBy) < studioDate(now) ? null : formatStudioDate(decidedBy);
