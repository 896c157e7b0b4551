import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import { REFUSAL_STATUS } from '#contracts/core/refusals.ts';
import type { Caller, Clock } from '#server/http/caller.ts';
import { forStaff } from '#server/operations/access/choose-digits.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { ensureCode } from '#server/operations/access/issue-first-code.ts';
import { recordView } from '#server/operations/access/record-view.ts';
import { renewCode } from '#server/operations/access/renew-code.ts';
import { PIN_LINK } from '#server/operations/mails/booking-mail.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { hasPermission, type StaffContext } from '#server/operations/staff/require-permission.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import { actorOf, parse } from './requests.ts';
import { describeAccess } from './describe-access.ts';
import type { ServerFunction } from './function.ts';
import { json } from './responses.ts';

const SHOW = { name: 'regenerate-pin-show', max: 120, seconds: 60 };
const RENEW = { name: 'regenerate-pin', max: 20, seconds: 60 };
const inputSchema = z.looseObject({ booking_id: bookingIdField, token: z.string().max(300).nullish() });

/** GET shows the code, POST makes a new one. Allowed for the owner, for staff, and with the signed link of the code mail. */
export function regeneratePin(context: {
  access: AccessContext;
  booking: BookingContext;
  staff: StaffContext;
  links: LinkSigner;
  clock: Clock;
}): ServerFunction {
  /** Returns the account of staff that is not the owner; null for the owner. */
  async function admit(caller: Caller, bookingId: string, token: string | null): Promise<string | null> {
    if (token !== null && context.links.read(PIN_LINK, token, context.clock()) === bookingId) return null;
    if (caller.role === 'anon') throw new Refusal('not_signed_in', 'Please sign in to see your access code.');
    if (await hasPermission(context.staff, caller, 'bookings')) return actorOf(caller);
    await readOwnBooking(context.booking, caller.userId ?? '', bookingId);
    return null;
  }

  return {
    methods: ['GET', 'POST'],
    callers: 'everyone',
    limit: { GET: SHOW, POST: RENEW },
    refuse: (refusal) =>
      json(
        {
          ...refusal.details,
          success: false,
          error: refusal.message,
          code: refusal.code,
          expired: refusal.code === 'session_ended',
        },
        REFUSAL_STATUS[refusal.code],
      ),
    async handle({ request, url, caller, body }) {
      const renewing = request.method === 'POST';
      const given =
        renewing && body !== null && typeof body === 'object' && 'booking_id' in body
          ? body
          : Object.fromEntries(url.searchParams);
      const input = parse(inputSchema, given);
      const staff = await admit(caller, input.booking_id, input.token ?? url.searchParams.get('token'));
      const access = renewing
        ? await renewCode(context.access, input.booking_id, caller.userId).catch((error: unknown) => {
            throw staff === null ? error : forStaff(error);
          })
        : await ensureCode(context.access, input.booking_id);
      if (context.clock().getTime() >= Date.parse(access.booking.endTime))
        throw new Refusal('session_ended', 'Session has ended');
      await recordView(context.access, access, access.booking.userId === staff ? null : staff);
      return json({ success: true, ...describeAccess(access) });
    },
  };
}
