import { addDays, dayBounds, formatStudioTime, studioDate, studioHour, studioMinute } from '#rules/studio-time.ts';

export type ZoneCheck = {
  readonly hours: number;
  /** Instants at which this program's rules and the browser's zone data disagree. */
  readonly differences: readonly string[];
};
const HOUR = 3_600_000;

/** Compares this program's Sydney time with the browser's, hour by hour for a number of days. */
export function compareZones(from: Date, days: number): ZoneCheck {
  const own = new Intl.DateTimeFormat('en-CA', {
    timeZone: 'Australia/Sydney',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const two = (n: number): string => String(n).padStart(2, '0');
  const differences: string[] = [];
  for (let hour = 0; hour < days * 24; hour += 1) {
    const at = new Date(from.getTime() + hour * HOUR);
    const ours = `${studioDate(at)}, ${two(studioHour(at))}:${two(studioMinute(at))}`;
    if (own.format(at) !== ours) differences.push(at.toISOString());
  }
  return { hours: days * 24, differences };
}

/** Returns the days of the next year that do not have 24 hours. */
export function oddDays(today: string): readonly { date: string; hours: number }[] {
  return Array.from({ length: 366 }, (_, ahead) => addDays(today, ahead)).flatMap((date) => {
    const { start, end } = dayBounds(date);
    const hours = (end.getTime() - start.getTime()) / HOUR;
    return hours === 24 ? [] : [{ date, hours }];
  });
}

/** Formats one instant in every time zone concerned. */
export function clocksAt(at: Date, zone: string): readonly { name: string; reads: string }[] {
  const inZone = (timeZone: string): string =>
    at.toLocaleString('en-AU', { timeZone, dateStyle: 'medium', timeStyle: 'medium' });
  return [
    { name: 'UTC', reads: at.toISOString() },
    { name: 'Sydney, by our rules', reads: `${studioDate(at)}, ${formatStudioTime(at)}` },
    { name: 'Sydney, by the browser', reads: inZone('Australia/Sydney') },
    { name: `Here (${zone})`, reads: inZone(zone) },
  ];
}
