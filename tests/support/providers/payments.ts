import type { NewPaymentSession, Payments, PaymentSession, ProviderEvent, Refund } from '#server/providers/ports.ts';
import type { ProviderError } from '#server/providers/call.ts';
import { canMove, makeMove, type ProviderMove, requirePossible } from './moves.ts';
import { createPorts } from './ports.ts';
import { type CardBehaviour, closeDue, createStore, forgetCustomer, type Mutable, newId, type Store } from './store.ts';

export type { CardBehaviour } from './store.ts';
export type { ProviderMove } from './moves.ts';

/** A call of the provider and its input. */
type ProviderCall = { readonly call: keyof Payments; readonly input: unknown };

/**
 * A payment provider in memory, as strict as the real one: it records and checks all its input (server/providers/stripe/fake.test.ts
 * compares it with the sandbox). The test changes its state. Each change is an event, which the test may deliver or not.
 */
export type FakeProvider = {
  readonly payments: Payments;
  /** Events in chronological order. */
  readonly events: ProviderEvent[];
  /** All calls in order, including those that were refused. */
  readonly calls: ProviderCall[];
  /** Idempotency keys of the calls of `refund`. */
  readonly refundKeys: string[];
  /** Idempotency keys of the charges that took money. */
  readonly charged: string[];
  /** While it is set, every call fails with this error. */
  failing: ProviderError | null;
  /** The status of the next refunds. */
  refundsBegin: Refund['status'];
  /** Makes a session without a call, for rows that the test itself writes. */
  session(bookingId: string, key: string, amountCents: number): PaymentSession;
  /** Returns the parameters with which the session was created. Throws for a session made by `session`. */
  getInput(sessionId: string): NewPaymentSession;
  /** Saves a card for the customer of an account. Throws if the provider has no customer for it. */
  saveCard(userId: string, cardId: string, behaviour: CardBehaviour): void;
  /** Deletes the customer of an account at the provider, as people do in its dashboard. */
  deleteCustomer(userId: string): void;
  /** Makes a move. Throws if it is not possible in the session's present state. */
  move(sessionId: string, move: ProviderMove): void;
  canMove(sessionId: string, move: ProviderMove): boolean;
  /** Makes a move that should never happen, such as a payment of a closed session. Even then no money may be lost. */
  force(sessionId: string, move: ProviderMove): void;
};

/** `clock` is the provider's time: it decides when sessions end, and where lists begin. */
export function createFakeProvider(clock: () => Date = () => new Date()): FakeProvider {
  const store = createStore(clock);
  const find = (id: string) => {
    closeDue(store);
    const payment = store.payments.get(id);
    if (!payment) throw new Error('no such session');
    return payment;
  };
  const provider: FakeProvider = {
    // Cast: the port below needs the rest of the provider.
    payments: undefined as never,
    events: store.events,
    calls: [],
    charged: [],
    refundKeys: [],
    failing: null,
    refundsBegin: 'succeeded',
    session: (bookingId, key, amountCents) => sessionByHand(store, bookingId, key, amountCents),
    getInput(id) {
      const { input } = find(id);
      if (input === null) throw new Error('this session was made by hand');
      return input;
    },
    saveCard(userId, id, behaviour) {
      store.cards.set(id, { id, customerId: getCustomer(store, userId).id, behaviour });
    },
    deleteCustomer(userId) {
      forgetCustomer(store, getCustomer(store, userId).id);
    },
    move(id, move) {
      requirePossible(find(id), move);
      makeMove(store, find(id), move);
    },
    force: (id, move) => makeMove(store, find(id), move),
    canMove: (id, move) => canMove(find(id), move),
  };
  return Object.assign(provider, { payments: createPorts(store, provider) });
}

function sessionByHand(store: Store, bookingId: string, key: string, amountCents: number): PaymentSession {
  const session: Mutable<PaymentSession> = {
    id: newId('cs_test'),
    url: 'https://pay.example/x',
    status: 'open',
    paymentStatus: 'unpaid',
    intentStatus: null,
    amountCents,
    currency: 'aud',
    bookingId,
    paymentIntentId: null,
    decline: null,
    refundedCents: 0,
    disputed: false,
    livemode: false,
    metadata: { key, booking_id: bookingId },
  };
  store.payments.set(session.id, { session, createdAt: store.clock(), input: null, refunds: [], disputes: [] });
  return session;
}

function getCustomer(store: Store, userId: string) {
  const customer = [...store.customers.values()].findLast(
    (customer) => customer.userId === userId && !customer.deleted,
  );
  if (!customer) throw new Error('the provider has no customer for this account');
  return customer;
}
