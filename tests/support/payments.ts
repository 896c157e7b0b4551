import { randomUUID } from 'node:crypto';
import type {
  CardAnswer,
  CardCharge,
  Dispute,
  Payments,
  PaymentSession,
  ProviderEvent,
  Refund,
} from '#server/providers/ports.ts';
import { ProviderError } from '#server/providers/call.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A payment provider in memory for unit tests. The test changes its state; each change is an event that the test may deliver or not. */
export type FakeProvider = {
  readonly payments: Payments;
  /** Events in chronological order. */
  readonly events: ProviderEvent[];
  /** Idempotency keys of the calls of `refund`. */
  readonly refundKeys: string[];
  /** Saved cards by their id: what the bank says, or `lost` when it pays and the answer is lost. */
  readonly cards: Map<string, CardBehaviour>;
  /** Idempotency keys of the charges that took money. */
  readonly charged: string[];
  /** When set, every call fails with it. */
  failing: ProviderError | null;
  /** Status of the next refunds. */
  refundsBegin: Refund['status'];
  session(bookingId: string, key: string, amountCents: number): PaymentSession;
  move(sessionId: string, move: ProviderMove): void;
};
export type CardBehaviour = 'pays' | 'lost' | NonNullable<CardAnswer['problem']>;
export type ProviderMove =
  | 'pay'
  | 'delay'
  | 'delay succeeds'
  | 'delay fails'
  | 'delay is canceled'
  | 'expire'
  | 'refund part'
  | 'refund all'
  | 'dispute'
  | 'dispute won'
  | 'dispute lost'
  | 'refund succeeds'
  | 'refund fails';

