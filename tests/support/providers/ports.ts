import type { CardAnswer, CardCharge, Payments, PaymentSession } from '#server/providers/ports.ts';
import { ProviderError } from '#server/providers/call.ts';
import { check, checkCharge, checkEmail, checkRefund, checkSession, createRefusal, WITHOUT_CODE } from './checks.ts';
import { createIdempotency, KeptRefusal } from './idempotency.ts';
import { blocksRefunds, decline, take } from './moves.ts';
import type { FakeProvider } from './payments.ts';
import {
  addRefund,
  type Card,
  type Customer,
  closeDue,
  emit,
  expire,
  forgetCustomer,
  isCharge,
  getRemainingCents,
  newId,
  ofIntent,
  type Store,
  type StoredPayment,
} from './store.ts';

type Once = ReturnType<typeof createIdempotency>;

/** Creates the port of the payment provider in memory. Answers are copies: changing them does not change the provider. */
export function createPorts(store: Store, provider: FakeProvider): Payments {
  const once = createIdempotency(store.clock);
  const answer = async <T>(call: keyof Payments, input: unknown, work: () => T): Promise<T> => {
    provider.calls.push({ call, input: structuredClone(input) });
    if (call === 'refund') provider.refundKeys.push((input as { key: string }).key);
    if (provider.failing !== null) throw provider.failing;
    closeDue(store);
    return structuredClone(work());
  };
  const all = (since: Date = new Date(0)): StoredPayment[] =>
    [...store.payments.values()].filter(({ createdAt }) => createdAt >= since).toReversed();
  const pages = (since?: Date): PaymentSession[] =>
    all(since).flatMap(({ session }) => (isCharge(session) ? [] : [session]));
  return {
    provider: 'stripe',
    createSession: (input) =>
      answer('createSession', input, () => once('createSession', input.key, input, () => createSession(store, input))),
    getSession: (id) => answer('getSession', id, () => read(store, id).session),
    findSession: (bookingId, since) =>
      answer('findSession', bookingId, () => pages(since).find((session) => session.bookingId === bookingId) ?? null),
    findSessionOfIntent: (intent) =>
      answer('findSessionOfIntent', intent, () => ofIntent(store, intent)?.session ?? null),
    listSessions: (since) => answer('listSessions', since, () => pages(since)),
    expireSession: (id) =>
      answer('expireSession', id, () => {
        const payment = read(store, id);
        if (payment.session.status === 'open') expire(store, payment);
        return payment.session;
      }),
    ...customers(store, answer, once),
    chargeCard: (input) =>
      answer('chargeCard', input, () => chargeCard(store, provider, once, input)).then((outcome) => {
        if (outcome === 'lost') throw new ProviderError('stripe', 'no_response', { retryable: true, ambiguous: true });
        return outcome;
      }),
    findCharge: (key, since) =>
      answer(
        'findCharge',
        key,
        () => all(since).find(({ session }) => isCharge(session) && session.metadata['key'] === key)?.session ?? null,
      ),
    refund: (input) =>
      answer('refund', input, () => once('refund', input.key, input, () => refund(store, provider, input))),
    listRefunds: (intent) => answer('listRefunds', intent, () => ofIntent(store, intent)?.refunds.toReversed() ?? []),
    listDisputes: (intent) =>
      answer('listDisputes', intent, () => ofIntent(store, intent)?.disputes.toReversed() ?? []),
    listEvents: (since) =>
      answer('listEvents', since, () =>
        store.events.filter((event) => (store.eventTimes.get(event) ?? store.clock()) >= since),
      ),
    listLedger: (since) =>
      answer('listLedger', since, () => ({
        entries: store.ledger.filter(({ createdAt }) => createdAt >= since),
        fees: [],
        payouts: [],
      })),
    readEvent: () => {
      throw new Error('no webhooks here');
    },
  };
}

function read(store: Store, id: string): StoredPayment {
  const payment = store.payments.get(id);
  check(payment !== undefined, 'resource_missing');
  return payment;
}

function createSession(store: Store, input: Parameters<Payments['createSession']>[0]): PaymentSession {
  const amountCents = checkSession(input, store.clock());
  if (input.customerId !== null) readCustomer(store, input.customerId);
  const session: StoredPayment['session'] = {
    id: newId('cs_test'),
    url: 'https://pay.example/x',
    status: 'open',
    paymentStatus: 'unpaid',
    intentStatus: null,
    amountCents,
    currency: 'aud',
    bookingId: input.bookingId,
    paymentIntentId: null,
    decline: null,
    refundedCents: 0,
    disputed: false,
    livemode: false,
    metadata: { ...input.metadata },
  };
  store.payments.set(session.id, { session, createdAt: store.clock(), input, refunds: [], disputes: [] });
  return session;
}

