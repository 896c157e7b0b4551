import type { StudioDate } from '#rules/studio-time.ts';

/** How many hours of a day are free; undefined while that is unknown. */
export type FreeDays = ReadonlyMap<StudioDate, number> | undefined;

/** Returns what a screen reader adds to a day: ", 5 hours free"; nothing while that is unknown. */
export function freeWords(hours: number | undefined): string {
  if (hours === undefined) return '';
  const whole = Math.floor(hours);
  return whole === 0 ? ', no hours free' : `, ${whole} ${whole === 1 ? 'hour' : 'hours'} free`;
}
