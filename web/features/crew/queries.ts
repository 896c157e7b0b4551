import { z } from 'zod';
import { ACCESS_MODES } from '#rules/access.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';

/** An invitation with its link. The server returns the link only once. */
export type CrewLink = CallAnswer<'crew-invite'>;

/** Invites another guest. `requestId` must be the same when a call is repeated because its answer was lost. Throws `AppError`. */
export function inviteGuest(bookingId: string, requestId: string): Promise<CrewLink> {
  return callFunction('crew-invite', { bookingId, requestId });
}

/** Creates a new link for an invitation. The previous link stops working. Throws `AppError`. */
export function renewLink(bookingId: string, inviteId: string): Promise<CrewLink> {
  return callFunction('crew-invite', { bookingId, inviteId });
}

/** Withdraws an invitation. `sawShared`: the guest has seen a code that still opens the door. Throws `AppError`. */
export function takeBack(inviteId: string): Promise<CallAnswer<'crew-revoke'>> {
  return callFunction('crew-revoke', { inviteId });
}

/** Makes a new code for the booking, for everyone who uses it. Throws `AppError`. */
export function makeNewPin(bookingId: string): Promise<unknown> {
  return callFunction('regenerate-pin', { booking_id: bookingId });
}

const instant = z.coerce.date();
const pageSchema = z.object({
  state: z.enum(['invited', 'joined']),
  name: z.string().nullable(),
  /** The first name of the host; may be empty. */
  host: z.string(),
  booking: z.object({ studioName: z.string(), startTime: instant, endTime: instant }),
  arrivalNotes: z.string(),
  termsVersion: z.string(),
  /** Null until the guest has joined. `own`: the code is for this guest only. */
  access: z
    .object({
      own: z.boolean(),
      pin: z.string().nullable(),
      held: z.boolean(),
      releaseAt: instant,
      worksFrom: instant,
      worksUntil: instant,
      nextCodeAt: instant.nullable(),
      openedAt: z.coerce.date().nullable(),
      codesLeft: z.number(),
      /** -1 if the server runs version 0.2.0, which does not send the field. */
      codesPerBooking: z.number().default(-1),
      mode: z.enum(ACCESS_MODES),
      singleUse: z.boolean(),
    })
    .nullable(),
});
/** The content of a guest's page. */
export type GuestPage = z.output<typeof pageSchema>;
export type GuestAccess = NonNullable<GuestPage['access']>;

/** Reads the page of a guest's link. Throws `AppError`. */
export const readGuestPage = async (token: string): Promise<GuestPage> =>
  pageSchema.parse(await callFunction('crew-page', { token }));

/** Joins with a first name and the version of the terms that was shown. Throws `AppError`. */
export const joinCrew = async (token: string, name: string, termsVersion: string): Promise<GuestPage> =>
  pageSchema.parse(await callFunction('crew-join', { token, name, termsVersion }));

/** Makes another code after one was used. Throws `AppError`. */
export const makeGuestCode = async (token: string): Promise<GuestPage> =>
  pageSchema.parse(await callFunction('crew-code', { token }));
