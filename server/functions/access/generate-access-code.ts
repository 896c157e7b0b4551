import { generateAccessCode as contract } from '#contracts/access/generate-access-code.ts';
import { ensureCode } from '#server/operations/access/issue-first-code.ts';
import { recordView } from '#server/operations/access/record-view.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const generateAccessCode = defineHandler(contract, async (services, { caller, body: { bookingId } }) => {
  const { userId } = signedIn(caller);
  await readOwnBooking(services, userId, bookingId);
  const access = await ensureCode(services, bookingId);
  await recordView(services, access, null);
  return {
    pinCode: access.pin,
    pinId: access.pinId,
    held: access.held,
    releaseAt: access.releaseAt.toISOString(),
    worksFrom: access.worksFrom.toISOString(),
    worksUntil: access.worksUntil.toISOString(),
  };
});
