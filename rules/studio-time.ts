import { tzOffset } from '@date-fns/tz';

/** All wall-clock times are Sydney's, whatever the zone of the process or the browser. */
const STUDIO_ZONE = 'Australia/Sydney';

/** A calendar day in Sydney, 'YYYY-MM-DD'. */
export type StudioDate = string;

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Sydney's offset from UTC in minutes. Cached for each hour because zone look-ups are slow. */
const offsets = new Map<number, number>();
function offsetAt(instant: number): number {
  const hour = Math.floor(instant / HOUR);
  const cached = offsets.get(hour);
  if (cached !== undefined) return cached;
  if (offsets.size > 20_000) offsets.clear();
  const offset = tzOffset(STUDIO_ZONE, new Date(hour * HOUR));
  offsets.set(hour, offset);
  return offset;
}

/** Returns Sydney's wall-clock time in the UTC fields of a date. */
function wallClock(at: Date): Date {
  return new Date(at.getTime() + offsetAt(at.getTime()) * MINUTE);
}

/** Returns Sydney's calendar day at an instant. */
export function studioDate(at: Date): StudioDate {
  return wallClock(at).toISOString().slice(0, 10);
}
/** Returns Sydney's hour at an instant, 0–23. */
export function studioHour(at: Date): number {
  return wallClock(at).getUTCHours();
}
/** Returns Sydney's minute at an instant, 0–59. */
export function studioMinute(at: Date): number {
  return wallClock(at).getUTCMinutes();
}

/** Returns midnight of a day as if it were UTC. Throws RangeError when the text is not a date. */
function midnight(date: StudioDate): number {
  if (!isStudioDate(date)) throw new RangeError(`not a date: ${date}`);
  return Date.parse(`${date}T00:00:00Z`);
}

/** Whether a text is an existing calendar day, YYYY-MM-DD. */
export function isStudioDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  // Date.parse may turn 31 February into 3 March instead of refusing it.
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Returns the day of the week, 0 = Sunday. */
export function getWeekday(date: StudioDate): number {
  return new Date(midnight(date)).getUTCDay();
}
/** Adds calendar days, not 24-hour steps. A negative number goes back. Throws RangeError when the text is not a date. */
export function addDays(date: StudioDate, days: number): StudioDate {
  return new Date(midnight(date) + days * DAY).toISOString().slice(0, 10);
}

/** Returns how many calendar days a day is after another; negative when it is before. Throws RangeError when a text is not a date. */
export function daysBetween(from: StudioDate, to: StudioDate): number {
  return (midnight(to) - midnight(from)) / DAY;
}

/**
 * Returns the instant at which an hour of a day starts. Null if the clocks skip that hour (2 AM on the first Sunday of October). For an
 * hour that comes twice (2 AM on the first Sunday of April), returns the first.
 */
export function slotStart(date: StudioDate, hour: number): Date | null {
  const wall = midnight(date) + hour * HOUR;
  let first: number | null = null;
  for (const offset of new Set([offsetAt(wall - 12 * HOUR), offsetAt(wall + 2 * HOUR)])) {
    const instant = wall - offset * MINUTE;
    if (offsetAt(instant) === offset && (first === null || instant < first)) first = instant;
  }
  return first === null ? null : new Date(first);
}

/** Whether an hour exists. False only for the hour that the clocks skip in October. */
export function hourExists(date: StudioDate, hour: number): boolean {
  return slotStart(date, hour) !== null;
}

/** Returns the start of the next existing hour. In April the 2 AM slot therefore lasts two hours. */
export function slotEnd(date: StudioDate, hour: number): Date {
  for (let ahead = 1; ahead <= 3; ahead += 1) {
    const next = hour + ahead;
    const start = next < 24 ? slotStart(date, next) : slotStart(addDays(date, 1), next - 24);
    if (start) return start;
  }
  throw new RangeError(`no hour follows ${date} ${hour}`);
}

/** Returns the span from one midnight in Sydney to the next. */
export function dayBounds(date: StudioDate): { start: Date; end: Date } {
  const start = slotStart(date, 0);
  const end = slotStart(addDays(date, 1), 0);
  if (!start || !end) throw new RangeError(`no midnight on ${date}`);
  return { start, end };
}

