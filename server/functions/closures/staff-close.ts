import { staffClose as contract } from '#contracts/closures/staff-close.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffClose = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => ({
    closureId: await closeHours(booking, body, actorOf(caller)),
  }),
);
