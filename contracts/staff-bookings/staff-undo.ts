import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';

export const staffUndo = defineCall({
  name: 'staff-undo',
  summary:
    'Undoes a cancellation or a move that was made with `undoable`. It is refused once a mail or a refund of the ' +
    'action has begun, or if the hours are no longer free. A repeated call changes nothing and answers the same.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'bookings',
  limit: { max: 60, seconds: 60 },
  body: z.object({ undoId: bookingIdField.describe('`undo.id` of the answer to the cancellation or the move.') }),
  answer: z.strictObject({
    bookingId: z.uuid(),
    reference: z.string(),
    kind: z.enum(['cancel', 'move']).describe('What was undone.'),
  }),
  refusals: {
    not_found: { message: 'There is nothing to undo.' },
    too_late: { message: 'This can no longer be undone, because its emails and refunds have been sent.' },
    slot_taken: { message: 'Someone else has booked these hours in the meantime.' },
    slot_closed: { message: 'The studio is now closed at this time.' },
    coupon_exhausted: { message: 'Someone else has used the discount code in the meantime.' },
  },
  example: {
    body: { undoId: '77777777-7777-4777-8777-777777777777' },
    answer: { bookingId: '66666666-6666-4666-8666-666666666666', reference: '7KQM-4TXR', kind: 'cancel' },
  },
});
