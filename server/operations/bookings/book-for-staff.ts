import { linkHoldEnd } from '#rules/payment-link.ts';
import type { StudioDate } from '#rules/studio-time.ts';
import { type BookingFacts, readBooking } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { startDeadline } from '../core/timeout.ts';
import { resolveHoldMinutes, readBookingRules } from '../settings/booking-rules.ts';
import { type OpenedLink, openLink } from '../payments/open-link.ts';
import { requireConcession } from '../core/concessions.ts';
import { nameDates } from './hold.ts';
import { newPrice, readRates } from './price.ts';
import { getSpans, type SpanSlots } from './price-spans.ts';
import { releaseInTheWay } from './release-expired.ts';
import { hoursTaken, readTaken } from '../core/taken-hours.ts';
import {
  findRepeated,
  type NewStaffBooking,
  type PricedHours,
  storeBooking,
  type StaffBooking,
} from './store-staff-booking.ts';
import type { Services } from '../core/services.ts';

/**
 * `url`: the page on which the customer pays; null if nothing has to be paid. `pending`: the provider has not answered yet; the mail will
 * contain the link.
 */
export type StaffBooked = OpenedLink & Pick<BookingFacts, 'reference' | 'status'> & { readonly bookingId: string };

/** Number of attempts to book the hours. Expired holds that block them are released between attempts. */
const ROUNDS = 3;

/**
 * Books hours, or a series of them, for an account or a guest. With the payment method `link`, the hours are held until the customer pays,
 * and the link is also mailed. A booking that is free or was paid elsewhere is confirmed immediately. A repeated call returns the same
 * booking. Throws `Refusal`.
 */
export async function bookForStaff(services: Services, request: StaffBooking): Promise<StaffBooked> {
  if (request.payment !== 'link') requireConcession(request.money, { kind: request.payment });
  const timeLeft = startDeadline(services.config.answerWithinMs);
  const spans = getSpans({ ...request, series: request.series ?? null });
  const repeated = await findRepeated(services.db, request, spans);
  const booking = repeated ?? (await claim(services, request, spans, timeLeft));
  failpoint('staff-booking.after.commit');
  const answer = { bookingId: booking.id, reference: booking.reference };
  if (request.payment !== 'link' || booking.status !== 'pending')
    return { ...answer, status: booking.status, url: null, pending: false };
  const link = await openLink(services, booking, request.customerEmail, timeLeft());
  if (link.url !== null || link.pending) return { ...answer, status: 'pending', ...link };
  // The booking was paid for or released after it was read.
  const { status } = (await readBooking(services.db, booking.id)) ?? booking;
  return { ...answer, status, ...link };
}

async function claim(
  services: Services,
  request: StaffBooking,
  spans: readonly SpanSlots[],
  timeLeft: () => number,
): Promise<BookingFacts> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = services.clock();
    const created = await storeBooking(services, await price(services, request, spans, now), now).catch(
      (error: unknown) =>
        nameDates(services, { studioId: request.studioId, series: request.series ?? null, userId: null }, spans, error),
    );
    if (created !== null) return created;
    // A concurrent duplicate call may have won.
    const repeated = await findRepeated(services.db, request, spans);
    if (repeated !== null) return repeated;
    const taken = await readTakenDates(services, request, spans);
    const expired = taken.bookings.filter(
      (other) => other.status === 'pending' && other.holdExpiresAt !== null && other.holdExpiresAt <= now,
    );
    const released = await releaseInTheWay(
      services,
      expired.map(({ id }) => id),
      timeLeft,
    );
    if (taken.bookings.length > 0 && !released) throw hoursTaken(taken.bookings, taken.dates);
  }
  throw hoursTaken([]);
}

/** Reads the bookings that overlap these hours, and for a series the dates on which they do. */
async function readTakenDates(
  { db }: Services,
  { studioId, series }: StaffBooking,
  spans: readonly SpanSlots[],
): Promise<{ bookings: readonly BookingFacts[]; dates: readonly StudioDate[] }> {
  const taken: { readonly date: StudioDate; readonly bookings: readonly BookingFacts[] }[] = [];
  for (const { slots, startTime, endTime } of spans)
    taken.push({ date: slots[0]?.date ?? '', bookings: await readTaken(db, { studioId, startTime, endTime }) });
  const dates = taken.filter(({ bookings }) => bookings.length > 0).map(({ date }) => date);
  return { bookings: taken.flatMap(({ bookings }) => bookings), dates: series ? dates : [] };
}

/** Checks the hours by the same rules as a customer's booking, and prices them. */
async function price(
  services: Services,
  request: StaffBooking,
  spans: readonly SpanSlots[],
  now: Date,
): Promise<NewStaffBooking> {
  const rules = await readBookingRules(services.db);
  const priced: PricedHours[] = [];
  for (const { startTime, endTime, slots } of spans) {
    const rates = await readRates(services.db, request.studioId, slots);
    const { quote } = newPrice(slots, { rates, rules, coupon: null }, now);
    const waivedCents = quote.totalCents - getPrice(request, quote.totalCents);
    if (typeof request.priceCents === 'number') requireConcession(request.money, { kind: 'price', cents: waivedCents });
    priced.push({ startTime, endTime, quote, waivedCents });
  }
  const holdEnd =
    request.payment === 'link' ? linkHoldEnd(request.startTime, now, resolveHoldMinutes(services.config, rules)) : now;
  if (holdEnd === null)
    throw new Refusal('too_late', 'It’s too close to the start for a payment link. Choose another way to pay.');
  return { ...request, spans: priced, holdExpiresAt: holdEnd, rules };
}

/** Returns the price of a booking in cents. Throws `Refusal` if it exceeds the list price, or if a price is set for a free booking. */
function getPrice({ payment, priceCents = null }: StaffBooking, listCents: number): number {
  if (priceCents === null) return payment === 'free' ? 0 : listCents;
  if (payment === 'free' || priceCents > listCents)
    throw new Refusal('invalid_request', 'The price can’t be higher than the list price.', {
      field: 'priceCents',
      listCents,
    });
  return priceCents;
}
