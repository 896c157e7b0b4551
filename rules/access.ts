import { addDays, formatTimeNear, slotStart, studioDate } from './studio-time.ts';
import { constants } from './venue.ts';

/** How a lock gets its codes: through a bridge, or computed offline, for whole hours or for a single use. */
export const ACCESS_MODES = ['bridge', 'hourly', 'onetime'] as const;
export type AccessMode = (typeof ACCESS_MODES)[number];

export type AccessTimes = {
  /** When the code is requested from the lock. */
  readonly requestAt: Date;
  /** When the code is shown and emailed. */
  readonly releaseAt: Date;
  readonly worksFrom: Date;
  readonly worksUntil: Date;
};

const MINUTE = 60_000;
const HOUR = 3_600_000;
/** Time after which igloohome's one-time codes expire, whether they were used or not. */
const ONE_TIME_LIFE = 24 * HOUR;

/** Whether the code is due at once because the start is within the hour. */
export function mailIsImmediate(start: Date, now: Date): boolean {
  return start.getTime() - now.getTime() <= constants.immediateWithinMinutes * MINUTE;
}

export function accessTimes(input: {
  start: Date;
  end: Date;
  bookedAt: Date;
  /** Whether the studio is free in the minutes before the start. */
  studioFreeBefore: boolean;
  capabilities: { granularityMinutes: number; endEnforced: boolean };
}): AccessTimes {
  const { start, end, bookedAt, capabilities } = input;
  const before = (minutes: number): Date => new Date(start.getTime() - minutes * MINUTE);
  const later = (a: Date, b: Date): Date => (a > b ? a : b);
  const early = input.studioFreeBefore && capabilities.granularityMinutes <= constants.pinLeadMinutes;
  return {
    requestAt: later(bookedAt, before(constants.requestLeadMinutes)),
    releaseAt: mailIsImmediate(start, bookedAt) ? bookedAt : before(constants.releaseLeadMinutes),
    worksFrom: early ? before(constants.pinLeadMinutes) : start,
    worksUntil: capabilities.endEnforced ? end : new Date(start.getTime() + ONE_TIME_LIFE),
  };
}

/** The opening words of every text about an arrival. */
export const ARRIVE_EARLY = 'Arrive 10 minutes early.';
const EARLY_MS = 10 * MINUTE;

/** Returns the sentences about an arrival that every page and mail uses. `worksFrom`: the instant from which the code opens the door. */
export function describeArrival(start: Date, worksFrom: Date): string {
  const later = start.getTime() - worksFrom.getTime() < EARLY_MS;
  const why = later ? ', so the people before you can finish their session' : '';
  return `${ARRIVE_EARLY} Your code opens the door from ${formatTimeNear(worksFrom, start)}${why}.`;
}

/**
 * Returns a sentence about when the access code is emailed, such as "We’ll email your access code at 7:45 pm." `releaseAt`: null if the
 * code is sent at once.
 */
export function describeCodeMail(start: Date, releaseAt: Date | null): string {
  return releaseAt === null
    ? 'We’re emailing your access code now.'
    : `We’ll email your access code at ${formatTimeNear(releaseAt, start)}.`;
}

/** Returns when a code begins to work. Never before the current hour, because locks refuse codes that begin earlier. */
export const codeStart = (worksFrom: Date, now: Date): Date =>
  new Date(Math.max(worksFrom.getTime(), Math.floor(now.getTime() / HOUR) * HOUR));

/** Limits on making new codes for a booking. The lock gives at most `codesPerWindow` codes for the same hours. */
export const regenerateLimits = ({ codesPerWindow }: { readonly codesPerWindow: number }) => ({
  codesPerBooking: codesPerWindow,
  secondsBetweenCodes: 30,
});

/** Returns when a test code is valid: from the current hour until 7 pm in Sydney, or until 7 pm tomorrow when today's is less than an hour away. */
export function testPinWindow(now: Date): { startsAt: Date; endsAt: Date } {
  const startsAt = new Date(Math.floor(now.getTime() / HOUR) * HOUR);
  const sevenPm = (daysAhead: number): Date | null => slotStart(addDays(studioDate(now), daysAhead), 19);
  const today = sevenPm(0);
  const endsAt = today !== null && today.getTime() - now.getTime() >= HOUR ? today : sevenPm(1);
  if (endsAt === null) throw new RangeError('there is no 7 pm');
  return { startsAt, endsAt };
}

/** Returns when the code mail of a test booking is due: 15 minutes before the start, or at once when that has passed. */
export function testMailSchedule(start: Date, now: Date): { status: 'pending' | 'pending_immediate'; at: Date } {
  const at = new Date(start.getTime() - constants.releaseLeadMinutes * MINUTE);
  return at <= now ? { status: 'pending_immediate', at: now } : { status: 'pending', at };
}
