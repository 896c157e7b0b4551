import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { spanFields } from '../core/fields.ts';

export const joinWaitlist = defineCall({
  name: 'join-waitlist',
  summary:
    'Puts the caller on the wait list for taken hours. When the hours are free, the caller is mailed and has a ' +
    'quarter of an hour to book them. A repeated call answers the same.',
  methods: ['POST'],
  callers: 'signed-in',
  limit: { max: 30, seconds: 60 },
  body: z.object(spanFields),
  answer: z.strictObject({
    entryId: z.uuid(),
    ahead: z.int().nonnegative().describe('How many people joined earlier and want some of the same hours.'),
  }),
  refusals: {
    blocked: { message: 'You can’t book with this account at the moment. Please email studio@example.com.' },
    mail_unconfirmed: { message: 'Please confirm your email address first.' },
    too_late: { message: 'These hours have already begun.' },
    slot_free: { message: 'These hours are free right now: you can book them.' },
    already_done: { message: 'You already have some of these hours.' },
    waitlist_limit: { message: 'You can wait for up to 5 times. Leave one of them first.' },
  },
  example: {
    body: {
      studioId: '55555555-5555-4555-8555-555555555555',
      startTime: '2031-05-02T00:00:00Z',
      endTime: '2031-05-02T02:00:00Z',
    },
    answer: { entryId: '77777777-7777-4777-8777-777777777777', ahead: 1 },
  },
});
