import type { CardProblem } from '#web/data/account/saved-cards.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';

/** A booking during its session. `token` comes from the mailed link. */
export type RoomSession = {
  readonly id: string;
  readonly token: string | null;
  readonly start: Date;
  readonly end: Date;
};

/** What the server says of the room now. `lights`: whether they can be switched; `followed`: whether somebody has the room next. */
export type SessionRoom = CallAnswer<'session-room'>;
/** `on`: null when the plug does not answer. */
export type SessionLights = CallAnswer<'session-lights'>;

/** What a further hour costs. */
export type ExtensionQuote = CallAnswer<'extend-booking'>;
/** Where the hour is to be paid; '' when it is there, null while the provider has not answered. `problem`: why the saved card did not pay it. */
export type Extended = { readonly url: string | null; readonly problem?: CardProblem };

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
 * Adds the hour at the price on the screen. `card`: the saved card that pays it at once; null: the pay page. The same call again neither adds nor
 * charges it twice. Throws `AppError`.
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
