import { bookingDocument as contract } from '#contracts/bookings/booking-document.ts';
import { readDocuments } from '#server/operations/exports/booking-document.ts';
import { readCalendarFile } from '#server/operations/mails/calendar-file.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { documentFile, fileResponse } from '../responses.ts';

export const bookingDocument = defineHandler(contract, async (services, { caller, body }) => {
  const { bookingId, format } = body;
  const own = { bookingId, userId: signedIn(caller).userId };
  return format === 'ics'
    ? fileResponse(await readCalendarFile(services, own), 'text/calendar; charset=utf-8', 'booking.ics')
    : documentFile(await readDocuments(services, own), format);
});
