import { z } from 'zod';
import { datesField, spanFields } from '#contracts/core/fields.ts';
import { centsToDollars } from '#rules/money.ts';
import { SERIES_MAX, SERIES_MIN } from '#rules/finding/series.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { quoteSeries as quote } from '#server/operations/bookings/quote-series.ts';
import type { ServerFunction } from './function.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';

const bodySchema = z
  .object({
    ...spanFields,
    weeks: z.int().min(SERIES_MIN).max(SERIES_MAX).optional(),
    dates: datesField.optional(),
    couponCode: z.string().trim().max(50).nullish(),
  })
  .refine(({ weeks, dates }) => (weeks === undefined) !== (dates === undefined), 'weeks or dates');

/**
 * Says on which dates the same hours can be booked, and what they cost, for so many weeks or on these dates:
 * `{dates: [{date, startTime, endTime, problem, total}], total}` (totals in dollars). `problem` is null, 'taken', 'closed', 'past', 'too_far' or 'skipped'.
 */
export function quoteSeries(context: { booking: BookingContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'everyone',
    limit: { name: 'quote-series', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      const { weeks, dates, couponCode, ...span } = parse(bodySchema, body);
      const found = await quote(context.booking, {
        ...span,
        dates: dates ?? { weeks: weeks ?? SERIES_MIN },
        couponCode: couponCode ?? null,
        userId: caller.userId,
        ip: caller.ip,
      });
      return json({
        dates: found.map(({ totalCents, ...one }) => ({
          ...one,
          total: totalCents === null ? null : centsToDollars(totalCents),
        })),
        total: centsToDollars(found.reduce((sum, { totalCents }) => sum + (totalCents ?? 0), 0)),
      });
    },
  };
}
