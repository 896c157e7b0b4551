import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readDocuments } from '#server/operations/exports/booking-document.ts';
import { mailDocuments } from '#server/operations/mails/document-mails.ts';
import { actorOf, parse } from './requests.ts';
import { documentFile, json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const READ_LIMIT = { name: 'staff-booking-document', max: 60, seconds: 60 };
const readSchema = z.object({ bookingId: bookingIdField, format: z.enum(['html', 'pdf']).default('pdf') });

/** Answers the tax invoices or receipts and the adjustment notes of a booking as `html` or `pdf`, for staff. */
export function staffBookingDocument({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: READ_LIMIT,
    async handle({ body }) {
      const { bookingId, format } = parse(readSchema, body);
      return documentFile(await readDocuments(booking, { bookingId, userId: null }), format);
    },
  };
}

const MAIL_LIMIT = { name: 'staff-mail-document', max: 30, seconds: 60 };
const mailSchema = z.object({ bookingId: bookingIdField, requestId: z.uuid() });

/** Mails the documents of a booking to its customer: `{queued}`. The same `requestId` mails them once. */
export function staffMailDocument({ booking }: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'bookings',
    limit: MAIL_LIMIT,
    async handle({ caller, body }) {
      await mailDocuments(booking, parse(mailSchema, body), actorOf(caller));
      return json({ queued: true }, 202);
    },
  };
}