/** Formats an instant or a calendar day: "Saturday 21 November 2026", "Sat 21 Nov 2026", "21 Nov". */
export function formatStudioDate(at: Date | StudioDate, style: 'long' | 'medium' | 'short' = 'long'): string {
  const day = new Date(midnight(typeof at === 'string' ? at : studioDate(at)));
  const month = MONTHS[day.getUTCMonth()] ?? '';
  const weekday = WEEKDAYS[day.getUTCDay()] ?? '';
  const number = day.getUTCDate();
  if (style === 'long') return `${weekday} ${number} ${month} ${day.getUTCFullYear()}`;
  if (style === 'medium') return `${weekday.slice(0, 3)} ${number} ${month.slice(0, 3)} ${day.getUTCFullYear()}`;
  return `${number} ${month.slice(0, 3)}`;
}

/** Formats a time: "6:55 pm", or "7 pm" on the hour. */
export function formatStudioTime(at: Date): string {
  const clock = wallClock(at);
  const hour = clock.getUTCHours();
  const minutes = clock.getUTCMinutes();
  return `${hour % 12 === 0 ? 12 : hour % 12}${minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`} ${hour < 12 ? 'am' : 'pm'}`;
}

/** Formats an instant: "Sat 21 Nov 2026, 6:55 pm", or "21 Nov, 6:55 pm". */
export function formatStudioDateTime(at: Date, style: 'medium' | 'short' = 'medium'): string {
  return `${formatStudioDate(at, style)}, ${formatStudioTime(at)}`;
}

/** Formats a time: "6:55 pm", or with the day ("6:55 pm on Fri 20 Nov 2026") if it is not the day of `near`. */
export function formatTimeNear(at: Date, near: Date): string {
  const day = studioDate(at) === studioDate(near) ? '' : ` on ${formatStudioDate(at, 'medium')}`;
  return `${formatStudioTime(at)}${day}`;
}

/** Formats a date for staff's tables, MMM dd, yyyy: "Nov 05, 2026". */
export function formatRecordDate(at: Date): string {
  const clock = wallClock(at);
  const month = (MONTHS[clock.getUTCMonth()] ?? '').slice(0, 3);
  return `${month} ${String(clock.getUTCDate()).padStart(2, '0')}, ${clock.getUTCFullYear()}`;
}

/** Formats a time for the audit log, MMM dd, yyyy HH:mm:ss: "Nov 05, 2026 19:04:09". */
export function formatRecordTime(at: Date): string {
  return `${formatRecordDate(at)} ${wallClock(at).toISOString().slice(11, 19)}`;
}

/** Formats an instant for programs, as Sydney's wall-clock time with its offset: "2026-11-05T19:04:09+11:00". */
export function formatStudioInstant(at: Date): string {
  const minutes = offsetAt(at.getTime());
  const offset = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return `${wallClock(at).toISOString().slice(0, 19)}+${offset}`;
}

/** Formats a span: "Saturday 21 November 2026, 7 pm to 9 pm". A span past midnight names the second day too. */
export function formatStudioRange(start: Date, end: Date): string {
  const sameDay = studioDate(start) === studioDate(end);
  const until = sameDay ? formatStudioTime(end) : `${formatStudioTime(end)} on ${formatStudioDate(end, 'medium')}`;
  return `${formatStudioDate(start)}, ${formatStudioTime(start)} to ${until}`;
}

/** Formats the hours of a span briefly: "8–10 pm", "11 pm–1 am". A no-break space keeps "pm" on the line of its hour. */
export function formatStudioHours(start: Date, end: Date): string {
  const [from, to] = [formatStudioTime(start), formatStudioTime(end)];
  const hours = `${from.slice(-2) === to.slice(-2) ? from.slice(0, -3) : from}–${to}`;
  return hours.replaceAll(' ', '\u00a0');
}

/** Whether the clocks of a time zone follow the same rules as Sydney's. Tasmania's have done so since 2008. */
export function isSydneyZone(zone: string): boolean {
  return (
    zone === STUDIO_ZONE ||
    zone === 'Australia/Melbourne' ||
    zone === 'Australia/Canberra' ||
    zone === 'Australia/ACT' ||
    zone === 'Australia/NSW' ||
    zone === 'Australia/Victoria' ||
    zone === 'Australia/Hobart' ||
    zone === 'Australia/Tasmania'
  );
}

/** Parses an instant with an offset or Z; null for anything else, because a time without a zone is ambiguous. */
export function parseInstant(text: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text)) return null;
  if (!isStudioDate(text.slice(0, 10))) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time);
}
