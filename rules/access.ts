import { addDays, slotStart, studioDate } from './studio-time.ts';
import { settings } from './venue.ts';

/** What a lock can do, as far as times and counts go (promises section 0, "PIN five minutes early"). */
export type AccessMode = 'bridge' | 'hourly' | 'onetime';
export type AccessTimes = {
  /** When the lock is asked for the code. */
  readonly requestAt: Date;
  /** When the code is shown and mailed. */
  readonly releaseAt: Date;
  readonly worksFrom: Date;
  readonly worksUntil: Date;
};

const MINUTE = 60_000;
const HOUR = 3_600_000;
/** A one-time code lives so long, used or not (igloohome; providers.md 3.3). */
const ONE_TIME_LIFE = 24 * HOUR;

/** True when the code is due at once: the start is within the hour (decisions T-56). */
export function mailIsImmediate(start: Date, now: Date): boolean {
  return start.getTime() - now.getTime() <= settings.immediateWithinMinutes * MINUTE;
}

export function accessTimes(input: {
  start: Date;
  end: Date;
  bookedAt: Date;
  /** Nobody has the room in the minutes before the start. */
  roomFreeBefore: boolean;
  capabilities: { granularityMinutes: number; endEnforced: boolean };
}): AccessTimes {
  const { start, end, bookedAt, capabilities } = input;
  const before = (minutes: number): Date => new Date(start.getTime() - minutes * MINUTE);
  const later = (a: Date, b: Date): Date => (a > b ? a : b);
  const early = input.roomFreeBefore && capabilities.granularityMinutes <= settings.pinLeadMinutes;
  return {
    requestAt: later(bookedAt, before(settings.requestLeadMinutes)),
    releaseAt: mailIsImmediate(start, bookedAt) ? bookedAt : before(settings.releaseLeadMinutes),
    worksFrom: early ? before(settings.pinLeadMinutes) : start,
    worksUntil: capabilities.endEnforced ? end : new Date(start.getTime() + ONE_TIME_LIFE),
  };
}

/** How often a new code may be made (decisions T-53; igloohome: 3 hourly, 5 one-time codes per window). */
export function regenerateLimits(mode: AccessMode): { codesPerBooking: number; secondsBetweenCodes: number } {
  const codes: Readonly<Record<AccessMode, number>> = { bridge: 20, hourly: 3, onetime: 5 };
  return { codesPerBooking: codes[mode], secondsBetweenCodes: 30 };
}

/** A test code holds from the hour that runs now until 7 pm in Sydney, tomorrow's when today's is less than an hour away (spec section 9). */
export function testPinWindow(now: Date): { startsAt: Date; endsAt: Date } {
  const startsAt = new Date(Math.floor(now.getTime() / HOUR) * HOUR);
  const sevenPm = (daysAhead: number): Date | null => slotStart(addDays(studioDate(now), daysAhead), 19);
  const today = sevenPm(0);
  const endsAt = today !== null && today.getTime() - now.getTime() >= HOUR ? today : sevenPm(1);
  if (endsAt === null) throw new RangeError('there is no 7 pm');
  return { startsAt, endsAt };
}

/** When the code mail of a test booking is due: 15 minutes before the start, at once when that is no longer ahead (spec section 9; decisions T-56). */
export function testMailSchedule(start: Date, now: Date): { status: 'pending' | 'pending_immediate'; at: Date } {
  const at = new Date(start.getTime() - settings.releaseLeadMinutes * MINUTE);
  return at <= now ? { status: 'pending_immediate', at: now } : { status: 'pending', at };
}
