import { staffBookingDocument as contract } from '#contracts/staff-bookings/staff-booking-document.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readDocuments } from '#server/operations/exports/booking-document.ts';
import { defineHandler } from '../handler.ts';
import { documentFile } from '../responses.ts';

export const staffBookingDocument = defineHandler(
  contract,
  async ({ booking }: { booking: BookingContext }, { body: { bookingId, format } }) =>
    documentFile(await readDocuments(booking, { bookingId, userId: null }), format),
);
