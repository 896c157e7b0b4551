import { z } from 'zod';
import { SERIES_MAX, SERIES_MIN } from '#rules/finding/series.ts';
import { defineCall } from '../core/define-call.ts';
import { datesField, instantText, spanFields } from '../core/fields.ts';

export const quoteSeries = defineCall({
  name: 'quote-series',
  summary:
    'Returns the dates on which the same hours can be booked, for a number of weeks or on these dates, and what they ' +
    'cost. It changes nothing.',
  methods: ['POST'],
  callers: 'everyone',
  limit: { max: 60, seconds: 60 },
  body: z
    .object({
      ...spanFields,
      weeks: z.int().min(SERIES_MIN).max(SERIES_MAX).optional(),
      dates: datesField.optional(),
      couponCode: z.string().trim().max(50).nullish(),
    })
    .refine(({ weeks, dates }) => (weeks === undefined) !== (dates === undefined), 'weeks or dates'),
  answer: z.strictObject({
    dates: z.array(
      z.strictObject({
        date: z.iso.date(),
        startTime: instantText,
        endTime: instantText,
        problem: z
          .enum(['taken', 'closed', 'past', 'too_far', 'skipped'])
          .nullable()
          .describe('Why the hours cannot be booked on this date. `skipped`: the clocks skip an hour of them.'),
        total: z.number().nullable().describe('In dollars. Null with a problem.'),
      }),
    ),
    total: z.number().describe('What all dates without a problem cost, in dollars.'),
  }),
  refusals: {
    slot_closed: { message: 'This time can’t be booked.' },
    coupon_invalid: { message: 'This code has expired.' },
    coupon_exhausted: { message: 'This code has been fully used.' },
  },
  example: {
    body: {
      studioId: '55555555-5555-4555-8555-555555555555',
      startTime: '2031-05-02T00:00:00Z',
      endTime: '2031-05-02T02:00:00Z',
      weeks: 2,
    },
    answer: {
      dates: [
        {
          date: '2031-05-02',
          startTime: '2031-05-02T00:00:00.000Z',
          endTime: '2031-05-02T02:00:00.000Z',
          problem: null,
          total: 98,
        },
        {
          date: '2031-05-09',
          startTime: '2031-05-09T00:00:00.000Z',
          endTime: '2031-05-09T02:00:00.000Z',
          problem: 'taken',
          total: null,
        },
      ],
      total: 98,
    },
  },
});
