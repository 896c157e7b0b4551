import { generateAccessCode as contract } from '#contracts/access/generate-access-code.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { ensureCode } from '#server/operations/access/issue-first-code.ts';
import { recordView } from '#server/operations/access/record-view.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { readonly booking: BookingContext; readonly access: AccessContext };

export const generateAccessCode = defineHandler(contract, async (context: Context, { caller, body: { bookingId } }) => {
  const { userId } = signedIn(caller);
  await readOwnBooking(context.booking, userId, bookingId);
  const access = await ensureCode(context.access, bookingId);
  await recordView(context.access, access, null);
  return {
    pinCode: access.pin,
    pinId: access.pinId,
    held: access.held,
    releaseAt: access.releaseAt.toISOString(),
    worksFrom: access.worksFrom.toISOString(),
    worksUntil: access.worksUntil.toISOString(),
  };
});
