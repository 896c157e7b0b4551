import { staffUnblockCustomer as contract } from '#contracts/customers/staff-unblock-customer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { unblockCustomer } from '#server/operations/customers/block.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffUnblockCustomer = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    await unblockCustomer(booking, body.userId, actorOf(caller));
    return { blocked: false as const };
  },
);
