import type { LightsAllowed } from '#rules/business/session.ts';
import { callFunction } from '#web/data/fetch-client.ts';

/** A booking during its session. `token` comes from the mailed link. */
export type RoomSession = {
  readonly id: string;
  readonly token: string | null;
  readonly start: Date;
  readonly end: Date;
};

/** What the server says of the room now. `lights`: whether they can be switched; `followed`: whether somebody has the room next. */
export type SessionRoom = { readonly studioId: string; readonly lights: boolean; readonly followed: boolean };
/** `on`: null when the plug does not answer. */
export type SessionLights = { readonly on: boolean | null; readonly allowed: LightsAllowed };

/** What a further hour costs. `payUntil`: until when it would be held for the payment; without it nothing is to be paid. */
export type ExtensionQuote = { readonly differenceCents: number; readonly payUntil?: string };
type Extended = { readonly url?: string; readonly waitsUntil?: string };

/** Reads the room of a session. Throws `AppError`. */
export const readRoom = ({ id, token }: RoomSession): Promise<SessionRoom> =>
  callFunction('session-room', { bookingId: id, token });

/** Reads the lights, or with `on` switches them. Throws `AppError`. */
export const askLights = ({ id, token }: RoomSession, on: boolean | null): Promise<SessionLights> =>
  callFunction('session-lights', { bookingId: id, token, on });

const oneMore = ({ id, end }: RoomSession) => ({ bookingId: id, hours: 1, from: end.toISOString() });

/** Asks what a further hour costs. Refused with `slot_taken` or `slot_closed` where it is not free. Throws `AppError`. */
export const quoteExtension = (session: RoomSession): Promise<ExtensionQuote> =>
  callFunction('extend-booking', { ...oneMore(session), preview: true });

/**
 * Adds the hour at the price on the screen. Returns the address of the pay page, '' when nothing is to be paid, null while the provider has not
 * answered. A saved card belongs here: with one, the server charges it and answers without an address. Throws `AppError`.
 */
export async function extend(session: RoomSession, differenceCents: number): Promise<string | null> {
  const answer = await callFunction<Extended>('extend-booking', { ...oneMore(session), differenceCents });
  return answer.waitsUntil === undefined ? '' : (answer.url ?? null);
}
