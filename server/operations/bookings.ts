import { centsToDollars } from '#rules/money.ts';
import { ageOn } from '#rules/people.ts';
import { quoteSlots, type Quote } from '#rules/pricing.ts';
import { slotClosed, slotsOfSpan } from '#rules/slots.ts';
import type { Slot } from '#rules/slots.ts';
import { studioDate } from '#rules/studio-time.ts';
import { settings as studio } from '#rules/venue.ts';
import type { CouponTerms } from '#rules/coupons.ts';
import { type Database, DatabaseError } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Payments } from '#server/providers/ports.ts';
import { ProviderError } from '#server/providers/call.ts';
import { type BookingFacts, type PaymentFacts, readBooking } from './core/booking-rows.ts';
import { cancelBooking, type Cancelled } from './bookings/cancel.ts';
import type { CouponGuesses } from './bookings/coupon-guesses.ts';
import { closeSession } from './bookings/close-session.ts';
import { quoteOfBooking, tooManyHolds } from './bookings/held.ts';
import { failpoint } from './core/failpoint.ts';
import type { PaymentDesk } from './payments/desk.ts';
import { createSharedWork, startBudget, within } from './payments/in-time.ts';
import { openSession } from './payments/open-session.ts';
import { Refusal } from './core/refusal.ts';

export type HoldRequest = {
  readonly userId: string;
  /** IP address of the caller, for the limit on coupon guesses. */
  readonly ip: string;
  readonly email: string;
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  /** '' for no coupon; null keeps the coupon of the caller's own hold of these hours. */
  readonly couponCode: string | null;
  /** As `storedPhone` writes it; null when none was given. */
  readonly contactPhone: string | null;
  readonly termsAccepted: boolean;
  /** The total on the customer's screen, in cents; null when it showed none. */
  readonly shownTotalCents: number | null;
};

/** `url`: the pay page, or the result page of a free booking; null while the provider has not answered. */
export type Held = {
  readonly bookingId: string;
  readonly reference: string;
  readonly url: string | null;
  readonly totalCents: number;
};

export type BookingSettings = {
  readonly siteUrl: string;
  readonly holdMinutes: number;
  readonly sessionMinutes: number;
  /** How long a hold waits for the payment provider, in milliseconds. */
  readonly answerWithinMs: number;
  /** Multiplies each limit; 1 outside tests. */
  readonly limitFactor: number;
};

export type Bookings = {
  /** Prices, checks and holds a span of hours, and opens the payment session. A repeated call answers the same session. */
  hold(request: HoldRequest): Promise<Held>;
  /** Releases the caller's own unpaid hold after the provider closed its session; `couponCode` is the code it had, free to use again. */
  letGo(bookingId: string, userId: string): Promise<{ booking: BookingFacts; couponCode: string | null }>;
  /** Cancels the customer's own booking, with the refund that its frozen terms give. */
  cancel(bookingId: string, userId: string): Promise<Cancelled>;
  /** Reads a booking of the caller: the given one, or the newest confirmed one. */
  own(userId: string, bookingId: string | null): Promise<BookingFacts>;
};

type Facts = {
  studio: { id: string; name: string } | null;
  profile: { fullName: string | null; dateOfBirth: string | null } | null;
  mailConfirmed: boolean | null;
  termsAccepted: string[] | null;
  verification: { id: string; expiresAt: string } | null;
  coupon: {
    id: string;
    code: string;
    discountType: CouponTerms['discountType'];
    discountValue: number;
    problem: string | null;
  } | null;
};

type HoldOutcome =
  | { outcome: 'held'; booking: BookingFacts; payment: PaymentFacts }
  | { outcome: 'existing'; booking: BookingFacts; payment: PaymentFacts }
  | { outcome: 'replace'; bookingIds: string[] }
  | { outcome: 'taken'; expired: string[]; mine: string | null }
  | { outcome: 'too_many_holds'; holds: BookingFacts[]; retryAt: string | null };

