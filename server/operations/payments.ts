import { mailIsImmediate } from '#rules/access.ts';
import { settings as studio } from '#rules/venue.ts';
import type { Database, Transaction } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Payments, PaymentSession } from '#server/providers/ports.ts';
import { ProviderError } from '#server/providers/call.ts';
import { inParallel } from '#server/queue/in-parallel.ts';
import {
  type BookingFacts,
  type CancelReason,
  latestPayment,
  lockBooking,
  type PaymentFacts,
  readBooking,
} from './booking-rows.ts';
import { failpoint } from './failpoint.ts';
import { enqueue, type JobOutcome } from './outbox.ts';
import { Refusal } from './refusal.ts';

/** A hold may not be paid for once its session has run for so long (promises F28). */
const PAYABLE_AFTER_START_MS = 30 * 60_000;
/** A create call younger than this may still be under way: its hold is not released by guesswork. */
const CREATE_MAY_RUN_MS = 60_000;
/** Expired holds that are given up at the same time. */
const RELEASES_AT_ONCE = 4;

export type Settlement = {
  readonly booking: BookingFacts;
  readonly payment: PaymentFacts;
  /** Money is with us for this booking. */
  readonly paid: boolean;
};

export type PaymentDesk = {
  /** Webhook, returning browser, sweep and staff all come here: asks the provider, then moves the rows. Any number of calls is one. */
  settle(sessionId: string): Promise<Settlement>;
  /** The handshake: a hold is given up only after the provider has said that its session can no longer be paid. */
  release(bookingId: string, reason: CancelReason): Promise<BookingFacts>;
  /** Confirms a booking that costs nothing, in the caller's transaction. */
  confirmFree(tx: Transaction, bookingId: string): Promise<void>;
  /** Runs a queued refund. */
  refund(paymentId: string, tries: number): Promise<JobOutcome>;
  /** Holds past their time, and sessions paid that nobody told us of. */
  releaseExpired(stop?: () => boolean): Promise<number>;
  reconcile(): Promise<number>;
};

