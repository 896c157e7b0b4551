import { z } from 'zod';
import { callFunction } from '#web/data/fetch-client.ts';

/** An invitation with its link, which the server shows once. */
export type CrewLink = { readonly url: string; readonly inviteId: string };

/** Invites one more guest; `requestId` is the same for a repeat of a call whose answer was lost. Throws `AppError`. */
export function inviteGuest(bookingId: string, requestId: string): Promise<CrewLink> {
  return callFunction('crew-invite', { bookingId, requestId });
}

/** Makes another link for an invitation; the one before leads nowhere. Throws `AppError`. */
export function renewLink(bookingId: string, inviteId: string): Promise<CrewLink> {
  return callFunction('crew-invite', { bookingId, inviteId });
}

/** Takes an invitation back. `sawShared`: the guest has seen digits that still open the door. Throws `AppError`. */
export function takeBack(inviteId: string): Promise<{ readonly sawShared: boolean }> {
  return callFunction('crew-revoke', { inviteId });
}

/** Makes a new code of the booking, for everybody who uses it. Throws `AppError`. */
export function makeNewPin(bookingId: string): Promise<unknown> {
  return callFunction('regenerate-pin', { booking_id: bookingId });
}

const instant = z.coerce.date();
const pageSchema = z.object({
  state: z.enum(['invited', 'joined']),
  name: z.string().nullable(),
  /** First name of who invites; may be empty. */
  host: z.string(),
  booking: z.object({ studioName: z.string(), startTime: instant, endTime: instant }),
  arrivalNotes: z.string(),
  termsVersion: z.string(),
  /** null until the guest has joined. `own`: the digits are for this guest only. */
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
      mode: z.enum(['bridge', 'hourly', 'onetime']),
      singleUse: z.boolean(),
    })
    .nullable(),
});
/** What a guest's link shows. */
export type GuestPage = z.output<typeof pageSchema>;
export type GuestAccess = NonNullable<GuestPage['access']>;

const callPage = async (name: string, body: Record<string, unknown>): Promise<GuestPage> =>
  pageSchema.parse(await callFunction(name, body));

/** Reads the page of a guest's link. Throws `AppError`. */
export const readGuestPage = (token: string): Promise<GuestPage> => callPage('crew-page', { token });

/** Joins with a first name and the version of the terms that was shown. Throws `AppError`. */
export const joinCrew = (token: string, name: string, termsVersion: string): Promise<GuestPage> =>
  callPage('crew-join', { token, name, termsVersion });

/** Makes another code after one was used. Throws `AppError`. */
export const makeGuestCode = (token: string): Promise<GuestPage> => callPage('crew-code', { token });
