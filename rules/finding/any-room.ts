import { isBookable } from '../nearest-free.ts';
import { type Quote, quoteSlots, type Rates } from '../pricing.ts';
import { type Busy, nextSlot, type Slot, toSpan } from '../slots.ts';
import { addDays, studioDate, studioHour } from '../studio-time.ts';
import { runFrom } from './booking-link.ts';

/** Parts of a day by the hour in which a session starts. */
export const PARTS = ['any', 'morning', 'afternoon', 'evening', 'night'] as const;
export type Part = (typeof PARTS)[number];

/** What a customer looks for, in any room: a number of hours, a part of the day, and the highest price in cents (null for any price). */
export type RoomSearch = { readonly hours: number; readonly part: Part; readonly maxCents: number | null };

/** A studio with its prices and the spans that cannot be booked. */
export type PricedRoom = { readonly studioId: string; readonly busy: readonly Busy[]; readonly rates: Rates };

/** Why hours are offered. Their volume discount is `savesPercent`. */
type Reason = 'soonest' | 'cheapest-today' | 'cheapest' | 'another-day';
export type FoundHours = {
  readonly studioId: string;
  readonly slots: readonly Slot[];
  readonly totalCents: number;
  readonly reason: Reason;
  readonly savesPercent: number;
};

/** The highest number of offers. */
const MOST = 3;

/** How many days to search, today included. */
export const LOOK_DAYS = 7;

/** The hour at which the small hours end. Few people want to begin between midnight and then. */
const SMALL_HOURS = 8;
/** Offers that start within this time do not count as small hours: people who search at night may want to begin at night. */
const SOON_MS = 3 * 3_600_000;

/**
 * Finds the best three offers in all rooms within a week: the soonest, the cheapest if it is cheaper than that, and the cheapest on other
 * days. Equally cheap offers rank by whether they begin in the small hours (only if the customer chose no part of the day), by room, and by
 * time. Equally early offers rank by price. Among rooms, those with fewer offers come first, then those with fewer bookings. No two offers
 * overlap in the same room.
 */
export function findOffers(
  request: RoomSearch,
  rooms: readonly PricedRoom[],
  now: Date,
  horizonDays: number,
): readonly FoundHours[] {
  const all = rooms.flatMap((room) => findCandidates(request, room, now, horizonDays));
  const today = studioDate(now);
  const offers: FoundHours[] = [];
  const add = (found: Candidate | undefined, reason: Reason): void => {
    if (found) offers.push({ ...pick(found), reason });
  };
  const getRemaining = (): Candidate[] =>
    all.filter((candidate) => !offers.some((offer) => overlaps(offer, candidate)));
  const fairer = (candidate: Candidate, other: Candidate): number =>
    timesOffered(offers, candidate) - timesOffered(offers, other) || candidate.bookings - other.bookings;
  const cheaper = (candidate: Candidate, other: Candidate): number =>
    candidate.quote.totalCents - other.quote.totalCents ||
    Number(candidate.inSmallHours) - Number(other.inSmallHours) ||
    fairer(candidate, other) ||
    candidate.startsAt - other.startsAt;
  const soonest = getRemaining().toSorted(
    (candidate, other) => candidate.startsAt - other.startsAt || cheaper(candidate, other),
  )[0];
  const isCheapestToday =
    soonest?.date === today &&
    all.every((candidate) => candidate.date !== today || candidate.quote.totalCents >= soonest.quote.totalCents);
  add(soonest, isCheapestToday ? 'cheapest-today' : 'soonest');
  const best = getRemaining().toSorted(cheaper)[0];
  if (best && soonest && best.quote.totalCents < soonest.quote.totalCents) add(best, 'cheapest');
  while (offers.length < MOST) {
    const days = new Set(offers.map(({ slots }) => slots[0]?.date));
    const next = getRemaining()
      .filter(({ date }) => !days.has(date))
      .toSorted(cheaper)[0];
    if (next === undefined) break;
    add(next, 'another-day');
  }
  return offers;
}

