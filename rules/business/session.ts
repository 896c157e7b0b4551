import { constants } from '../venue.ts';

const MINUTE = 60_000;

/** A booking's hours as instants. */
export type SessionHours = { readonly start: Date; readonly end: Date };

/** Returns when the lights of a session are on automatically: from some minutes before it until some minutes after it. */
export const lightsWindow = ({ start, end }: SessionHours): SessionHours => ({
  start: new Date(start.getTime() - constants.lightsBeforeMinutes * MINUTE),
  end: new Date(end.getTime() + constants.lightsAfterMinutes * MINUTE),
});

/**
 * Whether another booking needs the room or its lights now. A booking counts from the minutes before its start until its end. `roomInUse`:
 * a booking of this room; `lightsInUse`: a booking of any room on the same plug.
 */
export type RoomUse = { readonly roomInUse: boolean; readonly lightsInUse: boolean };

/** Whether a customer may switch the lights on and off now. */
export type LightsAllowed = { readonly on: boolean; readonly off: boolean };

/**
 * Decides whether the customer of a session may switch its lights on and off. During the minutes before and after the session they can be
 * switched on only while the room is not in use. Lights that another session needs stay on, so that no customer is left in the dark.
 */
export function lightsAllowed(session: SessionHours, { roomInUse, lightsInUse }: RoomUse, now: Date): LightsAllowed {
  const near = lightsWindow(session);
  if (now < near.start || now >= near.end) return { on: false, off: false };
  const running = now >= session.start && now < session.end;
  return { on: running || !roomInUse, off: !lightsInUse };
}

/** `quiet`: no booking follows; `loud`: another booking follows. */
export type EndWarning = { readonly minutes: number; readonly tone: 'quiet' | 'loud' };

/** Minutes before its end at which a session is warned. If another booking follows, the room has to be empty in time, so the warning is repeated. */
const QUIET = [10] as const;
const LOUD = [10, 5, 2] as const;

/** Returns the latest warning of a session’s end that is due. Null before the first warning and after the end. */
export function endWarning({ start, end }: SessionHours, followed: boolean, now: Date): EndWarning | null {
  const remainingMs = end.getTime() - now.getTime();
  if (remainingMs <= 0 || now < start) return null;
  const due = (followed ? LOUD : QUIET).findLast((minutes) => remainingMs <= minutes * MINUTE);
  return due === undefined ? null : { minutes: due, tone: followed ? 'loud' : 'quiet' };
}
