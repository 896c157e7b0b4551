import { type Slot, slotClosed, slotTaken } from '#rules/slots.ts';
import { formatStudioTime, slotEnd, slotStart, type StudioDate } from '#rules/studio-time.ts';
import type { Taken } from './taken.ts';

/** Hours of a day that other customers took or released. */
export type HourNews = { readonly taken: readonly number[]; readonly freed: readonly number[] };
export const NO_NEWS: HourNews = { taken: [], freed: [] };

/** Compares two answers for a day. Ignores the customer's own bookings and hours that have passed. */
export function compareHours(
  date: StudioDate,
  before: readonly Taken[],
  after: readonly Taken[],
  now: Date,
  horizonDays: number,
): HourNews {
  const others = (list: readonly Taken[]): Taken[] => list.filter((span) => !span.mine);
  const [then, since] = [others(before), others(after)];
  const hours = Array.from({ length: 24 }, (_, hour): Slot => ({ date, hour })).filter(
    (slot) => slotClosed(slot, now, horizonDays) === null,
  );
  const pick = (from: readonly Taken[], to: readonly Taken[]): number[] =>
    hours.filter((slot) => !slotTaken(slot, from) && slotTaken(slot, to)).map(({ hour }) => hour);
  return {
    taken: pick(then, since),
    // Hours that the customer took over from another booking are not free.
    freed: pick(since, then).filter((hour) => !slotTaken({ date, hour }, after)),
  };
}

/** Adds later news to earlier news. An hour that was taken and released in between is left out. */
export function addNews(before: HourNews, next: HourNews): HourNews {
  const join = (old: readonly number[], undone: readonly number[], added: readonly number[], gone: readonly number[]) =>
    [...old.filter((hour) => !undone.includes(hour)), ...added.filter((hour) => !gone.includes(hour))].toSorted(
      (a, b) => a - b,
    );
  return {
    taken: join(before.taken, next.freed, next.taken, before.freed),
    freed: join(before.freed, next.taken, next.freed, before.taken),
  };
}

/** Describes news: "Just taken: 7 pm to 9 pm. Free again: 11 pm to 12 am." Empty if there are none. */
export function describeNews(date: StudioDate, { taken, freed }: HourNews): string {
  const sentences = [
    taken.length > 0 ? `Just taken: ${nameHours(date, taken)}.` : '',
    freed.length > 0 ? `Free again: ${nameHours(date, freed)}.` : '',
  ];
  return sentences.filter((text) => text !== '').join(' ');
}

/** Formats hours as a list of spans, in order. */
function nameHours(date: StudioDate, hours: readonly number[]): string {
  const spans: { start: Date; end: Date }[] = [];
  for (const hour of hours) {
    const start = slotStart(date, hour);
    if (start === null) continue;
    const last = spans.at(-1);
    if (last?.end.getTime() === start.getTime()) last.end = slotEnd(date, hour);
    else spans.push({ start, end: slotEnd(date, hour) });
  }
  return spans.map(({ start, end }) => `${formatStudioTime(start)} to ${formatStudioTime(end)}`).join(', ');
}
