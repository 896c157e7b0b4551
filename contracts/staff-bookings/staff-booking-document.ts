import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';

export const staffBookingDocument = defineCall({
  name: 'staff-booking-document',
  summary:
    'Answers with the documents of a booking as one file: its tax invoices or receipts, and its adjustment notes.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({ bookingId: bookingIdField, format: z.enum(['html', 'pdf']).default('pdf') }),
  answer: z.never(),
  files: ['text/html; charset=utf-8', 'application/pdf'],
  refusals: {
    not_found: { message: 'There is no receipt for this booking: nothing was paid for it.' },
  },
  example: { body: { bookingId: '66666666-6666-4666-8666-666666666666', format: 'pdf' } },
});
