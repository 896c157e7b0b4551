import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readDocuments } from '#server/operations/exports/booking-document.ts';
import { readCalendarFile } from '#server/operations/mails/calendar-file.ts';
import { parse, signedIn } from './requests.ts';
import { documentFile, fileOf } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'booking-document', max: 30, seconds: 60 };
const bodySchema = z.object({ bookingId: bookingIdField, format: z.enum(['html', 'pdf', 'ics']).default('html') });

/**
 * Answers the papers of the customer's own booking: its tax invoices or receipts and the adjustment notes of refunds as `html` or `pdf`, or its
 * calendar entry as `ics`.
 */
export function bookingDocument({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { bookingId, format } = parse(bodySchema, body);
      if (format === 'ics')
        return fileOf(
          await readCalendarFile(booking, { bookingId, userId }),
          'text/calendar; charset=utf-8',
          'booking.ics',
        );
      return documentFile(await readDocuments(booking, { bookingId, userId }), format);
    },
  };
}
