import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField, instantText } from '../core/fields.ts';
import { codeFields } from './code-fields.ts';

/** The fields of the URL's query or of a POST body. */
export const pinRequest = z.looseObject({
  booking_id: bookingIdField,
  token: z.string().max(300).nullish().describe('The signed link of the code mail.'),
});

const hasBooking = (body: unknown): boolean => typeof body === 'object' && body !== null && 'booking_id' in body;

export const regeneratePin = defineCall({
  name: 'regenerate-pin',
  summary:
    'Shows the access code of a booking (GET) or makes a new one (POST). It is for the owner of the booking, for ' +
    'staff with the permission `bookings`, and for everyone with the signed link of the code mail. `booking_id` ' +
    'and `token` are in the query; a POST may have them in its body instead. A refusal of this call ' +
    'differs from others in its shape: `{"success": false, "error", "code", "expired"}`, where `error` is the message. ' +
    'Further details are fields of the same object.',
  methods: ['GET', 'POST'],
  callers: 'everyone',
  limit: {
    GET: { name: 'regenerate-pin-show', max: 120, seconds: 60 },
    POST: { name: 'regenerate-pin', max: 20, seconds: 60 },
  },
  /** Null if the request is in the URL's query. */
  body: z.preprocess(
    (body: z.input<typeof pinRequest> | Record<string, never>) => (hasBooking(body) ? body : null),
    pinRequest.nullable(),
  ),
  answer: z.strictObject({
    success: z.literal(true),
    ...codeFields,
    pinId: z.string().nullable(),
    booking: z.strictObject({
      id: z.uuid(),
      reference: z.string(),
      studio_name: z.string(),
      start_time: instantText,
      end_time: instantText,
    }),
  }),
  refusals: {
    not_signed_in: { message: 'Please sign in to see your access code.' },
    not_yours: {
      message: 'You need the “Bookings” permission for this. An owner can give it to you.',
      permission: 'bookings',
    },
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
    session_ended: { message: 'Session has ended' },
    code_held: { message: 'The code for this booking is on hold. Please contact us before you come.' },
    code_not_released: { message: 'Your code isn’t available yet.', releaseAt: '2031-05-01T23:45:00.000Z' },
    code_wait: { message: 'Please wait 12 seconds before making another code.', seconds: 12 },
    code_limit: { message: 'No more codes can be made for this session. Please contact us.' },
  },
  example: {
    body: { booking_id: '55555555-5555-4555-8555-555555555555' },
    answer: {
      success: true,
      pin: '482913',
      pinId: '66666666-6666-4666-8666-666666666666',
      held: false,
      booking: {
        id: '55555555-5555-4555-8555-555555555555',
        reference: '7KQM-4TXR',
        studio_name: 'Studio A',
        start_time: '2031-05-02T00:00:00.000Z',
        end_time: '2031-05-02T02:00:00.000Z',
      },
      releaseAt: '2031-05-01T23:45:00.000Z',
      worksFrom: '2031-05-01T23:50:00.000Z',
      worksUntil: '2031-05-02T02:00:00.000Z',
      openedAt: null,
      nextCodeAt: null,
      codesLeft: 19,
      codesPerBooking: 20,
      mode: 'bridge',
      singleUse: false,
    },
  },
});
