import { centsToDollars } from '#rules/money.ts';
import { ageOn } from '#rules/people.ts';
import { quoteSlots, type Quote } from '#rules/pricing.ts';
import { slotClosed, slotsOfSpan } from '#rules/slots.ts';
import type { Slot } from '#rules/slots.ts';
import { formatStudioRange, studioDate } from '#rules/studio-time.ts';
import { settings as studio } from '#rules/venue.ts';
import type { CouponTerms } from '#rules/coupons.ts';
import { type Database, DatabaseError } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Payments, PaymentSession } from '#server/providers/ports.ts';
import { ProviderError } from '#server/providers/call.ts';
import { type BookingFacts, latestPayment, lockBooking, type PaymentFacts, readBooking } from './booking-rows.ts';
import { failpoint } from './failpoint.ts';
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

/** `url`: where the customer goes to pay, or the result page when nothing is to pay. */
export type Held = {
  readonly bookingId: string;
  readonly reference: string;
  readonly url: string;
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

/** After this long an unanswered create call is looked up instead of repeated: its expiry would be refused as too near. */
const REPEAT_WITHIN_MS = 45_000;

export function createBookings(parts: {
  db: Database;
  payments: Payments;
  desk: PaymentDesk;
  clock: Clock;
  settings: BookingSettings;
}): Bookings {
  const { db, payments, desk, clock, settings } = parts;

  async function hold(request: HoldRequest): Promise<Held> {
    const now = clock();
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
    const outcome = await claimSlot(claim, quote.totalCents === 0, now);
    const held = await openSession(outcome.booking, outcome.payment, request, quote);
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
        await desk.release(outcome.bookingId, 'replaced');
        continue;
      }
      if (outcome.expired.length === 0) break;
      const freed = await Promise.all(outcome.expired.map((id) => desk.release(id, 'hold_expired').catch(stillHeld)));
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

  async function openSession(
    booking: BookingFacts,
    payment: PaymentFacts,
    request: HoldRequest,
    quote: Quote,
  ): Promise<string> {
    if (payment.kind === 'free') return resultUrl(booking.id, `free_${booking.id}`);
    if (payment.state === 'open' && payment.url) return payment.url;
    if (payment.state === 'processing')
      throw new Refusal(
        'payment_processing',
        'Your payment for this booking is being processed. We’ll email you as soon as we know.',
        { bookingId: booking.id },
      );
    if (payment.state !== 'intent')
      throw new Refusal('already_done', 'This booking has already been paid for or released.');
    const session = await createOrFind(booking, payment, request, quote);
    failpoint('hold.after.session');
    const { count } = await db.query(
      `update private.payment p set state = 'open', session_id = $2, url = $3
       from private.booking b where p.id = $1::uuid and b.id = p.booking_id and b.status = 'pending' and p.state in ('intent', 'open')`,
      [payment.id, session.id, session.url],
    );
    if (count === 0) {
      // The hold was given up while the provider was thinking: nobody may pay for it.
      await payments.expireSession(session.id);
      throw new Refusal('slot_taken', 'This time is no longer held for you. Please choose again.');
    }
    if (!session.url) throw new Refusal('already_done', 'This booking has already been paid for.');
    return session.url;
  }

  /** The same key gives the same session; an unanswered call of a while ago is looked up first (promises F14). */
  async function createOrFind(
    booking: BookingFacts,
    payment: PaymentFacts,
    request: HoldRequest,
    quote: Quote,
  ): Promise<PaymentSession> {
    const stale = clock().getTime() - Date.parse(payment.createdAt) > REPEAT_WITHIN_MS;
    if (stale) {
      const found = await payments.findSession(booking.id, new Date(Date.parse(booking.createdAt) - 60_000));
      if (found) return found;
    }
    const start = new Date(booking.startTime);
    const end = new Date(booking.endTime);
    try {
      return await payments.createSession({
        key: payment.key,
        bookingId: booking.id,
        amountCents: payment.amountCents,
        description: `${booking.studioName}, ${formatStudioRange(start, end)} (${quote.hours} h)`,
        customerEmail: request.email,
        successUrl: resultUrl(booking.id, '{CHECKOUT_SESSION_ID}'),
        cancelUrl: `${settings.siteUrl}/checkout?released=${booking.id}`,
        expiresAt: new Date(payment.sessionExpiresAt ?? clock().getTime() + settings.sessionMinutes * 60_000),
        allowDelayed: start.getTime() - Date.parse(booking.createdAt) >= studio.delayedPaymentLeadDays * 24 * 3_600_000,
        metadata: { booking_id: booking.id, reference: booking.reference, key: payment.key },
      });
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const found = error.ambiguous
        ? await payments.findSession(booking.id, new Date(Date.parse(booking.createdAt) - 60_000)).catch(() => null)
        : null;
      if (found) return found;
      throw new Refusal(
        'provider_unavailable',
        'The payment service cannot be reached right now. Your time is held; please try again in a moment.',
        {
          bookingId: booking.id,
        },
      );
    }
  }

  function resultUrl(bookingId: string, sessionId: string): string {
    return `${settings.siteUrl}/payment-success?session_id=${sessionId}&booking_id=${bookingId}`;
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
