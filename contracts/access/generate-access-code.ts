import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { bookingIdField } from '../core/fields.ts';
import { codeFields } from './code-fields.ts';

const { pin, held, releaseAt, worksFrom, worksUntil } = codeFields;

export const generateAccessCode = defineCall({
  name: 'generate-access-code',
  summary:
    'Returns the code of the caller’s own confirmed booking, and first requests it from the lock when that is ' +
    'due. It is always the same code. Other fields of the body are ignored: the booking has them.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 30, seconds: 60 },
  body: z.looseObject({ bookingId: bookingIdField }),
  answer: z.strictObject({
    pinCode: pin,
    pinId: z.string().nullable(),
    held,
    releaseAt,
    worksFrom,
    worksUntil,
  }),
  refusals: {
    not_found: { message: 'Booking not found' },
    not_confirmed: { message: 'This booking hasn’t been paid yet.' },
  },
  example: {
    body: { bookingId: '55555555-5555-4555-8555-555555555555' },
    answer: {
      pinCode: '482913',
      pinId: '66666666-6666-4666-8666-666666666666',
      held: false,
      releaseAt: '2031-05-01T23:45:00.000Z',
      worksFrom: '2031-05-01T23:50:00.000Z',
      worksUntil: '2031-05-02T02:00:00.000Z',
    },
  },
});
