import { crewRevoke as contract } from '#contracts/crew/crew-revoke.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { revokeCrew } from '#server/operations/crew/links.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const crewRevoke = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    const { userId } = signedIn(caller);
    const { sawShared } = await revokeCrew(booking, { userId, ...body });
    return { revoked: true as const, sawShared };
  },
);
