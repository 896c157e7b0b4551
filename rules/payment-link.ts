import { constants } from './venue.ts';

/**
 * Returns until when hours are held for a customer who received a payment link: for `constants.linkHoldMinutes` (a day), but no later than
 * `constants.linkLeadMinutes` (an hour) before the start. Null if that is less than `holdMinutes`, the length of an ordinary hold.
 */
export function linkHoldEnd(start: Date, now: Date, holdMinutes: number): Date | null {
  const end = Math.min(
    now.getTime() + constants.linkHoldMinutes * 60_000,
    start.getTime() - constants.linkLeadMinutes * 60_000,
  );
  return end < now.getTime() + holdMinutes * 60_000 ? null : new Date(end);
}

/** The minimum number of minutes that a customer who pays at once needs. */
const SHORTEST_PAYMENT_MINUTES = 2;

type Span = { readonly studioId: string; readonly start: Date; readonly end: Date };

/**
 * Returns until when the new hours of a booking are held for a customer who received a link to pay the difference. If room or start change,
 * the rules of `linkHoldEnd` apply to the earlier of both starts. If only the end changes, the difference can be paid until the earlier of
 * both ends. Null if that is less than `holdMinutes`.
 */
export function moveHoldEnd(from: Span, to: Span, now: Date, holdMinutes: number): Date | null {
  const keepsStart = from.studioId === to.studioId && from.start.getTime() === to.start.getTime();
  if (!keepsStart) return linkHoldEnd(from.start < to.start ? from.start : to.start, now, holdMinutes);
  const end = Math.min(now.getTime() + constants.linkHoldMinutes * 60_000, from.end.getTime(), to.end.getTime());
  return end < now.getTime() + holdMinutes * 60_000 ? null : new Date(end);
}

/**
 * Returns until when the new hours of a booking are held for a customer who pays the difference at once: for `holdMinutes`, as for a new
 * booking, but no later than the old start, or the earlier of both ends if only the end changes. Null if that leaves too little time to
 * pay.
 */
export function ownMoveHoldEnd(from: Span, to: Span, now: Date, holdMinutes: number): Date | null {
  const keepsStart = from.studioId === to.studioId && from.start.getTime() === to.start.getTime();
  const last = keepsStart ? Math.min(from.end.getTime(), to.end.getTime()) : from.start.getTime();
  const end = Math.min(now.getTime() + holdMinutes * 60_000, last);
  return end < now.getTime() + SHORTEST_PAYMENT_MINUTES * 60_000 ? null : new Date(end);
}
