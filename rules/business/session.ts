import { constants } from '../venue.ts';

const MINUTE = 60_000;

/** A booking's hours as instants. */
export type SessionHours = { readonly start: Date; readonly end: Date };

/** When the lights of a session are on by themselves: from some minutes before it until some minutes after. */
export const lightsWindow = ({ start, end }: SessionHours): SessionHours => ({
  start: new Date(start.getTime() - constants.lightsBeforeMinutes * MINUTE),
  end: new Date(end.getTime() + constants.lightsAfterMinutes * MINUTE),
});

/**
 * What else needs the room or its lights now: another booking of the room, and one of any room with the same plug, from the minutes before it begins
 * until it ends.
 */
export type RoomUse = { readonly roomInUse: boolean; readonly lightsInUse: boolean };

/** How a customer may switch the lights now. */
export type LightsAllowed = { readonly on: boolean; readonly off: boolean };

/**
 * Decides whether the customer of a session may switch its lights on and off. In the minutes before and after, only while nobody else has the room.
 * Nobody is left in the dark: lights that somebody else needs stay on.
 */
export function lightsAllowed(session: SessionHours, { roomInUse, lightsInUse }: RoomUse, now: Date): LightsAllowed {
  const near = lightsWindow(session);
  if (now < near.start || now >= near.end) return { on: false, off: false };
  const running = now >= session.start && now < session.end;
  return { on: running || !roomInUse, off: !lightsInUse };
}

/** `quiet`: nobody follows; `loud`: somebody has the room next. */
export type EndWarning = { readonly minutes: number; readonly tone: 'quiet' | 'loud' };

/** How many minutes before its end a session is warned of it. With somebody next the room has to be empty in time, so it is repeated. */
const QUIET = [10] as const;
const LOUD = [10, 5, 2] as const;

/** Returns the last warning of a session’s end that is due; null before the first and after the end. */
export function endWarning({ start, end }: SessionHours, followed: boolean, now: Date): EndWarning | null {
  const left = end.getTime() - now.getTime();
  if (left <= 0 || now < start) return null;
  const due = (followed ? LOUD : QUIET).findLast((minutes) => left <= minutes * MINUTE);
  return due === undefined ? null : { minutes: due, tone: followed ? 'loud' : 'quiet' };
}
