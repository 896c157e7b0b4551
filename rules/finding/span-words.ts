import {
  addDays,
  dayBounds,
  daysBetween,
  formatStudioDate,
  formatStudioTime,
  studioDate,
  studioHour,
  type StudioDate,
} from '../studio-time.ts';

/** A start at this hour or later is in the evening. */
const EVENING = 17;
/** An end at or before this hour of the next day belongs to the night before. */
const MORNING = 9;
/** A start before this hour is early in the day. */
const EARLY = 5;

/**
 * Describes hours in everyday words, relative to a day: "7 pm to 10 pm tonight", "9 pm to 2 am, Fri night", "all day Saturday", "midnight
 * to 3 am, early Sat 5 Dec". Times are Sydney's.
 */
export function describeSpan(start: Date, end: Date, today: StudioDate): string {
  const date = studioDate(start);
  const day = dayBounds(date);
  if (start.getTime() === day.start.getTime() && end.getTime() === day.end.getTime())
    return `all day ${nameOfDay(date, today, 'whole')}`;
  const times = `${clockWord(start)} to ${clockWord(end)}`;
  const hour = studioHour(start);
  if (end > day.end) {
    const endDate = studioDate(end);
    const isNight = hour >= EVENING && endDate === addDays(date, 1) && end <= toInstant(endDate, MORNING);
    if (isNight) return date === today ? `${times} tonight` : `${times}, ${describeNight(date, today)}`;
    return `${clockWord(start)} ${nameOfDay(date, today)} to ${clockWord(end)} ${nameOfDay(endDate, today)}`;
  }
  if (hour < EARLY && end <= toInstant(date, MORNING)) return `${times}, early ${nameOfDay(date, today)}`;
  if (date === today) return `${times} ${hour >= EVENING ? 'tonight' : 'today'}`;
  return date === addDays(today, 1) ? `${times} tomorrow` : `${times}, ${nameOfDay(date, today)}`;
}

const clockWord = (at: Date): string => {
  const time = formatStudioTime(at);
  return time === '12 am' ? 'midnight' : time;
};

/** An hour of a day that exists on every day. */
const toInstant = (date: StudioDate, hour: number): Date => {
  const { end } = dayBounds(date);
  return new Date(end.getTime() - (24 - hour) * 3_600_000);
};

function describeNight(date: StudioDate, today: StudioDate): string {
  if (date === addDays(today, 1)) return 'tomorrow night';
  const weekday = formatStudioDate(date, 'medium').slice(0, 3);
  return isNear(date, today) ? `${weekday} night` : `${weekday} night, ${dayAndMonth(date, today)}`;
}

/**
 * Names a day relative to `today`: "today", "tomorrow", "Sat" within the week (`whole`: "Saturday"), otherwise "Sat 5 Dec", with the year
 * if it is another year.
 */
function nameOfDay(date: StudioDate, today: StudioDate, weekday: 'short' | 'whole' = 'short'): string {
  if (date === today) return 'today';
  if (date === addDays(today, 1)) return 'tomorrow';
  const name = formatStudioDate(date, 'long').split(' ')[0] ?? '';
  const short = name.slice(0, 3);
  if (!isNear(date, today)) return `${short} ${dayAndMonth(date, today)}`;
  return weekday === 'whole' ? name : short;
}

const isNear = (date: StudioDate, today: StudioDate): boolean => {
  const days = daysBetween(today, date);
  return days >= 0 && days < 7;
};

const dayAndMonth = (date: StudioDate, today: StudioDate): string =>
  `${formatStudioDate(date, 'short')}${date.slice(0, 4) === today.slice(0, 4) ? '' : ` ${date.slice(0, 4)}`}`;
