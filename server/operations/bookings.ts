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
import { type BookingFacts, latestPayment, lockBooking, type PaymentFacts, readBooking } from './booking-rows.ts';
import { failpoint } from './failpoint.ts';
import { createSharedWork, startBudget, within } from './payments/in-time.ts';
import { openSession } from './payments/open-session.ts';
import { enqueue } from './outbox.ts';
import type { PaymentDesk } from './payments/desk.ts';
import { Refusal } from './refusal.ts';

export type HoldRequest = {
  readonly userId: string;
  readonly email: string;
  readonly studioId: string;
  readonly startTime: Date;
  readonly endTime: Date;
  readonly couponCode: string | null;
  /** As `storedPhone` writes it; null when none was given. */
  readonly contactPhone: string | null;
  readonly termsAccepted: boolean;
  /** What the customer was shown, in cents; null when nothing was shown. */
  readonly shownTotalCents: number | null;
};

/** `url`: where the customer goes to pay, or the result page when nothing is to pay; null while the provider has not answered yet. */
export type Held = {
  readonly bookingId: string;
  readonly reference: string;
  readonly url: string | null;
  readonly totalCents: number;
};

export type Cancelled = { readonly refund: 'full' | 'none'; readonly amountCents: number };

export type BookingSettings = {
  readonly siteUrl: string;
  readonly holdMinutes: number;
  readonly sessionMinutes: number;
  /** Multiplies every limit; 1 outside tests. */
  readonly limitFactor: number;
};

