import type { Transaction } from '#server/db/database.ts';
import type { Dispute, PaymentSession, Refund } from '#server/providers/ports.ts';
import {
  type BookingJson,
  type CancelReason,
  latestPayment,
  lockBooking,
  lockSeries,
  type PaymentJson,
  readBooking,
} from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { applyOutcome } from './apply-outcome.ts';
import type { Settlement } from '../core/settlement.ts';
import { countChange, reportDecline } from './count-outcomes.ts';
import { isPaid, lockPayment, recordDecline, toSettlement } from './payment-rows.ts';
import { nullIfMissing } from './provider-errors.ts';
import { recordDisputes } from './record-disputes.ts';
import { recordRefunds } from './record-refunds.ts';
import { lockShares, selectRefunds } from './shares.ts';
import type { Services } from '../core/services.ts';

const UUID = /^[0-9a-f-]{36}$/;

/**
 * Reads a payment's state from the provider and updates payment and booking. Used by webhooks, returning browsers, reconciliation and
 * staff. Idempotent. Throws `Refusal('not_found')` for an unknown session, or `ProviderError`.
 */
export async function settlePayment(services: Services, sessionId: string): Promise<Settlement> {
  if (sessionId.startsWith('free_')) return readFree(services, sessionId.slice('free_'.length));
  const session = await nullIfMissing(services.payments.getSession(sessionId));
  failpoint('settle.after.get');
  if (session === null) throw new Refusal('not_found', 'Booking not found');
  return settleSession(services, session, 'hold_expired');
}

/** Settles a payment given the id of its payment intent, which refunds and disputes refer to. Otherwise like `settlePayment`. */
export async function settleIntent(services: Services, paymentIntentId: string): Promise<Settlement> {
  const stored = await services.db.queryRow<{ session_id: string | null }>(
    'select session_id from private.payment where payment_intent_id = $1 limit 1',
    [paymentIntentId],
  );
  if (stored?.session_id) return settlePayment(services, stored.session_id);
  const session = await services.payments.findSessionOfIntent(paymentIntentId);
  if (session === null) throw new Refusal('not_found', 'Booking not found');
  return settleSession(services, session, 'hold_expired');
}

async function readFree({ db }: Services, bookingId: string): Promise<Settlement> {
  const booking = UUID.test(bookingId) ? await readBooking(db, bookingId) : null;
  const payment = booking ? await latestPayment(db, booking.id) : null;
  if (!booking || payment?.kind !== 'free') throw new Refusal('not_found', 'Booking not found');
  return { booking, payment, paid: isPaid(payment) };
}

/** Updates payment and booking, or a whole series, from a session just read from the provider. A cancelled booking is never revived. */
export async function settleSession(
  services: Services,
  session: PaymentSession,
  reason: CancelReason,
): Promise<Settlement> {
  const { bookingId } = session;
  if (bookingId === null || !UUID.test(bookingId)) throw new Refusal('not_found', 'Booking not found');
  const details = await readDetails(services, session);
  const { before, declined, ...settlement } = await services.db.transaction(async (tx) => {
    const shares = await lockShares(tx, await lockSeries(tx, bookingId), session);
    const [{ payment: first }] = shares;
    const declined = await recordDecline(tx, first, session.decline);
    await applyOutcome(services, tx, { session, shares, reason });
    for (const { payment } of details === null ? [] : shares) await applyDetails(services, tx, payment.id, details);
    failpoint('settle.before.commit');
    return { ...(await readSettlement(tx, first.id)), before: first.state, declined };
  });
  failpoint('settle.after.commit');
  reportDecline(services, settlement.payment, declined);
  countChange(services, before, settlement.payment.state);
  return settlement;
}

type Details = { readonly refunds: readonly Refund[]; readonly disputes: readonly Dispute[] };

/** Reads a payment's refunds and disputes from the provider. Null if there cannot be any, which saves the calls. */
async function readDetails({ db, payments }: Services, session: PaymentSession): Promise<Details | null> {
  const intent = session.paymentIntentId;
  if (intent === null) return null;
  const stored = await db.queryRow<{ any: boolean }>(
    `select bool_or(p.state in ('refund_pending', 'refund_failed') or p.dispute_id is not null
       or exists (select from private.refund r where r.payment_id = p.id)) as any
     from private.payment s join private.payment p on p.id = s.id or p.share_of = s.id where s.session_id = $1 and (s.share_of is null or s.share_of = s.id)`,
    [session.id],
  );
  if (session.refundedCents === 0 && !session.disputed && stored?.any !== true) return null;
  const [refunds, disputes] = await Promise.all([payments.listRefunds(intent), payments.listDisputes(intent)]);
  return { refunds, disputes };
}

async function applyDetails(
  services: Services,
  tx: Transaction,
  paymentId: string,
  details: Details | null,
): Promise<void> {
  const read = await lockPayment(tx, paymentId);
  if (read === null || details === null) return;
  const { refunds, disputes } = details;
  await recordRefunds(services, tx, {
    paymentId,
    bookingId: read.bookingId,
    refunds: await selectRefunds(tx, read, refunds),
  });
  const booking = await lockBooking(tx, read.bookingId);
  const payment = await lockPayment(tx, paymentId);
  if (booking && payment) await recordDisputes(services, tx, { booking, payment, disputes });
}

async function readSettlement(tx: Transaction, paymentId: string): Promise<Settlement> {
  const row = await tx.queryRow<{ booking: BookingJson; payment: PaymentJson }>(
    `select private.booking_json(b) as booking, private.payment_json(x) as payment
     from private.booking b join private.payment x on x.booking_id = b.id where x.id = $1::uuid`,
    [paymentId],
  );
  if (!row) throw new Error('a settled booking cannot be read back');
  return toSettlement(row);
}
