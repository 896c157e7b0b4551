import { quoteSlots, type Quote, type Rates } from '#rules/pricing.ts';
import { nextSlot, type Slot } from '#rules/slots.ts';
import { addDays, hourExists, slotEnd, slotStart, studioDate, getWeekday } from '#rules/studio-time.ts';

/** A booking of the demo. `customer` and `studio` are indexes into their lists. */
export type PlannedBooking = {
  readonly customer: number;
  readonly studio: number;
  readonly start: Date;
  readonly end: Date;
  readonly quote: Quote;
  readonly outcome: 'confirmed' | 'refunded' | 'not paid';
  readonly createdAt: Date;
  /** The time of the cancellation, or of the end of the hold. */
  readonly endedAt: Date | null;
  readonly withCoupon: boolean;
};

/** The coupon code that some of the demo customers use. */
export const DEMO_COUPON = { code: 'DEMO10', discountType: 'percentage', discountValue: 10 } as const;
const DAYS_BACK = 90;
const DAYS_AHEAD = 14;
const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The relative popularity of each start hour, from 0 to 23. */
const STARTS = [2, 1, 1, 0, 0, 0, 0, 1, 1, 2, 3, 4, 4, 5, 5, 5, 6, 8, 12, 14, 13, 9, 6, 4];
const LENGTHS = [1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 6];

/** Returns a generator of pseudo-random numbers between 0 and 1 (mulberry32). Equal seeds give equal sequences. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Plans three months of bookings until `now`, growing from week to week, and fewer for the two weeks after it. `prices`: the rates of each
 * studio. The same `now` gives the same plan.
 */
export function planBookings(now: Date, prices: readonly Rates[], customers: number): readonly PlannedBooking[] {
  const random = createRandom(Math.floor(now.getTime() / (24 * HOUR)));
  const taken = prices.map(() => new Set<number>());
  const today = studioDate(now);
  const planned: PlannedBooking[] = [];
  for (let offset = -DAYS_BACK; offset < DAYS_AHEAD; offset += 1) {
    const date = addDays(today, offset);
    for (const [studio, rates] of prices.entries()) {
      for (let remaining = countSessions(date, offset, random); remaining > 0; remaining -= 1) {
        const slots = chooseSlots(date, random);
        const customer = Math.floor(customers * random() ** 2);
        const booking = slots && planBooking({ slots, studio, rates, customer, now, random });
        if (!booking) continue;
        const hours = getHours(booking);
        if (hours.some((hour) => taken[studio]?.has(hour))) continue;
        for (const hour of hours) taken[studio]?.add(hour);
        planned.push(booking);
      }
    }
  }
  return planned;
}

/**
 * Returns how many sessions customers try to book in a room on a date: more at the end of the week, more from month to month, fewer far
 * ahead.
 */
function countSessions(date: string, offset: number, random: () => number): number {
  const weekend = [0, 5, 6].includes(getWeekday(date)) ? 1.6 : 1;
  const growth = offset < 0 ? 0.6 + (0.5 * (DAYS_BACK + offset)) / DAYS_BACK : 1 - (0.8 * offset) / DAYS_AHEAD;
  return Math.round(6 * weekend * growth * random() + 0.3);
}

function chooseSlots(date: string, random: () => number): readonly Slot[] | null {
  const total = STARTS.reduce((sum, weight) => sum + weight, 0);
  let rest = random() * total;
  const hour = STARTS.findIndex((weight) => (rest -= weight) < 0);
  if (hour < 0 || !hourExists(date, hour)) return null;
  const slots: Slot[] = [{ date, hour }];
  const length = LENGTHS[Math.floor(random() * LENGTHS.length)] ?? 2;
  for (let last: Slot = { date, hour }; slots.length < length;) slots.push((last = nextSlot(last)));
  return slots;
}

type Attempt = {
  readonly slots: readonly Slot[];
  readonly studio: number;
  readonly rates: Rates;
  readonly customer: number;
  readonly now: Date;
  readonly random: () => number;
};

/** Returns null if the booking would be made less than an hour before `now` or later. */
function planBooking({ slots, studio, rates, customer, now, random }: Attempt): PlannedBooking | null {
  const [first, last] = [slots[0], slots.at(-1)];
  const start = first && slotStart(first.date, first.hour);
  if (!first || !last || !start) return null;
  const createdAt = new Date(start.getTime() - (0.5 + 200 * random() ** 3) * HOUR);
  if (createdAt.getTime() > now.getTime() - HOUR) return null;
  const withCoupon = random() < 0.08;
  const quote = quoteSlots(slots, rates, withCoupon ? DEMO_COUPON : null);
  const facts = { customer, studio, start, end: slotEnd(last.date, last.hour), quote, createdAt, withCoupon };
  const chance = random();
  if (chance < 0.08) return { ...facts, outcome: 'not paid', endedAt: new Date(createdAt.getTime() + 15 * MINUTE) };
  const cancelBy = Math.min(start.getTime() - 24 * HOUR, now.getTime());
  if (chance < 0.2 && cancelBy > createdAt.getTime() + HOUR) {
    const after = (cancelBy - createdAt.getTime()) * random();
    return { ...facts, outcome: 'refunded', endedAt: new Date(createdAt.getTime() + Math.max(after, 10 * MINUTE)) };
  }
  return { ...facts, outcome: 'confirmed', endedAt: null };
}

function getHours({ start, end }: PlannedBooking): readonly number[] {
  const first = start.getTime() / HOUR;
  return Array.from({ length: (end.getTime() - start.getTime()) / HOUR }, (_, index) => first + index);
}