export function createFakeProvider(): FakeProvider {
  const sessions = new Map<string, Mutable<PaymentSession>>();
  const refunds = new Map<string, Mutable<Refund>[]>();
  const disputes = new Map<string, Mutable<Dispute>[]>();
  const keys = new Map<string, Refund>();
  const provider: FakeProvider = {
    payments: fakePorts(),
    events: [],
    cards: new Map(),
    charged: [],
    refundKeys: [],
    failing: null,
    refundsBegin: 'succeeded',
    session(bookingId, key, amountCents) {
      const session: Mutable<PaymentSession> = {
        id: `cs_test_${randomUUID().replaceAll('-', '')}`,
        url: 'https://pay.example/x',
        status: 'open',
        paymentStatus: 'unpaid',
        intentStatus: null,
        amountCents,
        currency: 'aud',
        bookingId,
        paymentIntentId: null,
        refundedCents: 0,
        disputed: false,
        livemode: false,
        metadata: { key, booking_id: bookingId },
      };
      sessions.set(session.id, session);
      return session;
    },
    move(sessionId, move) {
      const session = sessions.get(sessionId);
      if (!session) throw new Error('no such session');
      provider.events.push(eventOf(session, apply(session, move)));
    },
  };
  const refundsOf = (session: PaymentSession): Mutable<Refund>[] => listOf(refunds, session.paymentIntentId ?? '');
  const count = (session: Mutable<PaymentSession>): void => {
    session.refundedCents = refundsOf(session)
      .filter((one) => one.status !== 'failed' && one.status !== 'canceled')
      .reduce((sum, one) => sum + one.amountCents, 0);
  };

  function apply(session: Mutable<PaymentSession>, move: ProviderMove): string {
    const last = refundsOf(session).at(-1);
    const dispute = listOf(disputes, session.paymentIntentId ?? '').at(-1);
    const give = (cents: number, key: string | null = null): string => {
      refundsOf(session).push({ id: `re_${randomUUID()}`, status: 'succeeded', amountCents: cents, key });
      count(session);
      return 'charge.refunded';
    };
    switch (move) {
      case 'pay':
      case 'delay succeeds':
        session.paymentIntentId ??= `pi_${randomUUID()}`;
        Object.assign(session, { status: 'complete', paymentStatus: 'paid', intentStatus: 'succeeded', url: null });
        return move === 'pay' ? 'checkout.session.completed' : 'checkout.session.async_payment_succeeded';
      case 'delay':
        session.paymentIntentId = `pi_${randomUUID()}`;
        Object.assign(session, { status: 'complete', intentStatus: 'processing', url: null });
        return 'checkout.session.completed';
      case 'delay fails':
        session.intentStatus = 'requires_payment_method';
        return 'checkout.session.async_payment_failed';
      case 'delay is canceled':
        session.intentStatus = 'canceled';
        return 'checkout.session.async_payment_failed';
      case 'expire':
        Object.assign(session, { status: 'expired', url: null });
        return 'checkout.session.expired';
      case 'refund part':
        return give(Math.floor(session.amountCents / 4));
      case 'refund all':
        return give(session.amountCents - session.refundedCents);
      case 'refund succeeds':
        if (last) last.status = 'succeeded';
        return 'refund.updated';
      case 'refund fails':
        if (last) last.status = 'failed';
        count(session);
        return 'refund.failed';
      case 'dispute':
        session.disputed = true;
        listOf(disputes, session.paymentIntentId ?? '').push({
          id: `du_${randomUUID()}`,
          status: 'open',
          createdAt: new Date(),
          providerStatus: 'needs_response',
          needsResponse: true,
          reason: 'fraudulent',
          amountCents: session.amountCents,
          dueAt: new Date(Date.now() + 20 * 86_400_000),
        });
        return 'charge.dispute.created';
      case 'dispute won':
      case 'dispute lost':
        if (dispute) {
          const status = move === 'dispute won' ? 'won' : 'lost';
          Object.assign(dispute, { status, providerStatus: status, needsResponse: false });
        }
        return 'charge.dispute.closed';
    }
  }

  /** As the real provider: the same key never takes money twice. */
  function charge({ key, cardId, bookingId, amountCents }: CardCharge): Promise<CardAnswer> {
    const behaviour = provider.cards.get(cardId) ?? 'gone';
    if (behaviour === 'gone') return Promise.resolve({ session: null, problem: 'gone' });
    const known = [...sessions.values()].find((one) => one.id.startsWith('pi_') && one.metadata['key'] === key);
    const session = known ?? provider.session(bookingId, key, amountCents);
    if (known === undefined) {
      sessions.delete(session.id);
      const id = `pi_${randomUUID().replaceAll('-', '')}`;
      const paid = behaviour === 'pays' || behaviour === 'lost';
      const made = { ...session, id, url: null, paymentIntentId: id, intentStatus: 'requires_payment_method' as const };
      sessions.set(id, made);
      if (paid) {
        provider.charged.push(key);
        Object.assign(made, { status: 'complete', paymentStatus: 'paid', intentStatus: 'succeeded' });
        provider.events.push({ ...eventOf(made, 'payment_intent.succeeded'), objectId: id });
      }
    }
    const [now] = [...sessions.values()].filter((one) => one.metadata['key'] === key);
    if (!now) throw new Error('the charge was just stored');
    if (behaviour === 'lost' && known === undefined)
      return Promise.reject(new ProviderError('stripe', 'no_response', { retryable: true, ambiguous: true }));
    const problem =
      now.paymentStatus === 'paid' ? null : behaviour === 'pays' || behaviour === 'lost' ? 'declined' : behaviour;
    return Promise.resolve(structuredClone({ session: now, problem }));
  }

  function fakePorts(): Payments {
    const answer = <T>(work: () => T): Promise<T> =>
      provider.failing === null
        ? new Promise((resolve) => resolve(structuredClone(work())))
        : Promise.reject(provider.failing);
    const read = (id: string): Mutable<PaymentSession> => {
      const session = sessions.get(id);
      if (!session) throw new ProviderError('stripe', 'resource_missing', { retryable: false });
      return session;
    };
    const all = (): Mutable<PaymentSession>[] => [...sessions.values()];
    const ofIntent = (id: string): Mutable<PaymentSession> | undefined =>
      all().find((one) => one.paymentIntentId === id);
    return {
      // As the real provider: the same key gives the same session.
      createSession: (input) =>
        answer(
          () =>
            all().find(({ metadata }) => metadata['key'] === input.key) ??
            provider.session(input.bookingId, input.key, input.amountCents),
        ),
      getSession: (id) => answer(() => read(id)),
      findSession: (bookingId) => answer(() => all().findLast((one) => one.bookingId === bookingId) ?? null),
      findSessionOfIntent: (intent) => answer(() => ofIntent(intent) ?? null),
      createCustomer: ({ userId }) => answer(() => `cus_${userId}`),
      setCustomerEmail: () => answer(() => undefined),
      deleteCustomer: () => answer(() => undefined),
      listCards: () =>
        answer(() =>
          [...provider.cards.keys()].map((id) => ({
            id,
            brand: 'visa',
            last4: '4242',
            expiryMonth: 12,
            expiryYear: 2034,
          })),
        ),
      removeCard: (_customer, id) => answer(() => provider.cards.delete(id)),
      chargeCard: (input) => (provider.failing === null ? charge(input) : Promise.reject(provider.failing)),
      findCharge: (key) =>
        answer(() => all().find((one) => one.id.startsWith('pi_') && one.metadata['key'] === key) ?? null),
      listSessions: () =>
        answer(() =>
          all()
            .filter(({ id }) => id.startsWith('cs_'))
            .toReversed(),
        ),
      expireSession: (id) =>
        answer(() => {
          const session = read(id);
          if (session.status === 'open') provider.move(id, 'expire');
          return session;
        }),
      refund: ({ key, paymentIntentId, amountCents }) =>
        answer(() => {
          provider.refundKeys.push(key);
          const session = ofIntent(paymentIntentId);
          if (!session) throw new ProviderError('stripe', 'resource_missing', { retryable: false });
          const existing = keys.get(key);
          if (existing) return existing;
          const left = session.amountCents - session.refundedCents;
          if (left === 0) throw new ProviderError('stripe', 'charge_already_refunded', { retryable: false });
          if (amountCents !== undefined && amountCents > left)
            throw new ProviderError('stripe', 'amount_too_large', { retryable: false });
          const made: Refund = {
            id: `re_${randomUUID()}`,
            status: provider.refundsBegin,
            amountCents: amountCents ?? left,
            key,
          };
          refundsOf(session).push({ ...made });
          keys.set(key, made);
          count(session);
          return made;
        }),
      listRefunds: (intent) => answer(() => listOf(refunds, intent).toReversed()),
      listDisputes: (intent) => answer(() => listOf(disputes, intent).toReversed()),
      listEvents: () => answer(() => provider.events),
      listLedger: () => Promise.resolve([]),
      readEvent: () => {
        throw new Error('no webhooks here');
      },
    };
  }
  return provider;
}

function listOf<T>(all: Map<string, T[]>, key: string): T[] {
  const list = all.get(key) ?? [];
  all.set(key, list);
  return list;
}

function eventOf(session: PaymentSession, type: string): ProviderEvent {
  const ofSession = type.startsWith('checkout.');
  return {
    id: `evt_${randomUUID()}`,
    type,
    objectId: ofSession ? session.id : 'about_the_payment',
    paymentIntentId: session.paymentIntentId,
    livemode: false,
  };
}
