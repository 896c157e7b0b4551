import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { eitherShape } from '../core/either-shape.ts';
import { bookingIdField, storedInstantText } from '../core/fields.ts';

const fields = {
  token: z.string().max(300).nullable().default(null).describe('The signed link of the code mail.'),
  ask: z.boolean().default(false).describe('Tells staff that the door does not open.'),
};
const fromGuest = z.object({ ...fields, crew: z.string().max(100).describe('The token of a guest’s link.') });
const fromCustomer = z.object({ ...fields, crew: z.null().default(null), bookingId: bookingIdField });

const isFromGuest = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'crew' in body && body.crew !== null;

export const doorHelp = defineCall({
  name: 'door-help',
  summary:
    'Returns what the lock of a booking reports about its door. `ask` also notifies staff that the door does not ' +
    'open. It is for the owner of the booking, for everyone with the signed link of the code mail, and for guests ' +
    'who have joined with the token of their link.',
  methods: ['POST'],
  callers: 'everyone',
  limit: { max: 30, seconds: 60 },
  body: eitherShape(isFromGuest, fromGuest, fromCustomer),
  answer: z.strictObject({
    online: z.boolean().nullable().describe('Whether the lock answered at the last check; null: unknown.'),
    hasCode: z.boolean().describe('Whether the lock has accepted the code.'),
    wrongAt: storedInstantText
      .nullable()
      .describe('When a wrong code was last entered. Null if none was entered since the arrival.'),
    openedAt: storedInstantText
      .nullable()
      .describe('When the door was last opened. Null if it was not opened since the arrival.'),
    held: z.boolean().describe('Staff hold the code, so nothing opens the door.'),
    asked: z.boolean().describe('Whether staff have been told and have not finished it.'),
  }),
  refusals: {
    not_signed_in: { message: 'Please sign in to get help with your door.' },
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
    invitation_ended: { message: 'This invitation was taken back.' },
    terms_required: { message: 'Please accept the terms first.' },
    session_ended: { message: 'Session has ended' },
    code_not_released: { message: 'Your code works from 9:50 am (Sydney time).' },
  },
  example: {
    body: { bookingId: '55555555-5555-4555-8555-555555555555', ask: true },
    answer: {
      online: true,
      hasCode: true,
      wrongAt: '2031-05-02T00:01:30+00:00',
      openedAt: null,
      held: false,
      asked: true,
    },
  },
});