type CustomerCalls = Pick<
  Payments,
  'createCustomer' | 'setCustomerEmail' | 'deleteCustomer' | 'listCards' | 'removeCard'
>;
type Answer = <T>(call: keyof Payments, input: unknown, work: () => T) => Promise<T>;

function customers(store: Store, answer: Answer, once: Once): CustomerCalls {
  return {
    createCustomer: (input) =>
      answer('createCustomer', input, () =>
        once('createCustomer', input.key, input, () => {
          const id = newId('cus');
          store.customers.set(id, { id, userId: input.userId, email: null, deleted: false });
          return id;
        }),
      ),
    setCustomerEmail: (id, email) =>
      answer('setCustomerEmail', { id, email }, () => {
        const customer = readCustomer(store, id);
        checkEmail(email);
        customer.email = email;
      }),
    deleteCustomer: (id) =>
      // The adapter treats a missing customer like a deleted one.
      answer('deleteCustomer', id, () => forgetCustomer(store, id)),
    listCards: (id) =>
      answer('listCards', id, () =>
        [...store.cards.values()]
          .filter(({ customerId }) => customerId === id)
          .toReversed()
          .map((card) => ({ id: card.id, brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2034 })),
      ),
    removeCard: (customerId, id) =>
      answer('removeCard', { customerId, id }, () => {
        const card = store.cards.get(id);
        if (card?.customerId !== customerId) return false;
        card.customerId = null;
        return true;
      }),
  };
}

function readCustomer(store: Store, id: string): Customer {
  const customer = store.customers.get(id);
  check(customer !== undefined && !customer.deleted, 'resource_missing');
  return customer;
}

class CardGone extends Error {}

/** Charges a card that is saved for this customer. A card of another customer counts as missing. */
function chargeCard(store: Store, provider: FakeProvider, once: Once, input: CardCharge): CardAnswer | 'lost' {
  let isLost = false;
  try {
    const outcome = once('chargeCard', input.key, input, (): CardAnswer => {
      checkCharge(input);
      const card: Card | undefined = store.cards.get(input.cardId);
      const exists = store.customers.get(input.customerId)?.deleted === false;
      if (!exists || card?.customerId !== input.customerId || card.behaviour === 'gone') throw new CardGone();
      isLost = card.behaviour === 'lost';
      return chargeOnce(store, provider, input, card.behaviour);
    });
    return isLost ? 'lost' : outcome;
  } catch (error) {
    if (error instanceof CardGone) return { session: null, problem: 'gone' };
    throw error;
  }
}

function chargeOnce(store: Store, provider: FakeProvider, input: CardCharge, behaviour: Card['behaviour']): CardAnswer {
  const id = newId('pi');
  const { key, bookingId, amountCents } = input;
  const session: StoredPayment['session'] = {
    id,
    url: null,
    status: 'open',
    paymentStatus: 'unpaid',
    intentStatus: behaviour === 'needs_customer' ? 'requires_action' : 'requires_payment_method',
    amountCents,
    currency: 'aud',
    bookingId,
    paymentIntentId: id,
    decline: null,
    refundedCents: 0,
    disputed: false,
    livemode: false,
    metadata: { ...input.metadata, booking_id: bookingId, key, saved_card: '1' },
  };
  const payment = { session, createdAt: store.clock(), input: null, refunds: [], disputes: [] };
  store.payments.set(id, payment);
  if (behaviour === 'declined') decline(store, payment);
  if (behaviour !== 'pays' && behaviour !== 'lost')
    return { session, problem: behaviour === 'needs_customer' ? 'needs_customer' : 'declined' };
  session.status = 'complete';
  take(store, payment);
  provider.charged.push(key);
  emit(store, payment, 'payment_intent.succeeded');
  return { session, problem: null };
}

function refund(store: Store, provider: FakeProvider, input: Parameters<Payments['refund']>[0]) {
  checkRefund(input);
  const payment = ofIntent(store, input.paymentIntentId);
  check(payment !== undefined, 'resource_missing');
  const refuse = (reason: string): never => {
    throw new KeptRefusal(createRefusal(reason));
  };
  if (payment.session.paymentStatus !== 'paid') refuse(WITHOUT_CODE);
  if (payment.disputes.some(blocksRefunds)) refuse('charge_disputed');
  const remaining = getRemainingCents(payment);
  if (remaining === 0) refuse('charge_already_refunded');
  const amountCents = input.amountCents ?? remaining;
  if (amountCents > remaining) refuse(WITHOUT_CODE);
  return addRefund(store, payment, { amountCents, key: input.key, status: provider.refundsBegin });
}