/** The caller's unpaid hold of exactly these hours with its price: `private.own_hold()`. */
type OwnHold = { booking: BookingFacts; couponId: string | null; coupon: CouponTerms | null; payable: boolean };
/** What a hold costs, with the coupon it uses; `couponId` is null without one. */
type Price = { readonly quote: Quote; readonly couponId: string | null; readonly coupon: CouponTerms | null };

/** Messages of `private.coupon_problem()` for a code that is used up, in total or for this customer. */
const USED_UP: ReadonlySet<string> = new Set(['This code has been fully used.', 'You have used this code already.']);

export function createBookings(context: {
  db: Database;
  payments: Payments;
  desk: PaymentDesk;
  guesses: CouponGuesses;
  clock: Clock;
  log: Log;
  settings: BookingSettings;
}): Bookings {
  const { db, payments, desk, guesses, clock, log, settings } = context;
  const shareOpening = createSharedWork<string | null>();
  const sessions = { db, payments, clock, siteUrl: settings.siteUrl, sessionMinutes: settings.sessionMinutes };

  async function hold(request: HoldRequest): Promise<Held> {
    const now = clock();
    const timeLeft = startBudget(settings.answerWithinMs);
    const slots = readSpan(request);
    const own = await ownHold(request);
    const code = request.couponCode ?? own?.coupon?.code ?? null;
    // Sending the code of an own hold again is not a guess.
    if (request.couponCode && request.couponCode.toUpperCase() !== own?.coupon?.code.toUpperCase())
      await guesses.count(request.userId, request.ip);
    const facts = await readFacts(request, code === '' ? null : code, slots.length, now);
    const verified = admit(request, facts, now);
    const price = frozenPrice(own, code, now) ?? newPrice(slots, facts, now);
    if (request.shownTotalCents !== null && request.shownTotalCents !== price.quote.totalCents) {
      throw new Refusal('price_changed', 'The price of this booking has changed. Please check the new total.', {
        total: centsToDollars(price.quote.totalCents),
        couponCode: price.coupon?.code ?? null,
      });
    }
    const claim = holdParameters(request, facts, price, verified, now);
    const outcome = await claimSlot(claim, price.quote.totalCents === 0, now, timeLeft);
    // Concurrent calls share one request to the provider. A caller that waits too long gets no URL and asks again.
    const opening = shareOpening(outcome.payment.id, () =>
      openSession(sessions, outcome.booking, outcome.payment, { email: request.email, hours: price.quote.hours }),
    );
    const held = await within(log, timeLeft(), opening, null);
    return {
      bookingId: outcome.booking.id,
      reference: outcome.booking.reference,
      url: held,
      totalCents: outcome.booking.finalCostCents,
    };
  }

  function readSpan(request: HoldRequest): Slot[] {
    const slots = slotsOfSpan(request.startTime, request.endTime);
    if (!slots || slots.length === 0)
      throw new Refusal('invalid_request', 'Bookings start and end on the hour, Sydney time.');
    if (slots.length > studio.maxHours)
      throw new Refusal('invalid_request', `A booking can be up to ${studio.maxHours} hours long.`);
    return slots;
  }

  async function ownHold(request: HoldRequest): Promise<OwnHold | null> {
    const row = await db.one<{ hold: OwnHold | null }>(
      'select private.own_hold($1::uuid, $2::uuid, $3::timestamptz, $4::timestamptz) as hold',
      [request.userId, request.studioId, request.startTime, request.endTime],
    );
    return row?.hold ?? null;
  }

  /** The frozen price of an own hold that can still be paid with the same code; it was checked when the hold was made. */
  function frozenPrice(own: OwnHold | null, code: string | null, now: Date): Price | null {
    if (!own?.payable || own.booking.holdExpiresAt === null || Date.parse(own.booking.holdExpiresAt) <= now.getTime())
      return null;
    if ((own.coupon?.code ?? '') !== (code ?? '').trim().toUpperCase()) return null;
    return { quote: quoteOfBooking(own.booking), couponId: own.couponId, coupon: own.coupon };
  }

  function newPrice(slots: readonly Slot[], facts: Facts, now: Date): Price {
    for (const slot of slots) {
      const closed = slotClosed(slot, now);
      if (closed === 'past') throw new Refusal('slot_closed', 'This time can no longer be booked.');
      if (closed) throw new Refusal('slot_closed', 'This time can’t be booked.');
    }
    const coupon = couponTerms(facts);
    return { quote: quoteSlots(slots, coupon), couponId: facts.coupon?.id ?? null, coupon };
  }

  async function readFacts(request: HoldRequest, code: string | null, hours: number, now: Date): Promise<Facts> {
    const row = await db.one<{ facts: Facts }>(
      `select private.checkout_facts($1::uuid, $2::uuid, $3::text, $4::numeric, $5::timestamptz) as facts`,
      [request.userId, request.studioId, code, hours, now],
    );
    if (!row) throw new Error('checkout_facts returned no row');
    return row.facts;
  }

  /** Checks age, identity and terms again, whatever the page did. Returns the id of the verification. */
  function admit(request: HoldRequest, facts: Facts, now: Date): string {
    if (!facts.studio) throw new Refusal('invalid_request', 'Selected studio not found.');
    if (!facts.mailConfirmed) throw new Refusal('mail_unconfirmed', 'Please confirm your email address first.');
    const born = facts.profile?.dateOfBirth;
    if (!born || ageOn(born, studioDate(now)) < 18)
      throw new Refusal('age_required', 'You must be 18 years or older to book.');
    if (!facts.verification || Date.parse(facts.verification.expiresAt) < request.endTime.getTime()) {
      throw new Refusal('id_required', 'Please verify your ID before you book.');
    }
    if (!request.termsAccepted && !facts.termsAccepted?.includes(studio.termsVersion)) {
      throw new Refusal('terms_required', 'Please accept the terms and conditions.');
    }
    return facts.verification.id;
  }

  function couponTerms(facts: Facts): CouponTerms | null {
    if (!facts.coupon) return null;
    if (facts.coupon.problem) {
      throw new Refusal(
        USED_UP.has(facts.coupon.problem) ? 'coupon_exhausted' : 'coupon_invalid',
        facts.coupon.problem,
      );
    }
    return {
      code: facts.coupon.code,
      discountType: facts.coupon.discountType,
      discountValue: facts.coupon.discountValue,
    };
  }

  function holdParameters(
    request: HoldRequest,
    facts: Facts,
    { quote, couponId, coupon }: Price,
    verification: string,
    now: Date,
  ): Record<string, unknown> {
    return {
      userId: request.userId,
      studioId: request.studioId,
      studioName: facts.studio?.name,
      startTime: request.startTime,
      endTime: request.endTime,
      holdExpiresAt: new Date(now.getTime() + settings.holdMinutes * 60_000),
      // Whole seconds, as the provider counts: a repeated call must send the same value.
      sessionExpiresAt: new Date(Math.ceil(now.getTime() / 1000) * 1000 + settings.sessionMinutes * 60_000),
      totalHours: quote.hours,
      slots: quote.slots,
      baseCostCents: quote.baseCents,
      discountCents: quote.discountCents,
      couponId,
      couponTerms: coupon,
      couponDiscountCents: quote.couponDiscountCents,
      finalCostCents: quote.totalCents,
      idVerificationId: verification,
      termsVersion: studio.termsVersion,
      contactPhone: request.contactPhone,
      policy: { freeCancelHours: studio.freeCancelHours },
      maxLiveHolds: studio.maxLiveHolds * settings.limitFactor,
      holdsPerHour: studio.holdsPerHour * settings.limitFactor,
    };
  }

  /** Holds the hours. First closes own holds that it replaces and releases expired holds in the way; at most four rounds. */
  async function claimSlot(
    claim: Record<string, unknown>,
    free: boolean,
    now: Date,
    timeLeft: () => number,
  ): Promise<{ booking: BookingFacts; payment: PaymentFacts }> {
    for (let round = 0; round < 4; round += 1) {
      const outcome = await tryHold(claim, free, now);
      failpoint('hold.after.insert');
      if (outcome.outcome === 'held' || outcome.outcome === 'existing') return outcome;
      if (outcome.outcome === 'too_many_holds') throw tooManyHolds(outcome.holds, outcome.retryAt, now);
      if (outcome.outcome === 'replace') {
        if (!(await within(log, timeLeft(), closeSessions(outcome.bookingIds), false)))
          throw new Refusal(
            'provider_unavailable',
            'We’re still waiting for the payment provider. Please try again in a moment.',
          );
        continue;
      }
      if (outcome.mine !== null)
        throw new Refusal('slot_taken', `You’ve already booked this time. Your reference is ${outcome.mine}.`);
      if (outcome.expired.length === 0) break;
      // Without an answer from the provider the expired hold stays: the slot counts as taken.
      const releases = outcome.expired.map((id) => desk.release(id, 'hold_expired').catch(stillHeld));
      const freed = await within(log, timeLeft(), Promise.all(releases), []);
      if (!freed.some((booking) => booking?.status === 'cancelled')) break;
    }
    throw new Refusal('slot_taken', 'Somebody else has just taken this time. Please choose another.');
  }

  /** Closes the pay pages of own holds one after another. Returns true when all are closed. */
  async function closeSessions(bookingIds: readonly string[]): Promise<boolean> {
    for (const bookingId of bookingIds) await closeSession({ db, payments, desk }, bookingId);
    return true;
  }

  async function tryHold(claim: Record<string, unknown>, free: boolean, now: Date): Promise<HoldOutcome> {
    const sql = 'select private.hold_booking($1::jsonb, $2::timestamptz) as outcome';
    try {
      const row = free
        ? await db.transaction(async (tx) => {
            const held = await tx.one<{ outcome: HoldOutcome }>(sql, [claim, now]);
            if (held?.outcome.outcome === 'held') await desk.confirmFree(tx, held.outcome.booking.id);
            return held;
          })
        : await db.one<{ outcome: HoldOutcome }>(sql, [claim, now]);
      if (!row) throw new Error('hold_booking returned no row');
      return row.outcome;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === 'HC001')
        throw new Refusal('coupon_exhausted', 'This code has been fully used.');
      // Somebody took a slot while own holds were being replaced. The holds are unchanged; the next round tells who.
      if (error instanceof DatabaseError && error.code === 'HC002')
        return { outcome: 'taken', expired: [], mine: null };
      throw error;
    }
  }

  async function ownBooking(userId: string, bookingId: string): Promise<BookingFacts> {
    const booking = await readBooking(db, bookingId);
    if (!booking || booking.userId !== userId) throw new Refusal('not_found', 'Booking not found');
    return booking;
  }

  return {
    hold,
    async cancel(bookingId, userId) {
      await ownBooking(userId, bookingId);
      return cancelBooking({ db, clock }, bookingId, userId);
    },
    async letGo(bookingId, userId) {
      await ownBooking(userId, bookingId);
      const row = await db.one<{ code: string | null }>(
        `select coupon_terms ->> 'code' as code from private.booking where id = $1::uuid`,
        [bookingId],
      );
      return { booking: await desk.release(bookingId, 'abandoned'), couponCode: row?.code ?? null };
    },
    async own(userId, bookingId) {
      if (bookingId !== null) return ownBooking(userId, bookingId);
      const row = await db.one<{ facts: BookingFacts }>(
        `select private.booking_facts(b) as facts from private.booking b
         where b.user_id = $1::uuid and b.status = 'confirmed' order by b.confirmed_at desc limit 1`,
        [userId],
      );
      if (!row) throw new Refusal('not_found', 'Booking not found');
      return row.facts;
    },
  };
}

/** The provider did not answer, so the hold stays and the slot counts as taken. */
function stillHeld(error: unknown): null {
  if (error instanceof ProviderError) return null;
  throw error;
}
