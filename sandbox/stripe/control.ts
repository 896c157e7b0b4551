import { Hono } from 'hono';
import { readBody, refusal } from '../core/control.ts';
import { getCards, newCard } from './cards/payment-methods.ts';
import { disputeOutcomes, disputeReasons, moveDispute, openDispute } from './checkout/disputes.ts';
import { addPast, type PastPayment } from './checkout/past.ts';
import { doOutcome, type PaymentOutcome, paymentOutcomes, settleDue } from './checkout/paying.ts';
import { endRefund, refundOnDashboard, refundOutcomes } from './checkout/refunds.ts';
import { finishCheck, identityErrors, identityOutcome } from './identity/identity.ts';
import { byId, type Check, type Checkout, type StripeState } from './core/ledger.ts';
import { StripeRefusal } from './core/refusal.ts';

/** Control API of payments and identity checks (docs/sandbox.md). */
export function createStripeControl(state: StripeState): Hono {
  const { ledger } = state;
  const api = new Hono();
  api.get('/payments', (c) => {
    settleDue(state);
    return c.json(Object.values(ledger.checkouts).toReversed().map(toPayment));
  });
  api.post('/payments/:id', async (c) => {
    settleDue(state);
    const checkout = byId(ledger.checkouts, c.req.param('id'));
    if (!checkout) return refusal('no such payment', 404);
    const sent = await readBody(c.req.raw);
    const outcome: PaymentOutcome | undefined = paymentOutcomes.find((outcome) => outcome === sent['outcome']);
    if (!outcome) return refusal(`outcome is one of ${paymentOutcomes.join(', ')}`);
    const { seconds } = sent;
    if (seconds !== undefined && !isCount(seconds)) return refusal('seconds is a whole number above 0');
    const card = { number: toCardNumber(sent['card']), save: sent['save'] === true };
    doOutcome(state, checkout, outcome, seconds, card);
    return c.json(toPayment(checkout));
  });
  // Saves a card as if the customer had saved it elsewhere. This also saves numbers that cannot pay a session.
  api.post('/cards', async (c) => {
    const { customer, card } = await readBody(c.req.raw);
    if (typeof customer !== 'string' || !byId(ledger.customers, customer)) return refusal('no such customer', 404);
    return c.json(newCard(state, { number: toCardNumber(card), customer }));
  });
  api.get('/customers', (c) =>
    c.json(Object.values(ledger.customers).map((customer) => ({ ...customer, cards: getCards(state, customer.id) }))),
  );
  api.get('/charges', (c) => c.json(Object.values(ledger.charges).toReversed()));
  api.post('/past-payments', async (c) => {
    const { payments } = await readBody(c.req.raw);
    if (!Array.isArray(payments) || !payments.every(isPast))
      return refusal('payments is a list of {id, amount, created, refund: {id, created} or null}');
    for (const payment of payments) addPast(state, payment);
    state.changed();
    return c.json({ count: payments.length });
  });
  addRefundsAndDisputes(state, api);
  addIdentity(state, api);
  return api;
}

/** Returns the digits of a test card. The default is a card that pays. */
const toCardNumber = (card: unknown): string =>
  typeof card === 'string' ? card.replace(/\D/g, '') : '4242424242424242';
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0;

function isPast(value: unknown): value is PastPayment {
  const isNamed = (item: unknown): item is object =>
    item !== null &&
    typeof item === 'object' &&
    'id' in item &&
    typeof item.id === 'string' &&
    'created' in item &&
    isCount(item.created);
  return (
    isNamed(value) &&
    'amount' in value &&
    isCount(value.amount) &&
    'refund' in value &&
    (value.refund === null || isNamed(value.refund))
  );
}

