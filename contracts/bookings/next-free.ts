import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';

export const nextFree = defineCall({
  name: 'next-free',
  summary:
    'Returns the room that can be booked first within a day. The first page shows it without loading the client or ' +
    'the rules of hours.',
  methods: ['POST'],
  callers: 'everyone',
  limit: { max: 60, seconds: 60 },
  body: noBody,
  answer: z.strictObject({
    room: z
      .strictObject({
        words: z.string().describe('A sentence without its full stop.'),
        query: z.string().describe('The query of the booking page that chooses the hour.'),
      })
      .nullable()
      .describe('Null if no room is free within a day.'),
  }),
  refusals: {},
  example: {
    body: {},
    answer: {
      room: {
        words: 'Studio A is free from 4 pm (Sydney time), $49 an hour',
        query: '?room=55555555-5555-4555-8555-555555555555&from=2031-05-02T16&hours=1',
      },
    },
  },
});
