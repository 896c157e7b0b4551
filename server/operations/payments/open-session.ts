import { formatStudioRange } from '#rules/studio-time.ts';
import { constants as studio } from '#rules/venue.ts';
import { withSubject } from '#server/db/request-scope.ts';
import { CIRCUIT_OPEN, ProviderError } from '#server/providers/call.ts';
import type { PaymentSession } from '#server/providers/ports.ts';
import { callJson } from '../core/call-sql.ts';
import {
  type BookingFacts,
  customersReference,
  type PaymentFacts,
  toPayment,
  readBooking,
  readSeries,
} from '../core/booking-rows.ts';
import { ensureCustomer, replaceCustomer } from '../customers/provider-customer.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { findSession } from './close-session.ts';
import { requestedAt } from './payment-rows.ts';
import { sessionExpiry } from './session-expiry.ts';
import type { Services } from '../core/services.ts';

/** What the pay page needs in addition to the booking. */
export type Payer = { readonly email: string; readonly hours: number };

/** An unanswered create call older than this is looked up instead of repeated, because its session would expire too soon. */
const REPEAT_WITHIN_MS = 45_000;

/**
 * Opens the payment session of a hold, or of a series given its first booking. Returns the URL of the pay page, or of the result page for a
 * free booking. Returns null while the circuit to the provider is open. Throws `Refusal`.
 */
export function openSession(
  services: Services,
  booking: BookingFacts,
  payment: PaymentFacts,
  payer: Payer,
): Promise<string | null> {
  return withSubject(booking.id, () => open(services, booking, payment, payer));
}

async function open(
  services: Services,
  booking: BookingFacts,
  payment: PaymentFacts,
  payer: Payer,
): Promise<string | null> {
  if (payment.kind === 'free') return resultUrl(services, booking.id, `free_${booking.id}`);
  if (payment.state === 'open' && payment.url) return payment.url;
  if (payment.state === 'processing')
    throw new Refusal(
      'payment_processing',
      'Your payment for this booking is being processed. We’ll email you as soon as we know.',
      { bookingId: booking.id },
    );
  if (payment.state !== 'intent')
    throw new Refusal('already_done', 'This booking has already been paid for or released.');
  const opened = await createOrFind(services, booking, payment, payer);
  if (opened === null) return null;
  const { session } = opened;
  failpoint('hold.after.session');
  const { count } = await services.db.query(
    `update private.payment p set state = 'open', session_id = $2, url = $3
     from private.booking b where (p.id = $1::uuid or p.share_of = $1::uuid) and b.id = p.booking_id and b.status = 'pending' and p.state in ('intent', 'open')`,
    [opened.payment.id, session.id, session.url],
  );
  if (count === 0) {
    // The hold was released during the call. Close its session so that it cannot be paid.
    await services.payments.expireSession(session.id);
    throw new Refusal('slot_taken', 'This time is no longer held for you. Please choose again.');
  }
  if (!session.url) throw new Refusal('already_done', 'This booking has already been paid for.');
  return session.url;
}

/**
 * Creates the session, or finds that of an earlier call. The same key returns the same session. If an older call left no session at the
 * provider, the next attempt gets a new key and expiry.
 */
async function createOrFind(
  services: Services,
  booking: BookingFacts,
  payment: PaymentFacts,
  payer: Payer,
): Promise<{ session: PaymentSession; payment: PaymentFacts } | null> {
  try {
    if (services.clock().getTime() - requestedAt(booking, payment) <= REPEAT_WITHIN_MS)
      return { session: await createSession(services, booking, payment, payer), payment };
    const found = await findSession(services.payments, booking);
    if (found) return { session: found, payment };
    const next = await nextAttempt(services, booking, payment);
    return { session: await createSession(services, booking, next, payer), payment: next };
  } catch (error) {
    if (error instanceof ProviderError && error.reason === CIRCUIT_OPEN) return null;
    throw error;
  }
}