export type Bookings = {
  /** Prices, checks and holds a span of hours, and opens the payment session. Double clicks answer the same session. */
  hold(request: HoldRequest): Promise<Held>;
  /** Gives up the caller's own unpaid hold, by the handshake. */
  letGo(bookingId: string, userId: string): Promise<BookingFacts>;
  /** The customer's own cancellation, with the refund its frozen policy gives. */
  cancel(bookingId: string, userId: string): Promise<Cancelled>;
  /** A booking of the caller: the given one, or the newest confirmed one. */
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
  | { outcome: 'replace'; bookingId: string }
  | { outcome: 'taken'; expired: string[] }
  | { outcome: 'too_many_holds' };

export function createBookings(parts: {
  db: Database;
  payments: Payments;
  desk: PaymentDesk;
  clock: Clock;
  log: Log;
  settings: BookingSettings;
}): Bookings {
  const { db, payments, desk, clock, log, settings } = parts;
  const opening = createSharedWork<string | null>();
  const sessions = { db, payments, clock, siteUrl: settings.siteUrl, sessionMinutes: settings.sessionMinutes };

  async function hold(request: HoldRequest): Promise<Held> {
    const now = clock();
    const left = startBudget();
    const slots = openSlots(request, now);
    const facts = await readFacts(request, slots.length, now);
    const verified = admit(request, facts, now);
    const coupon = couponTerms(facts);
    const quote = quoteSlots(slots, coupon);
    if (request.shownTotalCents !== null && request.shownTotalCents !== quote.totalCents) {
      throw new Refusal('price_changed', 'The price of this booking has changed. Please check the new total.', {
        total: centsToDollars(quote.totalCents),
      });
    }
    const claim = holdParameters(request, facts, quote, verified, now);
    const outcome = await claimSlot(claim, quote.totalCents === 0, now, left);
    // However often the page asks, the provider is asked once at a time; whoever waits too long hears that it is still being asked.
    const asked = opening(outcome.payment.id, () =>
      openSession(sessions, outcome.booking, outcome.payment, { email: request.email, hours: quote.hours }),
    );
    const held = await within(log, left(), asked, null);
    return {
      bookingId: outcome.booking.id,
      reference: outcome.booking.reference,
      url: held,
      totalCents: outcome.booking.finalCostCents,
    };
  }

  function openSlots(request: HoldRequest, now: Date): Slot[] {
    const slots = slotsOfSpan(request.startTime, request.endTime);
    if (!slots || slots.length === 0)
      throw new Refusal('invalid_request', 'A booking starts and ends on the hour, Sydney time.');
    if (slots.length > studio.maxHours)
      throw new Refusal('invalid_request', `A booking is at most ${studio.maxHours} hours long.`);
    for (const slot of slots) {
      const closed = slotClosed(slot, now);
      if (closed === 'past') throw new Refusal('slot_closed', 'This time can no longer be booked.');
      if (closed) throw new Refusal('slot_closed', 'This time cannot be booked.');
    }
    return slots;
  }

  async function readFacts(request: HoldRequest, hours: number, now: Date): Promise<Facts> {
    const row = await db.one<{ facts: Facts }>(
      `select private.checkout_facts($1::uuid, $2::uuid, $3::text, $4::numeric, $5::timestamptz) as facts`,
      [request.userId, request.studioId, request.couponCode, hours, now],
    );
    if (!row) throw new Error('checkout_facts answered nothing');
    return row.facts;
  }

  /** Age, identity and terms, checked here again whatever the page did (decisions T-19). Answers the verification used. */
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
      const exhausted = facts.coupon.problem === 'This code has been fully used.';
      throw new Refusal(exhausted ? 'coupon_exhausted' : 'coupon_invalid', facts.coupon.problem);
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
    quote: Quote,
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
      // Whole seconds: the provider counts in them, and a repeated call must say the very same.
      sessionExpiresAt: new Date(Math.ceil(now.getTime() / 1000) * 1000 + settings.sessionMinutes * 60_000),
      totalHours: quote.hours,
      slots: quote.slots,
      baseCostCents: quote.baseCents,
      discountCents: quote.discountCents,
      couponId: facts.coupon?.id ?? null,
      couponType: facts.coupon?.discountType ?? null,
      couponValue: facts.coupon?.discountValue ?? null,
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

  /** Holds, giving up expired holds in the way by the handshake first; at most a few rounds. */
  async function claimSlot(
    claim: Record<string, unknown>,
    free: boolean,
    now: Date,
    left: () => number,
  ): Promise<{ booking: BookingFacts; payment: PaymentFacts }> {
    for (let round = 0; round < 3; round += 1) {
      const outcome = await tryHold(claim, free, now);
      failpoint('hold.after.insert');
      if (outcome.outcome === 'held' || outcome.outcome === 'existing') return outcome;
      if (outcome.outcome === 'too_many_holds') {
        throw new Refusal(
          'too_many_holds',
          'You already have bookings waiting for payment. Pay for one or let it go first.',
        );
      }
      if (outcome.outcome === 'replace') {
        const gone = await within(log, left(), desk.release(outcome.bookingId, 'replaced'), null);
        if (gone === null)
          throw new Refusal(
            'provider_unavailable',
            'We are still asking the payment provider. Please try again in a moment.',
          );
        continue;
      }
      if (outcome.expired.length === 0) break;
      // A provider that says nothing leaves the hold in the way: the slot counts as taken.
      const releases = outcome.expired.map((id) => desk.release(id, 'hold_expired').catch(stillHeld));
      const freed = await within(log, left(), Promise.all(releases), []);
      if (!freed.some((booking) => booking?.status === 'cancelled')) break;
    }
    throw new Refusal('slot_taken', 'Somebody else has just taken this time. Please choose another.');
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
      if (!row) throw new Error('hold_booking answered nothing');
      return row.outcome;
    } catch (error) {
      if (error instanceof DatabaseError && error.code === 'HC001')
        throw new Refusal('coupon_exhausted', 'This code has been fully used.');
      throw error;
    }
  }

  async function ownBooking(userId: string, bookingId: string): Promise<BookingFacts> {
    const booking = await readBooking(db, bookingId);
    if (!booking || booking.userId !== userId) throw new Refusal('not_found', 'Booking not found');
    return booking;
  }

  async function cancel(bookingId: string, userId: string): Promise<Cancelled> {
    await ownBooking(userId, bookingId);
    return db.transaction(async (tx) => {
      const booking = await lockBooking(tx, bookingId);
      if (!booking) throw new Refusal('not_found', 'Booking not found');
      if (booking.status === 'cancelled') throw new Refusal('already_done', 'This booking is already cancelled.');
      if (booking.status === 'pending') throw new Refusal('not_confirmed', 'This booking is not paid for yet.');
      const now = clock();
      const until = Date.parse(booking.startTime) - studio.freeCancelHours * 3_600_000;
      if (now.getTime() > until) {
        throw new Refusal(
          'too_late',
          `Bookings can be cancelled up to ${studio.freeCancelHours} hours before the start. Please write to us instead.`,
        );
      }
      const payment = await latestPayment(tx, booking.id);
      await tx.query(
        `update private.booking set status = 'cancelled', cancel_reason = 'customer' where id = $1::uuid`,
        [booking.id],
      );
      const refund = payment?.kind === 'card' && payment.state === 'paid' ? payment : null;
      if (refund) {
        await tx.query(
          `update private.payment set state = 'refund_pending', refund_reason = 'customer' where id = $1::uuid`,
          [refund.id],
        );
        await enqueue(tx, { kind: 'payment.refund', subjectId: refund.id, dueAt: now });
      }
      await enqueue(tx, { kind: 'mail.booking-cancelled', subjectId: booking.id, dueAt: now });
      await enqueue(tx, { kind: 'access.revoke', subjectId: booking.id, dueAt: now });
      await tx.query(
        `select private.audit($2::uuid, 'update', 'booking', $1, '{"status": "cancelled", "reason": "customer"}')`,
        [booking.id, userId],
      );
      return { refund: refund ? 'full' : 'none', amountCents: refund?.amountCents ?? 0 };
    });
  }

  return {
    hold,
    cancel,
    async letGo(bookingId, userId) {
      await ownBooking(userId, bookingId);
      return desk.release(bookingId, 'abandoned');
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

/** The provider gave no answer: the hold in the way stays, and the slot counts as taken. */
function stillHeld(error: unknown): null {
  if (error instanceof ProviderError) return null;
  throw error;
}
