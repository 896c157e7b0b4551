import { bookingDocument as contract } from '#contracts/bookings/booking-document.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readDocuments } from '#server/operations/exports/booking-document.ts';
import { readCalendarFile } from '#server/operations/mails/calendar-file.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';
import { documentFile, fileOf } from '../responses.ts';

type Context = { booking: BookingContext };

export const bookingDocument = defineHandler(contract, async ({ booking }: Context, { caller, body }) => {
  const { bookingId, format } = body;
  const own = { bookingId, userId: signedIn(caller).userId };
  return format === 'ics'
    ? fileOf(await readCalendarFile(booking, own), 'text/calendar; charset=utf-8', 'booking.ics')
    : documentFile(await readDocuments(booking, own), format);
});
