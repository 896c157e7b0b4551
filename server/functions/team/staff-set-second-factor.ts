import { staffSetSecondFactor as contract } from '#contracts/team/staff-set-second-factor.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { setSecondFactorRules } from '#server/operations/staff/set-second-factor.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffSetSecondFactor = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    await setSecondFactorRules(booking, body, { actor: actorOf(caller), sessionId: caller.sessionId });
    return { permissions: body.permissions };
  },
);
