import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, requestIdField } from '../core/fields.ts';

export const crewInvite = defineCall({
  name: 'crew-invite',
  summary:
    'Invites one more guest to a booking of the caller. `inviteId` makes another link for that invitation, and the ' +
    'previous link stops working.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 20, seconds: 60 },
  body: z.object({
    bookingId: bookingIdField,
    /** The invitation whose link is replaced; null for a new invitation. */
    inviteId: z.uuid().nullable().default(null),
    requestId: requestIdField,
  }),
  answer: z.strictObject({
    inviteId: z.uuid(),
    url: z.string().describe('The link for the guest. It is not stored, and shown only in this answer.'),
  }),
  refusals: {
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
    session_ended: { message: 'This session is over.' },
    crew_full: { message: 'You can bring up to 4 people. Take one back first.' },
    already_done: { message: 'Your guest has opened this invitation and joined.' },
  },
  example: {
    body: { bookingId: '55555555-5555-4555-8555-555555555555', requestId: 'invite-1' },
    answer: {
      inviteId: '66666666-6666-4666-8666-666666666666',
      url: 'https://studio.example.com/crew#Zx3vV0pWq8J9mM2rT5yB7cD1eF4gH6iK',
    },
  },
});
