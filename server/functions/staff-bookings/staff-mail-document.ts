import { staffMailDocument as contract } from '#contracts/staff-bookings/staff-mail-document.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { mailDocuments } from '#server/operations/mails/document-mails.ts';
import { accepted, defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffMailDocument = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { caller, body }) => {
    await mailDocuments(booking, body, actorOf(caller));
    return accepted({ queued: true });
  },
);
