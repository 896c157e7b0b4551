import { z } from 'zod';
import { slotsDaysLater, weeklyDates } from '#rules/finding/series.ts';
import { slotClosed, toSpan } from '#rules/slots.ts';
import { daysBetween, type StudioDate } from '#rules/studio-time.ts';
import { callSql } from '../core/call-sql.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import { countCouponGuess } from './count-coupon-guess.ts';
import { readSpan, type Span } from './price.ts';
import { newPrices, readSpanFacts, requireSeries, type SpanSlots } from './price-spans.ts';
import type { Services } from '../core/services.ts';

export type SeriesRequest = Span & {
  readonly studioId: string;
  /** The Sydney dates on which the hours are requested, or the number of weeks. */
  readonly dates: readonly StudioDate[] | { readonly weeks: number };
  readonly couponCode: string | null;
  readonly userId: string | null;
  readonly ip: string;
};

/** A date of a series. `problem`: why it cannot be booked. */
export type SeriesDate = Span & {
  readonly date: StudioDate;
  readonly problem: 'taken' | 'closed' | 'past' | 'too_far' | 'skipped' | null;
  readonly totalCents: number | null;
};

/**
 * Returns for each date of a series whether the same Sydney times of day can be booked, and their price. Unpaid holds of the caller do not
 * block them. Changes nothing. Throws `Refusal` for hours or a code that cannot be used on any date.
 */
export async function quoteSeries(services: Services, request: SeriesRequest): Promise<readonly SeriesDate[]> {
  const { userId, couponCode } = request;
  const now = services.clock();
  const code = couponCode === '' ? null : couponCode;
  if (code !== null) await countCouponGuess(services, userId, request.ip);
  const { horizonDays } = await readBookingRules(services.db);
  const dates = getDates(request).map((entry) => ({ ...entry, problem: findProblem(entry.span, now, horizonDays) }));
  const open = dates.flatMap(({ span, problem }) => (span !== null && problem === null ? [span] : []));
  const inTheWay = await readInTheWay(services, request, open, now);
  const free = open.filter((_, index) => inTheWay[index] === null);
  const facts = await readSpanFacts(services, { ...request, code }, free, now);
  const priced = await newPrices(services, { userId, code }, { spans: free, facts }, now);
  return dates.map(({ date, span, problem }) => {
    const { startTime, endTime } = span ?? request;
    const at = span === null ? -1 : open.indexOf(span);
    const price = priced.find((span) => span.startTime === startTime)?.price;
    return {
      date,
      startTime,
      endTime,
      problem: problem ?? (at === -1 ? null : (inTheWay[at] ?? null)),
      totalCents: price?.quote.totalCents ?? null,
    };
  });
}

/** Returns the hours on each date; null if the clocks skip them. */
function getDates(request: SeriesRequest): readonly { readonly date: StudioDate; readonly span: SpanSlots | null }[] {
  const slots = readSpan(request);
  const first = slots[0]?.date ?? '';
  const dates = 'weeks' in request.dates ? weeklyDates(first, request.dates.weeks) : request.dates;
  requireSeries(first, dates);
  return dates.map((date) => {
    const later = slotsDaysLater(slots, daysBetween(first, date));
    if (later === null) return { date, span: null };
    const { start, end } = toSpan(later);
    return { date, span: { startTime: start, endTime: end, slots: later } };
  });
}

function findProblem(span: SpanSlots | null, now: Date, horizonDays: number): SeriesDate['problem'] {
  if (span === null) return 'skipped';
  const closed = span.slots.map((slot) => slotClosed(slot, now, horizonDays)).find((reason) => reason !== null);
  if (closed === undefined) return null;
  return closed === 'beyond-horizon' ? 'too_far' : closed;
}

const PROBLEMS = z.array(z.enum(['taken', 'closed']).nullable());

/** Reads why each of these spans cannot be booked; null for a span that can. */
export async function readInTheWay(
  { db }: Services,
  { studioId, userId }: { readonly studioId: string; readonly userId: string | null },
  spans: readonly Span[],
  now: Date,
): Promise<z.output<typeof PROBLEMS>> {
  if (spans.length === 0) return [];
  const problems = await callSql(db, 'spans_in_the_way', {
    p_studio: studioId,
    p_spans: JSON.stringify(spans.map(({ startTime, endTime }) => ({ startTime, endTime }))),
    p_user: userId,
    p_now: now,
  });
  return PROBLEMS.parse(problems ?? []);
}