export function createPaymentDesk(parts: { db: Database; payments: Payments; clock: Clock; log: Log }): PaymentDesk {
  const { db, payments, clock, log } = parts;

  async function settle(sessionId: string): Promise<Settlement> {
    if (sessionId.startsWith('free_')) return settled(sessionId.slice('free_'.length));
    const session = await orMissing(payments.getSession(sessionId));
    failpoint('settle.after.get');
    if (session === null) throw new Refusal('not_found', 'Booking not found');
    return apply(session, 'hold_expired');
  }

  async function settled(bookingId: string): Promise<Settlement> {
    const booking = /^[0-9a-f-]{36}$/.test(bookingId) ? await readBooking(db, bookingId) : null;
    const payment = booking ? await latestPayment(db, booking.id) : null;
    if (!booking || !payment || payment.kind !== 'free') throw new Refusal('not_found', 'Booking not found');
    return { booking, payment, paid: payment.state === 'paid' };
  }

  /** Moves booking and payment to where the provider's session says they are. Terminal bookings never move back. */
  async function apply(session: PaymentSession, reason: CancelReason): Promise<Settlement> {
    const bookingId = session.bookingId;
    if (bookingId === null || !/^[0-9a-f-]{36}$/.test(bookingId)) throw new Refusal('not_found', 'Booking not found');
    const settlement = await db.transaction(async (tx) => {
      const booking = await lockBooking(tx, bookingId);
      const payment = booking ? await lockPayment(tx, booking.id, session) : null;
      if (!booking || !payment) throw new Refusal('not_found', 'Booking not found');
      if (session.paymentStatus === 'paid' || session.paymentStatus === 'no_payment_required')
        await applyPaid(tx, session, booking, payment);
      else if (session.status === 'expired') await applyExpired(tx, booking, payment, reason);
      failpoint('settle.before.commit');
      return read(tx, booking.id, payment.id);
    });
    failpoint('settle.after.commit');
    return settlement;
  }

  async function lockPayment(
    tx: Transaction,
    bookingId: string,
    session: PaymentSession,
  ): Promise<PaymentFacts | null> {
    const row = await tx.one<{ facts: PaymentFacts }>(
      `select private.payment_facts(x) as facts from private.payment x
       where x.booking_id = $1::uuid and (x.session_id = $2 or (x.session_id is null and x.state in ('intent', 'expired') and x.key = $3))
       order by x.session_id = $2 desc nulls last limit 1 for update`,
      [bookingId, session.id, session.metadata['key'] ?? ''],
    );
    const payment = row?.facts ?? null;
    if (payment && payment.sessionId === null) {
      await tx.query('update private.payment set session_id = $2 where id = $1::uuid', [payment.id, session.id]);
    }
    return payment;
  }

  async function applyPaid(
    tx: Transaction,
    session: PaymentSession,
    booking: BookingFacts,
    payment: PaymentFacts,
  ): Promise<void> {
    if (payment.state !== 'intent' && payment.state !== 'open' && payment.state !== 'expired') return;
    const now = clock();
    const matches =
      session.currency === 'aud' &&
      session.amountCents === payment.amountCents &&
      payment.amountCents === booking.finalCostCents;
    const inTime = now.getTime() <= Date.parse(booking.startTime) + PAYABLE_AFTER_START_MS;
    if (booking.status === 'pending' && payment.state !== 'expired' && matches && inTime) {
      await tx.query(
        `update private.payment set state = 'paid', payment_intent_id = $2, paid_at = $3::timestamptz where id = $1::uuid`,
        [payment.id, session.paymentIntentId, now],
      );
      await confirm(tx, booking);
      return;
    }
    // Paid, but there is nothing to keep it for: it goes back, in the same transaction that learns of it.
    const reason = !matches ? 'amount_mismatch' : booking.status === 'confirmed' ? 'second_payment' : 'too_late';
    await tx.query(
      `update private.payment set state = 'refund_pending', payment_intent_id = $2, paid_at = $3::timestamptz, refund_reason = $4 where id = $1::uuid`,
      [payment.id, session.paymentIntentId, now, reason],
    );
    if (booking.status === 'pending') await cancelRow(tx, booking.id, matches ? 'slot_lost' : 'amount_mismatch');
    await tx.query(`select private.audit(null, 'alert', 'payment', $1, $2::jsonb)`, [
      payment.id,
      { reason, bookingId: booking.id, expected: payment.amountCents, got: session.amountCents },
    ]);
    await enqueue(tx, { kind: 'payment.refund', subjectId: payment.id, dueAt: now });
    await enqueue(tx, { kind: 'mail.payment-returned', subjectId: booking.id, dedupe: payment.id, dueAt: now });
  }

  async function applyExpired(
    tx: Transaction,
    booking: BookingFacts,
    payment: PaymentFacts,
    reason: CancelReason,
  ): Promise<void> {
    if (payment.state === 'intent' || payment.state === 'open')
      await tx.query(`update private.payment set state = 'expired' where id = $1::uuid`, [payment.id]);
    if (booking.status === 'pending') await cancelRow(tx, booking.id, reason);
  }

  async function confirm(tx: Transaction, booking: BookingFacts): Promise<void> {
    const now = clock();
    await tx.query(
      `update private.booking set status = 'confirmed', confirmed_at = $2::timestamptz where id = $1::uuid and status = 'pending'`,
      [booking.id, now],
    );
    const start = Date.parse(booking.startTime);
    const requestAt = new Date(Math.max(now.getTime(), start - studio.requestLeadMinutes * 60_000));
    await enqueue(tx, { kind: 'mail.booking-confirmed', subjectId: booking.id, dueAt: now });
    await enqueue(tx, {
      kind: 'access.request',
      subjectId: booking.id,
      dueAt: requestAt,
      deadlineAt: new Date(Math.max(start, now.getTime() + 60_000)),
    });
    if (booking.userId !== null) {
      const atOnce = mailIsImmediate(new Date(start), now);
      // A trigger queues the code mail beside this row and names its recipient.
      await tx.query(
        `insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for) values ($1::uuid, '', 'access_code', $2, $3::timestamptz)`,
        [
          booking.id,
          atOnce ? 'pending_immediate' : 'pending',
          atOnce ? now : new Date(start - studio.releaseLeadMinutes * 60_000),
        ],
      );
    }
    await tx.query(`select private.audit($2::uuid, 'update', 'booking', $1, '{"status": "confirmed"}')`, [
      booking.id,
      booking.userId,
    ]);
  }

  async function read(tx: Transaction, bookingId: string, paymentId: string): Promise<Settlement> {
    const row = await tx.one<{ booking: BookingFacts; payment: PaymentFacts }>(
      `select private.booking_facts(b) as booking, private.payment_facts(x) as payment
       from private.booking b join private.payment x on x.booking_id = b.id where b.id = $1::uuid and x.id = $2::uuid`,
      [bookingId, paymentId],
    );
    if (!row) throw new Error('a settled booking cannot be read back');
    return { ...row, paid: row.payment.state === 'paid' || row.payment.state === 'disputed' };
  }

  async function release(bookingId: string, reason: CancelReason): Promise<BookingFacts> {
    const booking = await readBooking(db, bookingId);
    if (!booking) throw new Refusal('not_found', 'Booking not found');
    if (booking.status !== 'pending') return booking;
    const payment = await latestPayment(db, bookingId);
    if (payment?.state === 'open' && payment.sessionId) {
      const session = await orMissing(payments.expireSession(payment.sessionId));
      failpoint('release.after.expire');
      if (session === null) return giveUp(booking.id, reason);
      return (await apply(session, reason)).booking;
    }
    if (payment?.state === 'intent') return releaseIntent(booking, payment, reason);
    return giveUp(booking.id, reason);
  }

  /** A session, or null when the provider has never heard of it: then nobody can pay it either. */
  async function orMissing(asked: Promise<PaymentSession>): Promise<PaymentSession | null> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof ProviderError && error.reason === 'resource_missing' && !error.ambiguous) return null;
      throw error;
    }
  }

  /** A session that was asked for but never stored: look it up before anything is given away (promises F14). */
  async function releaseIntent(
    booking: BookingFacts,
    payment: PaymentFacts,
    reason: CancelReason,
  ): Promise<BookingFacts> {
    if (clock().getTime() - Date.parse(payment.createdAt) < CREATE_MAY_RUN_MS && reason !== 'replaced') return booking;
    const found = await payments.findSession(booking.id, new Date(Date.parse(booking.createdAt) - 60_000));
    if (!found) return giveUp(booking.id, reason);
    const session = found.status === 'open' ? await payments.expireSession(found.id) : found;
    return (await apply(session, reason)).booking;
  }

  async function giveUp(bookingId: string, reason: CancelReason): Promise<BookingFacts> {
    return db.transaction(async (tx) => {
      const booking = await lockBooking(tx, bookingId);
      if (!booking) throw new Refusal('not_found', 'Booking not found');
      if (booking.status !== 'pending') return booking;
      await tx.query(
        `update private.payment set state = 'expired' where booking_id = $1::uuid and state in ('intent', 'open')`,
        [bookingId],
      );
      await cancelRow(tx, bookingId, reason);
      return { ...booking, status: 'cancelled', cancelReason: reason };
    });
  }

  async function refund(paymentId: string, tries: number): Promise<JobOutcome> {
    const row = await db.one<{ facts: PaymentFacts }>(
      `select private.payment_facts(x) as facts from private.payment x where x.id = $1::uuid`,
      [paymentId],
    );
    const payment = row?.facts;
    if (!payment || payment.state !== 'refund_pending') return 'done';
    if (payment.kind === 'free' || payment.paymentIntentId === null)
      throw new Error(`payment ${paymentId} has nothing to refund`);
    // The provider forgets a key after a day: a late try looks before it repeats (promises F20).
    const earlier = tries > 1 ? await payments.findRefund(payment.paymentIntentId) : null;
    const made =
      earlier ??
      (await payments.refund({
        key: `refund:${payment.id}`,
        paymentIntentId: payment.paymentIntentId,
        amountCents: payment.amountCents,
      }));
    failpoint('refund.after.call');
    const state = made.status === 'failed' || made.status === 'canceled' ? 'refund_failed' : 'refunded';
    await db.transaction(async (tx) => {
      await tx.query(
        `update private.payment set state = $2, refund_id = $3 where id = $1::uuid and state = 'refund_pending'`,
        [payment.id, state, made.id],
      );
      await tx.query(`select private.audit(null, $2, 'payment', $1, $3::jsonb)`, [
        payment.id,
        state === 'refunded' ? 'update' : 'alert',
        { state, amountCents: made.amountCents },
      ]);
    });
    return 'done';
  }

  async function releaseExpired(stop: () => boolean = () => false): Promise<number> {
    const { rows } = await db.query<{ id: string }>(
      `select id from private.booking where status = 'pending' and hold_expires_at <= $1::timestamptz order by hold_expires_at limit 50`,
      [clock()],
    );
    let released = 0;
    await inParallel(
      rows,
      RELEASES_AT_ONCE,
      async (row) => {
        const booking = await release(row.id, 'hold_expired').catch((error: unknown) => {
          // The slot stays blocked: nothing is given away on a guess.
          log.error({ booking: row.id, reason: reasonOf(error) }, 'a hold could not be released yet');
          return null;
        });
        if (booking?.status === 'cancelled') released += 1;
      },
      stop,
    );
    return released;
  }

  async function reconcile(): Promise<number> {
    const sessions = await payments.listSessions(new Date(clock().getTime() - 72 * 3_600_000));
    const paid = sessions.filter((session) => session.paymentStatus === 'paid');
    const { rows } = await db.query<{ session_id: string }>(
      `select session_id from private.payment where session_id = any($1::text[]) and state not in ('intent', 'open', 'expired')`,
      [paid.map((session) => session.id)],
    );
    const known = new Set(rows.map((row) => row.session_id));
    let settledNow = 0;
    for (const session of paid) {
      if (known.has(session.id)) continue;
      try {
        await apply(session, 'hold_expired');
        settledNow += 1;
      } catch (error) {
        log.error({ session: session.id, err: error }, 'a paid session could not be settled');
      }
    }
    return settledNow;
  }

  return {
    settle,
    release,
    refund,
    releaseExpired,
    reconcile,
    async confirmFree(tx, bookingId) {
      const booking = await lockBooking(tx, bookingId);
      if (!booking) throw new Refusal('not_found', 'Booking not found');
      await tx.query(
        `update private.payment set state = 'paid', paid_at = $2::timestamptz where booking_id = $1::uuid and kind = 'free'`,
        [bookingId, clock()],
      );
      await confirm(tx, booking);
    },
  };
}

async function cancelRow(tx: Transaction, bookingId: string, reason: CancelReason): Promise<void> {
  await tx.query(`update private.booking set status = 'cancelled', cancel_reason = $2 where id = $1::uuid`, [
    bookingId,
    reason,
  ]);
  await tx.query(`select private.audit(null, 'update', 'booking', $1, $2::jsonb)`, [
    bookingId,
    { status: 'cancelled', reason },
  ]);
}

function reasonOf(error: unknown): string {
  if (error instanceof ProviderError) return `${error.provider} ${error.reason}`;
  return error instanceof Error ? error.message : String(error);
}