type Candidate = {
  readonly studioId: string;
  readonly slots: readonly Slot[];
  readonly date: string;
  readonly startsAt: number;
  readonly inSmallHours: boolean;
  /** How many spans of the room are taken. */
  readonly bookings: number;
  readonly quote: Quote;
};

const timesOffered = (offers: readonly FoundHours[], { studioId }: Candidate): number =>
  offers.filter((offer) => offer.studioId === studioId).length;

const pick = ({ studioId, slots, quote }: Candidate) => ({
  studioId,
  slots,
  totalCents: quote.totalCents,
  savesPercent: quote.discountPercent,
});

const overlaps = (offer: FoundHours, { studioId, slots }: Candidate): boolean =>
  offer.studioId === studioId &&
  offer.slots.some((slot) => slots.some(({ date, hour }) => date === slot.date && hour === slot.hour));

function findCandidates(
  { hours, part, maxCents }: RoomSearch,
  { studioId, busy, rates }: PricedRoom,
  now: Date,
  horizonDays: number,
): Candidate[] {
  const today = studioDate(now);
  const found: Candidate[] = [];
  for (
    let slot: Slot = { date: today, hour: studioHour(now) };
    slot.date < addDays(today, LOOK_DAYS);
    slot = nextSlot(slot)
  ) {
    if (!startsIn(part, slot.hour)) continue;
    const slots = runFrom(slot, hours);
    if (!slots.every((slot) => isBookable(slot, busy, now, horizonDays))) continue;
    const quote = quoteSlots(slots, rates);
    if (maxCents !== null && quote.totalCents > maxCents) continue;
    const startsAt = toSpan(slots).start.getTime();
    const inSmallHours = part === 'any' && slot.hour < SMALL_HOURS && startsAt - now.getTime() > SOON_MS;
    found.push({ studioId, slots, date: slot.date, startsAt, inSmallHours, bookings: busy.length, quote });
  }
  return found;
}

function startsIn(part: Part, hour: number): boolean {
  switch (part) {
    case 'any':
      return true;
    case 'morning':
      return hour >= 6 && hour < 12;
    case 'afternoon':
      return hour >= 12 && hour < 17;
    case 'evening':
      return hour >= 17 && hour < 22;
    case 'night':
      return hour >= 22 || hour < 6;
  }
}

/** The hour at which the evening begins, and the hour at which the night ends. */
const [EVENING, DAWN] = [17, 5];

/** Returns the cheapest hour that is free tonight, from 5 pm to 5 am. Of equally cheap hours, returns the earliest. Null if none is free. */
export function cheapestTonight(
  rooms: readonly PricedRoom[],
  now: Date,
  horizonDays: number,
): { readonly studioId: string; readonly slot: Slot; readonly cents: number } | null {
  const today = studioDate(now);
  const early = studioHour(now) < DAWN;
  const end = early ? today : addDays(today, 1);
  const first: Slot = { date: today, hour: early ? studioHour(now) : Math.max(EVENING, studioHour(now)) };
  let found: ReturnType<typeof cheapestTonight> = null;
  for (let slot = first; slot.date < end || (slot.date === end && slot.hour < DAWN); slot = nextSlot(slot))
    for (const { studioId, busy, rates } of rooms) {
      if (!isBookable(slot, busy, now, horizonDays)) continue;
      const cents = quoteSlots([slot], rates).totalCents;
      if (found === null || cents < found.cents) found = { studioId, slot, cents };
    }
  return found;
}

/**
 * Returns the first hour within the next 24 hours that is free in any room, with its price and the first room in which it is free. Null if
 * there is none.
 */
export function nextFree(
  rooms: readonly PricedRoom[],
  now: Date,
  horizonDays: number,
): { readonly studioId: string; readonly slot: Slot; readonly cents: number } | null {
  let slot: Slot = { date: studioDate(now), hour: studioHour(now) };
  for (let ahead = 0; ahead < 24; ahead += 1, slot = nextSlot(slot)) {
    const room = rooms.find(({ busy }) => isBookable(slot, busy, now, horizonDays));
    if (room) return { studioId: room.studioId, slot, cents: quoteSlots([slot], room.rates).totalCents };
  }
  return null;
}
