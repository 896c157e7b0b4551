import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';
import { noBody } from '../core/fields.ts';

export const calendarFeed = defineCall({
  name: 'calendar-feed',
  summary:
    'Answers with the calendar file (RFC 5545) of the studio whose feed has the `token` of the query, or with 304 if ' +
    'it is the one that the caller has.',
  methods: ['GET'],
  callers: 'link',
  limit: { max: 60, seconds: 60 },
  body: noBody,
  answer: z.never(),
  files: ['text/calendar; charset=utf-8'],
  refusals: { not_found: { message: 'There is no calendar at this address.' } },
  example: { body: {} },
});
