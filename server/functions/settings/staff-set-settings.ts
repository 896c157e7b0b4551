import { staffSetSettings as contract } from '#contracts/settings/staff-set-settings.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { setSettings } from '#server/operations/settings/set-settings.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffSetSettings = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => ({
    settings: await setSettings(booking, body, actorOf(caller)),
  }),
);
