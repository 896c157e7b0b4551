import {
  type LightsAllowed,
  lightsAllowed,
  lightsWindow,
  type RoomUse,
  type SessionHours,
} from '#rules/business/session.ts';
import { constants } from '#rules/venue.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Power } from '#server/providers/ports.ts';
import { callJson } from '../core/call-sql.ts';
import { requireConfirmed } from '../core/require-confirmed.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { setLights } from './switch-power.ts';
import type { Services } from '../core/services.ts';

/** What the customer of a booking may see of its room now. `lights`: whether the room has lights that can be switched. */
type SessionRoom = {
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  readonly lights: boolean;
  /** Whether the room is booked in the hour after the session. */
  readonly followed: boolean;
};

/** `on`: null if the plug does not answer. */
type SessionLights = { readonly on: boolean | null; readonly allowed: LightsAllowed };

/** What `private.session_room()` returns. */
type RoomNow = RoomUse & { readonly plug: string; readonly followed: boolean };

/** Reads the room of a booking for its customer. Throws `Refusal`: `not_found`, `not_confirmed`. */
export async function readSession(services: Services, bookingId: string): Promise<SessionRoom> {
  const booking = await requireConfirmed(services.db, bookingId);
  const { plug, followed } = await readRoom(services, bookingId);
  const { studioId, startTime, endTime } = booking;
  return { studioId, startTime, endTime, lights: services.plugs.has(plug), followed };
}

/** Reads whether the lights of a booking's room are on, and how its customer may switch them now. Throws `Refusal` as `switchSessionLights`. */
export async function readSessionLights(services: Services, bookingId: string): Promise<SessionLights> {
  const { power, allowed } = await requireLights(services, bookingId);
  try {
    return { on: await power.isOn(), allowed };
  } catch (error) {
    if (error instanceof ProviderError) return { on: null, allowed };
    throw error;
  }
}

/**
 * Switches the lights of a booking's room for its customer, from some minutes before the session until some minutes after it. `actor`: the
 * account; null for a mailed link. If another session needs the lights in the meantime, they are switched on again. Throws `Refusal`:
 * `not_found`, `not_confirmed`, `not_configured` without a plug, `too_early` before and `session_ended` after, `lights_in_use`,
 * `provider_unavailable`.
 */
export async function switchSessionLights(
  services: Services,
  { bookingId, on }: { readonly bookingId: string; readonly on: boolean },
  actor: string | null,
): Promise<SessionLights> {
  const { plug, power, allowed } = await requireLights(services, bookingId);
  if (!(on ? allowed.on : allowed.off)) throw inUse();
  await setLights(services, { plug, power, on }, { actor, bookingId });
  if (on) return { on, allowed };
  // Another session may have started to need the lights while the plug was switching. Its own job has already run, so switch the lights on
  // again.
  const now = await requireLights(services, bookingId);
  if (now.allowed.off) return { on, allowed: now.allowed };
  await setLights(services, { plug, power, on: true }, { actor, bookingId });
  throw inUse();
}

const inUse = (): Refusal =>
  new Refusal('lights_in_use', 'Someone else needs these lights now, so they stay as they are.');

async function requireLights(
  services: Services,
  bookingId: string,
): Promise<{ readonly plug: string; readonly power: Power; readonly allowed: LightsAllowed }> {
  const booking = await requireConfirmed(services.db, bookingId);
  const room = await readRoom(services, bookingId);
  const power = services.plugs.get(room.plug);
  if (power === undefined) throw new Refusal('not_configured', 'The lights of this room can’t be switched from here.');
  const now = services.clock();
  const session = toHours(booking);
  const near = lightsWindow(session);
  if (now < near.start)
    throw new Refusal(
      'too_early',
      `You can switch the lights from ${constants.lightsBeforeMinutes} minutes before your session.`,
    );
  if (now >= near.end) throw new Refusal('session_ended', 'Your session has ended.');
  return { plug: room.plug, power, allowed: lightsAllowed(session, room, now) };
}

const toHours = ({ startTime, endTime }: BookingFacts): SessionHours => ({
  start: startTime,
  end: endTime,
});

async function readRoom({ db, clock }: Services, bookingId: string): Promise<RoomNow> {
  const before = `${constants.lightsBeforeMinutes} minutes`;
  const args = { p_booking: bookingId, p_now: clock(), p_before: before };
  const room = await callJson(db, 'session_room', args, (json: RoomNow) => json);
  if (room === null) throw new Refusal('not_found', 'Booking not found');
  return room;
}