/** Creates the next attempt. The previous one cannot be paid, because the provider has no session for it. */
async function nextAttempt(services: Services, booking: BookingFacts, previous: PaymentFacts): Promise<PaymentFacts> {
  const now = services.clock();
  const held = booking.holdExpiresAt ?? now;
  const expires = sessionExpiry(now, held, services.config.sessionMinutes);
  const args = { p_payment: previous.id, p_now: now, p_expires: expires };
  const next = await callJson(services.db, 'next_payment_attempt', args, toPayment);
  if (next === null) throw new Refusal('slot_taken', 'This time is no longer held for you. Please choose again.');
  return next;
}

async function createSession(
  services: Services,
  booking: BookingFacts,
  payment: PaymentFacts,
  payer: Payer,
): Promise<PaymentSession> {
  const bookings = booking.orderId === null ? [booking] : await readSeries(services.db, booking.orderId);
  const items = bookings.map((entry) =>
    toLineItem(entry, payer, entry.id === booking.id ? payment.amountCents : entry.finalCostCents),
  );
  const reference = await customersReference(services.db, booking);
  try {
    return await services.payments.createSession({
      key: payment.key,
      bookingId: booking.id,
      items,
      amountCents: items.reduce((sum, { amountCents }) => sum + amountCents, 0),
      customerEmail: payer.email,
      customerId: await findCustomer(services, booking, payer),
      successUrl: resultUrl(services, booking.movesBooking ?? booking.id, '{CHECKOUT_SESSION_ID}'),
      cancelUrl: `${services.siteUrl}/${cancelPath(booking)}`,
      expiresAt:
        payment.sessionExpiresAt ?? new Date(services.clock().getTime() + services.config.sessionMinutes * 60_000),
      // New hours do not allow delayed payments, which would hold them for days.
      allowDelayed:
        booking.movesBooking === null &&
        booking.startTime.getTime() - booking.createdAt.getTime() >= studio.delayedPaymentLeadDays * 24 * 3_600_000,
      metadata: { booking_id: booking.id, reference, key: payment.key },
    });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.reason === CIRCUIT_OPEN) throw error;
    // The customer was deleted at the provider. The next call uses a new one.
    if (error.reason === 'resource_missing') await replaceLost(services, booking);
    // It does no harm if this search fails too: the next call creates or finds the session with the same key.
    const found = error.ambiguous ? await findSession(services.payments, booking).catch(() => null) : null;
    if (found) return found;
    throw new Refusal(
      'provider_unavailable',
      'We can’t reach the payment service right now. Your time is held, so please try again in a moment.',
      { bookingId: booking.id },
    );
  }
}

/** Returns the customer whose saved cards the pay page offers. A link mailed by staff offers none, because anyone may open it. */
async function findCustomer(services: Services, booking: BookingFacts, { email }: Payer): Promise<string | null> {
  const userId = await findAccount(services, booking);
  return userId === null ? null : ensureCustomer(services, userId, email);
}

async function findAccount({ db }: Services, booking: BookingFacts): Promise<string | null> {
  if (booking.madeBy !== null) return null;
  if (booking.movesBooking === null) return booking.userId;
  return (await readBooking(db, booking.movesBooking))?.userId ?? null;
}

async function replaceLost(services: Services, booking: BookingFacts): Promise<void> {
  const userId = await findAccount(services, booking);
  if (userId !== null) await replaceCustomer(services, userId);
}
/** Returns a line item of the pay page. */
const toLineItem = (
  { movesBooking, orderId, studioName, startTime, endTime, totalHours }: BookingFacts,
  payer: Payer,
  amountCents: number,
): { description: string; amountCents: number } => ({
  description: `${movesBooking === null ? '' : 'Change to '}${studioName}, ${formatStudioRange(startTime, endTime)} (${orderId === null ? payer.hours : totalHours} h)`,
  amountCents,
});

/**
 * Returns the page for a customer who leaves without paying. The checkout releases the customer's hold; the page of a booking shows its
 * waiting move. A mailed link stays valid.
 */
function cancelPath({ id, madeBy, movesBooking }: BookingFacts): string {
  if (madeBy !== null) return '';
  return movesBooking === null ? `checkout?released=${id}` : `bookings/${movesBooking}`;
}

function resultUrl(services: Services, bookingId: string, sessionId: string): string {
  return `${services.siteUrl}/payment-success?session_id=${sessionId}&booking_id=${bookingId}`;
}
