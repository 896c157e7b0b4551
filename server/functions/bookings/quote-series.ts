import { quoteSeries as contract } from '#contracts/bookings/quote-series.ts';
import { SERIES_MIN } from '#rules/finding/series.ts';
import { centsToDollars } from '#rules/money.ts';
import { quoteSeries as quote } from '#server/operations/bookings/quote-series.ts';
import { defineHandler } from '../handler.ts';

export const quoteSeries = defineHandler(contract, async (services, { caller, body }) => {
  const { weeks, dates, couponCode, ...span } = body;
  const found = await quote(services, {
    ...span,
    dates: dates ?? { weeks: weeks ?? SERIES_MIN },
    couponCode: couponCode ?? null,
    userId: caller.userId,
    ip: caller.ip,
  });
  return {
    dates: found.map(({ date, startTime, endTime, problem, totalCents }) => ({
      date,
      startTime: startTime.toISOString(),
      endTime: endTime.toISOString(),
      problem,
      total: totalCents === null ? null : centsToDollars(totalCents),
    })),
    total: centsToDollars(found.reduce((sum, { totalCents }) => sum + (totalCents ?? 0), 0)),
  };
});