/** Adds the calls for refunds, disputes and manipulated webhooks. */
function addRefundsAndDisputes(state: StripeState, api: Hono): void {
  const { ledger } = state;
  const guarded = (work: () => object): Response => {
    try {
      return Response.json(work());
    } catch (error) {
      if (error instanceof StripeRefusal) return refusal(error.message);
      throw error;
    }
  };

  api.get('/refunds', (c) => c.json(Object.values(ledger.refunds).toReversed()));
  api.post('/refunds', async (c) => {
    const { next, count = 1 } = await readBody(c.req.raw);
    if (next !== 'pending' && next !== 'failed' && next !== 'succeeded')
      return refusal('next is pending, failed or succeeded');
    if (!isCount(count)) return refusal('count is a whole number above 0');
    ledger.next.refunds = next === 'succeeded' ? null : { status: next, left: count };
    return c.json({ next, count });
  });
  api.post('/refunds/:id', async (c) => {
    const refund = byId(ledger.refunds, c.req.param('id'));
    if (!refund) return refusal('no such refund', 404);
    const requested = (await readBody(c.req.raw))['outcome'];
    const outcome = refundOutcomes.find((outcome) => outcome === requested);
    if (!outcome) return refusal(`outcome is one of ${refundOutcomes.join(', ')}`);
    endRefund(state, refund, outcome);
    return c.json(refund);
  });
  api.post('/payments/:id/refunds', async (c) => {
    const checkout = byId(ledger.checkouts, c.req.param('id'));
    if (!checkout) return refusal('no such payment', 404);
    const { amount, pending } = await readBody(c.req.raw);
    if (amount !== undefined && !isCount(amount)) return refusal('amount is a whole number of cents');
    return guarded(() =>
      refundOnDashboard(state, checkout.session, { amount: amount ?? null, pending: pending === true }),
    );
  });

  api.get('/disputes', (c) => c.json(Object.values(ledger.disputes).toReversed()));
  api.post('/payments/:id/disputes', async (c) => {
    const checkout = byId(ledger.checkouts, c.req.param('id'));
    if (!checkout) return refusal('no such payment', 404);
    const { reason: requested = 'fraudulent' } = await readBody(c.req.raw);
    const reason = disputeReasons.find((reason) => reason === requested);
    if (!reason) return refusal(`reason is one of ${disputeReasons.join(', ')}`);
    return guarded(() => openDispute(state, checkout.session, reason));
  });
  api.post('/disputes/:id', async (c) => {
    const dispute = byId(ledger.disputes, c.req.param('id'));
    if (!dispute) return refusal('no such dispute', 404);
    const requested = (await readBody(c.req.raw))['outcome'];
    const outcome = disputeOutcomes.find((outcome) => outcome === requested);
    if (!outcome) return refusal(`outcome is one of ${disputeOutcomes.join(', ')}`);
    moveDispute(state, dispute, outcome);
    return c.json(dispute);
  });

  api.post('/webhooks/next', async (c) => {
    const { livemode = false, ahead_seconds: aheadSeconds = 0, count = 1 } = await readBody(c.req.raw);
    if (typeof livemode !== 'boolean' || typeof aheadSeconds !== 'number' || !isCount(count))
      return refusal('livemode is true or false, ahead_seconds a number, count a whole number above 0');
    ledger.next.webhooks = { livemode, aheadSeconds, left: count };
    return c.json({ livemode, ahead_seconds: aheadSeconds, count });
  });
}

function addIdentity(state: StripeState, api: Hono): void {
  const { ledger } = state;
  api.get('/identity', (c) => c.json(Object.values(ledger.checks).toReversed().map(toCheck)));
  api.post('/identity/:id', async (c) => {
    const check = byId(ledger.checks, c.req.param('id'));
    if (!check) return refusal('no such check', 404);
    const sent = await readBody(c.req.raw);
    const outcome = identityOutcome(String(sent['outcome']));
    if (outcome === null)
      return refusal(
        `outcome is one of verified, processing, canceled, requires_input, ${Object.keys(identityErrors).join(', ')}`,
      );
    const word = (name: string, other: string): string => (typeof sent[name] === 'string' ? sent[name] : other);
    const before = check.shown;
    finishCheck(state, check, outcome, {
      first: word('first_name', before?.first ?? 'Alex'),
      last: word('last_name', before?.last ?? 'Citizen'),
      dob: word('dob', before?.dob ?? '1998-04-03'),
      expiry: word('expiry', before?.expiry ?? '2031-04-03'),
    });
    return c.json(toCheck(check));
  });
}

function toPayment({ session }: Checkout): Record<string, unknown> {
  return {
    id: session.id,
    url: session.url,
    status: session.status,
    payment_status: session.payment_status,
    amount_total: session.amount_total,
    currency: session.currency,
    client_reference_id: session.client_reference_id,
    payment_intent: session.payment_intent,
    created: session.created,
    expires_at: session.expires_at,
  };
}

function toCheck({ session }: Check): Record<string, unknown> {
  return {
    id: session.id,
    url: session.url,
    status: session.status,
    client_reference_id: session.client_reference_id,
    last_error: session.last_error,
  };
}
