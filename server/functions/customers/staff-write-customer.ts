import { staffWriteCustomer as contract } from '#contracts/customers/staff-write-customer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { writeCustomer } from '#server/operations/customers/write.ts';
import { accepted, defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffWriteCustomer = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    await writeCustomer(booking, body, actorOf(caller));
    return accepted({ queued: true });
  },
);
