import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, reasonField } from '../core/fields.ts';

const disputeDecision = z.enum(['keep', 'cancel', 'block']);

/** What staff decide about a disputed booking. */
export type DisputeDecision = z.output<typeof disputeDecision>;

export const staffDecideDispute = defineCall({
  name: 'staff-decide-dispute',
  summary:
    'Decides about a disputed booking whose access code is held. `keep` allows the session, `cancel` cancels the ' +
    'booking without a refund, and `block` also blocks its customer. The last two also need the permission ' +
    '`bookings`. Idempotent.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'money',
  limit: { max: 60, seconds: 60 },
  body: z.object({ bookingId: bookingIdField, decision: disputeDecision, reason: reasonField }),
  answer: z.strictObject({ decision: disputeDecision }),
  refusals: {
    not_found: { message: 'This booking has no payment dispute to decide.' },
    already_done: { message: 'This booking is already cancelled.' },
    too_late: { message: 'This booking has ended. You can refund it, but not cancel it.' },
    payment_processing: {
      message: 'The customer is paying for this booking right now, so nothing was changed. Reload the booking.',
      bookingId: '66666666-6666-4666-8666-666666666666',
    },
    coupon_exhausted: { message: 'Someone else has used the discount code in the meantime.' },
  },
  example: {
    body: {
      bookingId: '66666666-6666-4666-8666-666666666666',
      decision: 'keep',
      reason: 'The customer called and withdraws the dispute',
    },
    answer: { decision: 'keep' },
  },
});
