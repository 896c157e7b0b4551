import { staffBookingDocument as contract } from '#contracts/staff-bookings/staff-booking-document.ts';
import { readDocuments } from '#server/operations/exports/booking-document.ts';
import { defineHandler } from '../handler.ts';
import { documentFile } from '../responses.ts';

export const staffBookingDocument = defineHandler(contract, async (services, { body: { bookingId, format } }) =>
  documentFile(await readDocuments(services, { bookingId, userId: null }), format),
);
