import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeProvider } from '#tests/support/providers/payments.ts';
import { openSandboxPorts, type SandboxPorts } from '#tests/support/sandbox-ports.ts';
import { ProviderError } from '../call.ts';
import type { NewPaymentSession, Payments, PaymentSession } from '../ports.ts';
import { createStripePayments } from './payments.ts';

/** The payment provider in memory answers and refuses as the sandbox does through the adapter. Each case runs on both. */

type World = {
  readonly payments: Payments;
  pay(session: PaymentSession): Promise<string>;
  decline(session: PaymentSession): Promise<void>;
  dispute(session: PaymentSession, outcome: 'opens' | 'won'): Promise<void>;
  refundThere(session: PaymentSession, isPending: boolean): Promise<void>;
  /** Makes the next refund pending. */
  pendNext(): Promise<void>;
  endRefund(session: PaymentSession, refundId: string, outcome: 'failed' | 'canceled' | 'succeeded'): Promise<void>;
  /** Saves a valid card for a customer, and returns its id. */
  saveCard(customerId: string, userId: string): Promise<string>;
};

let outside: SandboxPorts;
beforeAll(async () => {
  outside = await openSandboxPorts();
}, 30_000);
afterAll(() => outside.close());

async function readIntent(payments: Payments, { id }: PaymentSession): Promise<string> {
  return (await payments.getSession(id)).paymentIntentId ?? '';
}

function inMemory(): World {
  const provider = createFakeProvider();
  const { payments } = provider;
  return {
    payments,
    async pay(session) {
      provider.move(session.id, 'pay');
      return readIntent(payments, session);
    },
    decline: async ({ id }) => provider.move(id, 'card declined'),
    dispute: async ({ id }, outcome) => provider.move(id, outcome === 'opens' ? 'dispute' : 'dispute won'),
    refundThere: async ({ id }, isPending) => provider.move(id, isPending ? 'refund part later' : 'refund part'),
    pendNext: async () => void (provider.refundsBegin = 'pending'),
    async endRefund({ id }, _refundId, outcome) {
      provider.refundsBegin = 'succeeded';
      const moves = { failed: 'refund fails', canceled: 'refund is canceled', succeeded: 'refund succeeds' } as const;
      provider.move(id, moves[outcome]);
    },
    async saveCard(_customerId, userId) {
      const id = `pm_${randomUUID()}`;
      provider.saveCard(userId, id, 'pays');
      return id;
    },
  };
}

function inSandbox(): World {
  const payments = createStripePayments({
    secretKey: 'sk_test_sandbox',
    webhookSecrets: ['whsec_sandbox'],
    apiUrl: outside.at(1),
    methods: ['card', 'link'],
  });
  const ask = outside.ask;
  return {
    payments,
    async pay(session) {
      await ask(`/api/payments/${session.id}`, { outcome: 'paid' });
      return readIntent(payments, session);
    },
    decline: async ({ id }) => void (await ask(`/api/payments/${id}`, { outcome: 'declined' })),
    async dispute(session, outcome) {
      if (outcome === 'opens') return void (await ask(`/api/payments/${session.id}/disputes`, {}));
      const [dispute] = await payments.listDisputes(await readIntent(payments, session));
      await ask(`/api/disputes/${dispute?.id}`, { outcome: 'won' });
    },
    refundThere: async ({ id, amountCents }, pending) =>
      void (await ask(`/api/payments/${id}/refunds`, { amount: Math.floor(amountCents / 4), pending })),
    pendNext: async () => void (await ask('/api/refunds', { next: 'pending' })),
    endRefund: async (_session, id, outcome) => void (await ask(`/api/refunds/${id}`, { outcome })),
    saveCard: async (customer) => ((await ask('/api/cards', { customer })) as { id: string }).id,
  };
}

const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);
function newSession(more: Partial<NewPaymentSession> = {}): NewPaymentSession {
  const bookingId = randomUUID();
  return {
    key: `create:${bookingId}:1`,
    bookingId,
    amountCents: 11_800,
    items: [{ description: 'Studio A, 2 h', amountCents: 11_800 }],
    customerId: null,
    customerEmail: 'alex@example.com',
    successUrl: 'http://localhost/ok?id={CHECKOUT_SESSION_ID}',
    cancelUrl: 'http://localhost/no',
    expiresAt: inMinutes(35),
    allowDelayed: false,
    metadata: { booking_id: bookingId },
    ...more,
  };
}
const reason = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    (error: unknown) => (error instanceof ProviderError ? error.reason : error),
  );

