import { daysBetween, type StudioDate } from '#rules/studio-time.ts';
import { isSeries, slotsDaysLater } from '#rules/finding/series.ts';
import { type Slot, spanOf } from '#rules/slots.ts';
import { callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import { type CheckoutFacts, readCheckoutFacts } from './checkout-facts.ts';
import { frozenPrice, newPrice, type OwnHold, type Price, readSpan, type Span } from './price.ts';
import type { Services } from '../core/services.ts';
import type { Queryable } from '#server/db/database.ts';

/** The hours of one booking. */
export type SpanSlots = Span & { readonly slots: readonly Slot[] };
export type PricedSpan = SpanSlots & { readonly price: Price };

/**
 * Returns the hours of each booking of a request: those that it names, or the same hours of Sydney's clock on each date of a series, which begins with
 * them. Throws `Refusal`.
 */
export function spansOf(request: Span & { readonly series: readonly StudioDate[] | null }): readonly SpanSlots[] {
  const { startTime, endTime, series } = request;
  const slots = readSpan(request);
  const first = { startTime, endTime, slots };
  if (series === null) return [first];
  const date = slots[0]?.date ?? '';
  requireSeries(date, series);
  return [first, ...series.slice(1).map((one) => spanOn(slots, daysBetween(date, one)))];
}

/** Throws `Refusal` unless these dates are a series that begins on this one. */
export function requireSeries(first: StudioDate, dates: readonly StudioDate[]): void {
  if (dates[0] === first && isSeries(dates)) return;
  throw new Refusal('invalid_request', 'A series has two to eight dates, whole weeks apart, the first one first.', {
    field: 'series',
  });
}

/** Returns the same hours so many days later. Throws `Refusal` for hours that the clocks skip. */
function spanOn(slots: readonly Slot[], days: number): SpanSlots {
  const later = slotsDaysLater(slots, days);
  if (later === null) throw new Refusal('slot_closed', 'The clocks skip this hour on one of these dates.');
  const { start, end } = spanOf(later);
  return { startTime: start, endTime: end, slots: readSpan({ startTime: start, endTime: end }) };
}

/** Returns the frozen prices of an own hold of exactly these hours that can still be paid with the same code; null when there is none. */
export function frozenPrices(
  spans: readonly SpanSlots[],
  own: readonly (OwnHold | null)[],
  code: string | null,
  now: Date,
): readonly PricedSpan[] | null {
  const whole = own.every((one) => one?.booking.orderId === own[0]?.booking.orderId);
  if (spans.length > 1 && (!whole || own[0]?.booking.orderSize !== spans.length)) return null;
  const held = own.find((one) => one?.coupon)?.coupon?.code ?? '';
  if (held !== (code ?? '').trim().toUpperCase()) return null;
  const priced = spans.flatMap((span, at) => {
    const price = frozenPrice(own[at] ?? null, own[at]?.coupon?.code ?? null, now);
    return price === null ? [] : [{ ...span, price }];
  });
  return priced.length === spans.length ? priced : null;
}

/** Reads what decides about each of these spans. */
export function readSpanFacts(
  services: Services,
  {
    userId,
    studioId,
    code,
  }: { readonly userId: string | null; readonly studioId: string; readonly code: string | null },
  spans: readonly SpanSlots[],
  now: Date,
): Promise<readonly CheckoutFacts[]> {
  return Promise.all(
    spans.map((span) => readCheckoutFacts(services, { userId, studioId, couponCode: code, ...span }, now)),
  );
}

/**
 * Prices each span as of now, as if it were booked alone. A code counts for each one that it can be used for; when it has fewer uses left, for the earliest
 * ones. Throws `Refusal` for hours that are closed or a code that can be used for none.
 */
export async function newPrices(
  { db }: Services,
  { userId, code }: { readonly userId: string | null; readonly code: string | null },
  { spans, facts }: { readonly spans: readonly SpanSlots[]; readonly facts: readonly CheckoutFacts[] },
  now: Date,
): Promise<readonly PricedSpan[]> {
  let uses = spans.length === 1 || code === null ? null : await readUses(db, code, userId, now);
  const fit = facts.some(({ coupon }) => coupon?.problem === null);
  return spans.flatMap((span, at) => {
    const own = facts[at];
    if (own === undefined) return [];
    const counts = !fit || (own.coupon?.problem === null && uses !== 0);
    if (counts && uses !== null) uses -= 1;
    return [{ ...span, price: newPrice(span.slots, counts ? own : { ...own, coupon: null }, now) }];
  });
}

/** Reads for how many bookings a person can use a code; null without a limit. */
function readUses(db: Queryable, code: string, userId: string | null, now: Date): Promise<number | null> {
  return callSql(db, 'coupon_units', { p_code: code, p_user: userId, p_now: now });
}
