import { daysBetween, type StudioDate } from '#rules/studio-time.ts';
import { isSeries, slotsDaysLater } from '#rules/finding/series.ts';
import { type Slot, toSpan } from '#rules/slots.ts';
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
 * Returns the hours of each booking of a request: the requested hours, and for a series the same Sydney times of day on each of its dates.
 * Throws `Refusal`.
 */
export function getSpans(request: Span & { readonly series: readonly StudioDate[] | null }): readonly SpanSlots[] {
  const { startTime, endTime, series } = request;
  const slots = readSpan(request);
  const first = { startTime, endTime, slots };
  if (series === null) return [first];
  const date = slots[0]?.date ?? '';
  requireSeries(date, series);
  return [first, ...series.slice(1).map((laterDate) => spanOn(slots, daysBetween(date, laterDate)))];
}

/** Throws `Refusal` unless the dates form a series that starts on `first`. */
export function requireSeries(first: StudioDate, dates: readonly StudioDate[]): void {
  if (dates[0] === first && isSeries(dates)) return;
  throw new Refusal('invalid_request', 'A series has two to eight dates, whole weeks apart, the first one first.', {
    field: 'series',
  });
}

/** Returns the same hours the given number of days later. Throws `Refusal` for hours that the clocks skip. */
function spanOn(slots: readonly Slot[], days: number): SpanSlots {
  const later = slotsDaysLater(slots, days);
  if (later === null) throw new Refusal('slot_closed', 'The clocks skip this hour on one of these dates.');
  const { start, end } = toSpan(later);
  return { startTime: start, endTime: end, slots: readSpan({ startTime: start, endTime: end }) };
}

/** Returns the frozen prices of the caller's hold of exactly these hours, if it can still be paid with the same code. Null otherwise. */
export function frozenPrices(
  spans: readonly SpanSlots[],
  own: readonly (OwnHold | null)[],
  code: string | null,
  now: Date,
): readonly PricedSpan[] | null {
  const whole = own.every((hold) => hold?.booking.orderId === own[0]?.booking.orderId);
  if (spans.length > 1 && (!whole || own[0]?.booking.orderSize !== spans.length)) return null;
  const held = own.find((hold) => hold?.coupon)?.coupon?.code ?? '';
  if (held !== (code ?? '').trim().toUpperCase()) return null;
  const priced = spans.flatMap((span, index) => {
    const price = frozenPrice(own[index] ?? null, own[index]?.coupon?.code ?? null, now);
    return price === null ? [] : [{ ...span, price }];
  });
  return priced.length === spans.length ? priced : null;
}

/** Reads the facts that decide about each of these spans. */
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
 * Prices each span as of now, as if it were booked alone. A code applies to each span for which it can be used; if it has fewer uses left
 * than that, it applies to the earliest ones. Throws `Refusal` for hours that are closed or for a code that applies to none.
 */
export async function newPrices(
  { db }: Services,
  { userId, code }: { readonly userId: string | null; readonly code: string | null },
  { spans, facts }: { readonly spans: readonly SpanSlots[]; readonly facts: readonly CheckoutFacts[] },
  now: Date,
): Promise<readonly PricedSpan[]> {
  let uses = spans.length === 1 || code === null ? null : await readUses(db, code, userId, now);
  const fit = facts.some(({ coupon }) => coupon?.problem === null);
  return spans.flatMap((span, index) => {
    const own = facts[index];
    if (own === undefined) return [];
    const counts = !fit || (own.coupon?.problem === null && uses !== 0);
    if (counts && uses !== null) uses -= 1;
    return [{ ...span, price: newPrice(span.slots, counts ? own : { ...own, coupon: null }, now) }];
  });
}

/** Reads the number of bookings for which a person can still use a code; null if there is no limit. */
function readUses(db: Queryable, code: string, userId: string | null, now: Date): Promise<number | null> {
  return callSql(db, 'coupon_units', { p_code: code, p_user: userId, p_now: now });
}
