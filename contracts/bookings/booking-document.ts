import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';

export const bookingDocument = defineCall({
  name: 'booking-document',
  summary:
    'Answers with the documents of the caller’s own booking as one file: its tax invoices or receipts, and the ' +
    'adjustment notes of refunds. With `ics` it answers with the calendar entry of the booking.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 30, seconds: 60 },
  body: z.object({ bookingId: bookingIdField, format: z.enum(['html', 'pdf', 'ics']).default('html') }),
  answer: z.never(),
  files: ['text/html; charset=utf-8', 'application/pdf', 'text/calendar; charset=utf-8'],
  refusals: {
    not_found: { message: 'There is no receipt for this booking: nothing was paid for it.' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
  },
  example: { body: { bookingId: '66666666-6666-4666-8666-666666666666', format: 'pdf' } },
});
