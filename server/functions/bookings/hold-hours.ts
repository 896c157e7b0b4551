import { holdHours as contract } from '#contracts/bookings/hold-hours.ts';
import { holdEarly } from '#server/operations/customers/hold-early.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const holdHours = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  const heldUntil = await holdEarly(services, { userId, address: caller.ip, ...body });
  return { heldUntil: heldUntil.toISOString() };
});
