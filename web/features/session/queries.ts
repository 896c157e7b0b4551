import type { CardProblem } from '#web/data/account/saved-cards.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';

/** A booking during its session. `token` comes from the mailed link. */
export type RoomSession = {
  readonly id: string;
  readonly token: string | null;
  readonly start: Date;
  readonly end: Date;
};

/** The state of the room now. `lights`: whether they can be switched. `followed`: whether another booking follows. */
export type SessionRoom = CallAnswer<'session-room'>;
/** The state of the lights. `on` is null if the plug does not answer. */
export type SessionLights = CallAnswer<'session-lights'>;

/** The price of another hour. */
export type ExtensionQuote = CallAnswer<'extend-booking'>;
/**
 * The address at which the hour has to be paid: '' if it was added, null until the provider has answered. `problem`: why the saved card did
 * not pay.
 */
export type Extended = { readonly url: string | null; readonly problem?: CardProblem };

/** Reads the room of a session. Throws `AppError`. */
export const readRoom = ({ id, token }: RoomSession): Promise<SessionRoom> =>
  callFunction('session-room', { bookingId: id, token });

/** Reads the lights, or switches them if `on` is not null. Throws `AppError`. */
export const askLights = ({ id, token }: RoomSession, on: boolean | null): Promise<SessionLights> =>
  callFunction('session-lights', { bookingId: id, token, on });

const oneMore = ({ id, end }: RoomSession) => ({ bookingId: id, hours: 1, from: end.toISOString() });

/** Requests the price of another hour. The refusals `slot_taken` and `slot_closed` mean that it is not free. Throws `AppError`. */
export const quoteExtension = (session: RoomSession): Promise<ExtensionQuote> =>
  callFunction('extend-booking', { ...oneMore(session), preview: true });

/**
 * Adds the hour at the price on the screen. `card`: the saved card that pays at once, or null for the pay page. Idempotent: a repeated call
 * neither adds nor charges the hour twice. Throws `AppError`.
 */
export async function extend(
  session: RoomSession,
  { differenceCents, card }: { readonly differenceCents: number; readonly card: string | null },
): Promise<Extended> {
  const paying = card === null ? {} : { card };
  const answer = await callFunction('extend-booking', { ...oneMore(session), differenceCents, ...paying });
  if (answer.waitsUntil === undefined) return { url: '' };
  return { url: answer.url ?? null, ...(answer.cardProblem && { problem: answer.cardProblem }) };
}
