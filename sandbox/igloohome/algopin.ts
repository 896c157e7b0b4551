import { createHmac } from 'node:crypto';
import { readDate, type WrittenDate } from './dates.ts';
import { type Code, DAY, HOUR } from './lock-rules.ts';

export const algopinKinds = ['onetime', 'hourly', 'daily', 'permanent'] as const;
export type AlgopinKind = (typeof algopinKinds)[number];
export type Algopin = Omit<Code, 'used'> & { readonly variance: number };

const VARIANCE_MAX: Readonly<Record<AlgopinKind, number>> = { onetime: 5, hourly: 3, daily: 3, permanent: 3 };
export const ACCESS_NAME_MAX = 60;
const DEVICE_KEY = 'sandbox device key';

/**
 * Computes the code that a lock would compute for this request, or returns the message of a 400. `now` is real time in milliseconds,
 * because the vendor checks the start against its own clock, not the sandbox clock.
 */
export function readAlgopin(
  lockId: string,
  kind: AlgopinKind,
  body: Readonly<Record<string, unknown>>,
  now: number,
): Algopin | string {
  const { variance, accessName } = body;
  const most = VARIANCE_MAX[kind];
  if (typeof variance !== 'number' || !Number.isInteger(variance) || variance < 1 || variance > most)
    return `variance must be a whole number from 1 to ${most}`;
  if (typeof accessName !== 'string' || accessName === '' || accessName.length > ACCESS_NAME_MAX)
    return `accessName is needed, at most ${ACCESS_NAME_MAX} characters`;
  const start = readDate(body['startDate'], 'hours');
  if (!start) return 'startDate must be YYYY-MM-DDTHH:00:00+hh:mm';
  if (start.time < Math.floor(now / HOUR) * HOUR) return 'startDate is before the current hour';
  const ends = kind === 'hourly' || kind === 'daily';
  if (!ends && body['endDate'] !== undefined) return `endDate is not allowed for ${kind}`;
  const end = ends ? readDate(body['endDate'], 'hours') : null;
  if (ends && !end) return 'endDate must be YYYY-MM-DDTHH:00:00+hh:mm';
  const wrongLength = end && (kind === 'hourly' ? hourlyFault(start, end) : dailyFault(start, end));
  if (wrongLength) return wrongLength;
  const endsAt = kind === 'onetime' ? start.time + DAY : (end?.time ?? null);
  const pin = computePin(lockId, kind, start.time, end?.time ?? null, variance);
  return { pin, kind, startsAt: start.time, endsAt, name: accessName, variance };
}

function hourlyFault(start: WrittenDate, end: WrittenDate): string | null {
  const hours = (end.time - start.time) / HOUR;
  return hours >= 1 && hours <= 672 ? null : 'endDate must be 1 to 672 hours after startDate';
}

/** Returns the fault of a daily code's dates, or null. Counts days in local time, where a day can have 23 or 25 hours. */
function dailyFault(start: WrittenDate, end: WrittenDate): string | null {
  if (start.clock !== end.clock) return 'endDate must be at the same time of day as startDate';
  const days = (end.wall - start.wall) / DAY;
  return days >= 29 && days <= 367 ? null : 'endDate must be 29 to 367 days after startDate';
}

/** Computes nine digits. The same lock, kind, times and variance always give the same digits, as on real locks. */
function computePin(lockId: string, kind: AlgopinKind, start: number, end: number | null, variance: number): string {
  const key = createHmac('sha256', DEVICE_KEY).update(lockId).digest();
  const digest = createHmac('sha256', key)
    .update(`${kind}|${start}|${end ?? ''}|${variance}`)
    .digest();
  return String(100_000_000 + (digest.readUIntBE(0, 6) % 900_000_000));
}