describe.each([
  ['in memory', inMemory],
  ['of the sandbox', inSandbox],
] as const)('the payment provider %s', (_name, open) => {
  let world: World;
  let payments: Payments;
  beforeAll(() => {
    world = open();
    ({ payments } = world);
  });

  it('answers a repeated key as the first time, although the session was paid meanwhile', async () => {
    const input = newSession();
    const first = await payments.createSession(input);
    await world.pay(first);
    expect(await payments.createSession(input)).toEqual(first);
    expect(await payments.getSession(first.id)).toMatchObject({ status: 'complete', paymentStatus: 'paid' });
  });

  it('refuses a key that comes with other parameters', async () => {
    const input = newSession();
    await payments.createSession(input);
    for (const other of [
      { customerEmail: 'other@example.com' },
      { expiresAt: inMinutes(40) },
      { cancelUrl: 'http://localhost/' },
      { items: [{ description: 'Studio A, 3 h', amountCents: 11_800 }] },
      { metadata: {} },
    ])
      expect(await reason(payments.createSession({ ...input, ...other }))).toBe('StripeIdempotencyError');
  });

  it.each<readonly [string, Partial<NewPaymentSession>, string]>([
    ['an unknown customer', { customerId: 'cus_unknown' }, 'resource_missing'],
    ['less than 50 cents', { items: [{ description: 'A', amountCents: 49 }] }, 'amount_too_small'],
    ['an end in 29 minutes', { expiresAt: inMinutes(29) }, 'parameter_invalid'],
    ['an end in 25 hours', { expiresAt: inMinutes(25 * 60) }, 'parameter_invalid'],
    ['no lines', { items: [] }, 'parameter_missing'],
    ['a line without a name', { items: [{ description: '', amountCents: 900 }] }, 'parameter_missing'],
    ['a part of a cent', { items: [{ description: 'A', amountCents: 900.5 }] }, 'parameter_invalid_integer'],
    ['a broken address', { customerEmail: 'alex' }, 'email_invalid'],
    ['a page that is not on the web', { successUrl: 'javascript:alert(1)' }, 'url_invalid'],
    ['long metadata', { metadata: { note: 'x'.repeat(501) } }, 'parameter_invalid'],
  ])('refuses a session with %s', async (_what, more, refusal) => {
    expect(await reason(payments.createSession(newSession(more)))).toBe(refusal);
  });

  it('takes the amount from the lines', async () => {
    const items = [1_000, 2_500].map((amountCents) => ({ description: 'Studio', amountCents }));
    expect(await payments.createSession(newSession({ items, amountCents: 1 }))).toMatchObject({ amountCents: 3_500 });
  });

  it('knows an open payment of a declined card, and lets the customer pay after it', async () => {
    const session = await payments.createSession(newSession());
    await world.decline(session);
    const declined = await payments.getSession(session.id);
    expect(declined).toMatchObject({
      status: 'open',
      intentStatus: 'requires_payment_method',
      paymentIntentId: expect.stringMatching(/^pi_/),
    });
    expect(await reason(payments.refund({ key: randomUUID(), paymentIntentId: declined.paymentIntentId ?? '' }))).toBe(
      'StripeInvalidRequestError',
    );
    expect(await world.pay(session)).toBe(declined.paymentIntentId);
  });

  it('refuses unknown sessions and payments', async () => {
    expect(await reason(payments.getSession('cs_test_unknown'))).toBe('resource_missing');
    expect(await reason(payments.expireSession('cs_test_unknown'))).toBe('resource_missing');
    expect(await reason(payments.refund({ key: randomUUID(), paymentIntentId: 'pi_unknown' }))).toBe(
      'resource_missing',
    );
  });

  it('refunds no more than what is left, and nothing during a dispute', async () => {
    const session = await payments.createSession(newSession());
    const paymentIntentId = await world.pay(session);
    const refund = (amountCents?: number, key: string = randomUUID()) =>
      payments.refund({ key, paymentIntentId, ...(amountCents !== undefined && { amountCents }) });
    expect(await reason(refund(11_801))).toBe('StripeInvalidRequestError');
    expect(await reason(refund(0))).toBe('parameter_invalid_integer');
    await world.dispute(session, 'opens');
    const key = randomUUID();
    expect(await reason(refund(1_000, key))).toBe('charge_disputed');
    await world.dispute(session, 'won');
    // The refusal came after the work had begun, so its key keeps it.
    expect(await reason(refund(1_000, key))).toBe('charge_disputed');
    expect(await refund(1_000)).toMatchObject({ amountCents: 1_000 });
    expect(await reason(refund(10_801))).toBe('StripeInvalidRequestError');
    expect(await refund()).toMatchObject({ amountCents: 10_800 });
    expect(await reason(refund())).toBe('charge_already_refunded');
    expect(await payments.getSession(session.id)).toMatchObject({ refundedCents: 11_800, disputed: true });
  });

  it('answers the key of a refund as the first time, and refuses it with another amount', async () => {
    const session = await payments.createSession(newSession());
    const paymentIntentId = await world.pay(session);
    const key = `refund:${randomUUID()}`;
    await world.pendNext();
    const first = await payments.refund({ key, paymentIntentId, amountCents: 1_000 });
    expect(first).toMatchObject({ status: 'pending', key });
    await world.endRefund(session, first.id, 'failed');
    expect(await payments.refund({ key, paymentIntentId, amountCents: 1_000 })).toEqual(first);
    expect(await payments.listRefunds(paymentIntentId)).toMatchObject([{ id: first.id, status: 'failed' }]);
    expect(await reason(payments.refund({ key, paymentIntentId, amountCents: 2_000 }))).toBe('StripeIdempotencyError');
  });

  it.each(['canceled', 'failed', 'succeeded'] as const)(
    'counts a pending refund as given back until it is %s',
    async (outcome) => {
      const session = await payments.createSession(newSession());
      const paymentIntentId = await world.pay(session);
      await world.pendNext();
      const { id } = await payments.refund({ key: `refund:${randomUUID()}`, paymentIntentId, amountCents: 1_000 });
      expect(await payments.getSession(session.id)).toMatchObject({ refundedCents: 1_000 });
      await world.endRefund(session, id, outcome);
      expect(await payments.getSession(session.id)).toMatchObject({
        refundedCents: outcome === 'succeeded' ? 1_000 : 0,
      });
      expect(await payments.listRefunds(paymentIntentId)).toMatchObject([{ id, status: outcome }]);
    },
  );

  it.each([true, false])('shows a refund that people made there without a key; pending: %s', async (isPending) => {
    const session = await payments.createSession(newSession());
    const paymentIntentId = await world.pay(session);
    await world.refundThere(session, isPending);
    expect(await payments.listRefunds(paymentIntentId)).toMatchObject([
      { status: isPending ? 'pending' : 'succeeded', key: null, amountCents: 2_950 },
    ]);
    expect(await payments.getSession(session.id)).toMatchObject({ refundedCents: 2_950 });
  });

  it('returns a deleted customer for a repeated key, and knows no cards of it', async () => {
    const userId = randomUUID();
    const key = `customer:${userId}`;
    const customer = await payments.createCustomer({ key, userId });
    expect(await payments.createCustomer({ key, userId })).toBe(customer);
    await payments.setCustomerEmail(customer, 'alex@example.com');
    await world.saveCard(customer, userId);
    await payments.deleteCustomer(customer);
    expect(await payments.createCustomer({ key, userId })).toBe(customer);
    expect(await payments.listCards(customer)).toEqual([]);
    expect(await reason(payments.setCustomerEmail(customer, 'alex@example.com'))).toBe('resource_missing');
    expect(await reason(payments.createSession(newSession({ customerId: customer })))).toBe('resource_missing');
    expect(await reason(payments.deleteCustomer(customer))).toBe('accepted');
  });

  it('charges and removes a card for its own customer only, once for each key', async () => {
    const [mine, other] = await Promise.all(
      [randomUUID(), randomUUID()].map(async (userId) => ({
        userId,
        id: await payments.createCustomer({ key: `customer:${userId}`, userId }),
      })),
    );
    if (!mine || !other) throw new Error('two customers were just made');
    const cardId = await world.saveCard(mine.id, mine.userId);
    const charge = (customerId: string, amountCents = 5_900, key: string = randomUUID()) =>
      payments.chargeCard({
        key,
        customerId,
        cardId,
        bookingId: randomUUID(),
        amountCents,
        description: 'Studio A',
        metadata: {},
      });
    expect(await charge(other.id)).toEqual({ session: null, problem: 'gone' });
    expect(await charge('cus_unknown')).toEqual({ session: null, problem: 'gone' });
    expect(await reason(charge(mine.id, 49))).toBe('amount_too_small');
    expect(await payments.removeCard(other.id, cardId)).toBe(false);
    const key = randomUUID();
    expect(await charge(mine.id, 5_900, key)).toMatchObject({
      problem: null,
      session: { status: 'complete', paymentStatus: 'paid', amountCents: 5_900 },
    });
    expect(await reason(charge(mine.id, 6_900, key))).toBe('StripeIdempotencyError');
    expect(await payments.findCharge(key, new Date(Date.now() - 60_000))).toMatchObject({ amountCents: 5_900 });
    expect(await payments.removeCard(mine.id, cardId)).toBe(true);
    expect(await payments.removeCard(mine.id, cardId)).toBe(false);
    expect(await charge(mine.id)).toEqual({ session: null, problem: 'gone' });
  });
});
