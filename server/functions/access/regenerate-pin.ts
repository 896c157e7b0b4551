import type { z } from 'zod';
import { pinRequest, regeneratePin as contract } from '#contracts/access/regenerate-pin.ts';
import { REFUSAL_STATUS } from '#contracts/core/refusals.ts';
import type { Caller } from '#server/http/caller.ts';
import { forStaff } from '#server/operations/access/limits.ts';
import { ensureCode } from '#server/operations/access/issue-first-code.ts';
import { recordView } from '#server/operations/access/record-view.ts';
import { renewCode } from '#server/operations/access/renew-code.ts';
import type { BookingAccess } from '#server/operations/access/show-access.ts';
import { PIN_LINK } from '#server/operations/mails/booking-mail.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { hasPermission } from '#server/operations/staff/require-permission.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import type { Services } from '#server/operations/core/services.ts';
import { defineHandler } from '../handler.ts';
import { getActor, parse } from '../requests.ts';
import { json } from '../responses.ts';
import { describeInstants } from '../describe-access.ts';

export const regeneratePin = defineHandler(
  contract,
  async (services, { request, url, caller, body }) => {
    const input = body ?? parse(pinRequest, Object.fromEntries(url.searchParams));
    const staff = await admit(services, caller, input.booking_id, input.token ?? url.searchParams.get('token'));
    const access =
      request.method === 'POST'
        ? await renewCode(services, input.booking_id, caller.userId).catch((error: unknown) => {
            throw staff === null ? error : forStaff(error);
          })
        : await ensureCode(services, input.booking_id);
    if (services.clock() >= access.booking.endTime) throw new Refusal('session_ended', 'Session has ended');
    await recordView(services, access, access.booking.userId === staff ? null : staff);
    return describe(access);
  },
  { refuse },
);

/**
 * Checks the caller's access. Returns the account of a member of staff with the permission `bookings`; null for the customer and for a
 * signed link. Throws `Refusal`.
 */
async function admit(
  services: Services,
  caller: Caller,
  bookingId: string,
  token: string | null,
): Promise<string | null> {
  if (token !== null && services.links.read(PIN_LINK, token, services.clock()) === bookingId) return null;
  if (caller.role === 'anon') throw new Refusal('not_signed_in', 'Please sign in to see your access code.');
  if (await hasPermission(services, caller, 'bookings')) return getActor(caller);
  await readOwnBooking(services, caller.userId ?? '', bookingId);
  return null;
}

function describe(access: BookingAccess): z.input<typeof contract.answer> {
  const { booking, ...code } = access;
  return {
    success: true,
    pin: code.pin,
    pinId: code.pinId,
    held: code.held,
    booking: {
      id: booking.id,
      reference: booking.reference,
      studio_name: booking.studioName,
      start_time: booking.startTime.toISOString(),
      end_time: booking.endTime.toISOString(),
    },
    ...describeInstants(code),
    codesLeft: code.codesLeft,
    codesPerBooking: code.codesPerBooking,
    mode: code.mode,
    singleUse: code.singleUse,
  };
}

function refuse({ code, message, details }: Refusal): Response {
  const refusal = { ...details, success: false, error: message, code, expired: code === 'session_ended' };
  return json(refusal, REFUSAL_STATUS[code]);
}
