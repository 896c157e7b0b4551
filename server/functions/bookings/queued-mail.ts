import { sendAccessCodeEmail as accessCode } from '#contracts/bookings/send-access-code-email.ts';
import { sendBookingConfirmation as confirmation } from '#contracts/bookings/send-booking-confirmation.ts';
import type { Caller } from '#server/http/caller.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import type { Services } from '#server/operations/core/services.ts';
import { accepted, defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type MailCall = { readonly caller: Caller; readonly body: { readonly bookingId?: string | null | undefined } };

/** Checks that the caller has the booking. Sends nothing, because the mail was queued when the booking was confirmed. */
async function answerQueued(services: Services, { caller, body }: MailCall) {
  await readOwnBooking(services, signedIn(caller).userId, body.bookingId ?? null);
  return accepted({ queued: true as const });
}

export const sendBookingConfirmation = defineHandler(confirmation, answerQueued);
export const sendAccessCodeEmail = defineHandler(accessCode, answerQueued);
