import type { StudioDate } from '#rules/studio-time.ts';

/** The number of free hours on each day; undefined while it is unknown. */
export type FreeDays = ReadonlyMap<StudioDate, number> | undefined;

/** Returns the words that a screen reader adds to a day: ", 5 hours free"; '' while the number is unknown. */
export function freeWords(hours: number | undefined): string {
  if (hours === undefined) return '';
  const whole = Math.floor(hours);
  return whole === 0 ? ', no hours free' : `, ${whole} ${whole === 1 ? 'hour' : 'hours'} free`;
}
