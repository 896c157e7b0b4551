import type Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { booking, getId, openFixture, type Fixture } from '../../testing.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
beforeEach(() => fixture.control('POST', '/api/reset'));
afterAll(() => fixture.close());

const create = async (): Promise<{ id: string; url: string }> => {
  const { id, url } = await fixture.stripe.checkout.sessions.create(
    booking({ payment_intent_data: { metadata: { booking: 'b1' } } }),
  );
  return { id, url: url ?? '' };
};
const card = (number: string): Record<string, string> => ({
  card: number,
  expiry: '12 / 34',
  cvc: '123',
  action: 'pay',
});
const GOOD = card('4242 4242 4242 4242');
const result = (id: string): string => `http://shop.example/result?session=${id}`;
const read = (id: string): Promise<Stripe.Checkout.Session> =>
  fixture.stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] });
const paid = async (): Promise<string> => {
  const { id } = await create();
  await fixture.control('POST', `/api/payments/${id}`, { outcome: 'paid' });
  const session = await fixture.stripe.checkout.sessions.retrieve(id);
  return getId(session.payment_intent);
};

describe('the pay page', () => {
  test('shows the items and redirects back with the session id in place of the placeholder', async () => {
    const { id, url } = await create();
    const html = await (await fixture.look(url)).text();
    expect(html).toContain('<title>Pay $118.00 AUD');
    expect(html).toContain('Studio A, 2 hours');
    const answer = await fixture.submit(url, GOOD);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(result(id));
    const session = await read(id);
    expect(session).toMatchObject({ status: 'complete', payment_status: 'paid', url: null });
    expect(session.customer_details?.email).toBe('alex@example.com');
    expect(session.payment_intent).toMatchObject({
      status: 'succeeded',
      amount_received: 11_800,
      metadata: { booking: 'b1' },
      latest_charge: { object: 'charge', paid: true, amount: 11_800 },
    });
  });

  test('shows that a card was declined, and the next card uses the same intent', async () => {
    const { id, url } = await create();
    const declined = await fixture.submit(url, card('4000 0000 0000 0002'));
    const back = new URL(declined.headers.get('location') ?? '', url).href;
    expect(await (await fixture.look(back)).text()).toContain('role="alert">Your card was declined');
    const open = await read(id);
    expect(open).toMatchObject({ status: 'open', payment_status: 'unpaid' });
    expect(open.payment_intent).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined' },
    });
    await fixture.hooked('payment_intent.payment_failed');
    expect((await fixture.submit(url, GOOD)).headers.get('location')).toBe(result(id));
    const now = await read(id);
    expect(now.payment_status).toBe('paid');
    expect(now.payment_intent).toMatchObject({ last_payment_error: null });
    const intents = await fixture.stripe.paymentIntents.list();
    expect(intents.data).toHaveLength(1);
  });

  test('asks the bank first for a card that needs it, and is paid after the bank confirmed', async () => {
    const { id, url } = await create();
    const redirect = await fixture.submit(url, card('4000 0025 0000 3155'));
    const bank = new URL(redirect.headers.get('location') ?? '', url).href;
    expect(await (await fixture.look(bank)).text()).toContain('Is this payment yours?');
    expect((await read(id)).status).toBe('open');
    const refused = await fixture.submit(bank, { action: 'refuse' });
    expect(refused.headers.get('location')).toContain('problem=bank');
    expect((await fixture.submit(bank, { action: 'confirm' })).headers.get('location')).toBe(result(id));
    expect((await read(id)).payment_status).toBe('paid');
  });

  test('charges once when it is submitted twice', async () => {
    const { id, url } = await create();
    const answers = await Promise.all([
      fixture.submit(url, GOOD),
      fixture.submit(url, GOOD),
      fixture.submit(url, GOOD),
    ]);
    for (const answer of answers) expect(answer.headers.get('location')).toBe(result(id));
    expect((await fixture.stripe.charges.list()).data).toHaveLength(1);
    await fixture.hooked('checkout.session.completed');
    const events = await fixture.stripe.events.list({ type: 'checkout.session.completed', limit: 100 });
    expect(events.data.filter((event) => JSON.stringify(event.data).includes(id))).toHaveLength(1);
  });

  test('shows a wrong number, a past date or a missing code, and attempts no payment', async () => {
    const { id, url } = await create();
    for (const [form, problem] of [
      [card('4242 4242 4242 4243'), 'number'],
      [{ ...GOOD, expiry: '01 / 20' }, 'expiry'],
      [{ ...GOOD, cvc: '' }, 'cvc'],
    ] as const)
      expect((await fixture.submit(url, form)).headers.get('location')).toContain(`problem=${problem}`);
    expect((await read(id)).payment_intent).toBeNull();
  });

  test('redirects to the cancel address and leaves the session open', async () => {
    const { id, url } = await create();
    const answer = await fixture.submit(url, { action: 'cancel' });
    expect(answer.headers.get('location')).toBe('http://shop.example/cancelled');
    expect((await read(id)).status).toBe('open');
  });

  test('says that a session has expired, and refuses to pay it', async () => {
    const { id, url } = await create();
    await fixture.stripe.checkout.sessions.expire(id);
    expect(await (await fixture.look(url)).text()).toContain('This payment has expired');
    await fixture.submit(url, GOOD);
    expect((await read(id)).payment_status).toBe('unpaid');
  });

  test('redirects back even while a webhook gets no answer', async () => {
    const { id, url } = await create();
    fixture.answerWith(null);
    expect((await fixture.submit(url, GOOD)).headers.get('location')).toBe(result(id));
    // The webhook is still waiting, so the redirect did not wait for its response or its timeout.
    const countHooks = (): number => fixture.hooks.filter((hook) => hook.body.includes(id)).length;
    await expect.poll(countHooks).toBeGreaterThan(0);
    expect(fixture.waiting()).toBe(countHooks());
    fixture.answerWith(200);
  });
});

describe('a delayed payment', () => {
  test.each([
    ['delayed_paid', 'checkout.session.async_payment_succeeded', 'paid'],
    ['delayed_failed', 'checkout.session.async_payment_failed', 'unpaid'],
  ])('%s is complete, and unpaid at first', async (outcome, event, last) => {
    const { id, url } = await create();
    expect((await fixture.submit(url, { action: outcome })).headers.get('location')).toBe(result(id));
    expect(await read(id)).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
    await fixture.control('POST', '/api/clock', { advance_seconds: 5 });
    expect(await read(id)).toMatchObject({ status: 'complete', payment_status: last });
    await fixture.hooked(event);
  });
});

describe('the clock', () => {
  test('expires open sessions, and does not affect new ones', async () => {
    const { id } = await create();
    const other = await create();
    await fixture.control('POST', `/api/payments/${other.id}`, { outcome: 'paid' });
    await fixture.control('POST', '/api/clock', { advance_seconds: 86_460 });
    expect((await read(id)).status).toBe('expired');
    expect((await read(other.id)).status).toBe('complete');
    expect((await fixture.hooked('checkout.session.expired')).some((hook) => hook.body.includes(id))).toBe(true);
    const later = await create();
    expect((await read(later.id)).status).toBe('open');
  });
});

describe('the control API', () => {
  test('does what a customer would do, and returns the payment', async () => {
    const { id } = await create();
    for (const [outcome, status, payment] of [
      ['declined', 'open', 'unpaid'],
      ['cancelled', 'open', 'unpaid'],
      ['paid', 'complete', 'paid'],
      ['expired', 'complete', 'paid'],
    ]) {
      const { json } = await fixture.control('POST', `/api/payments/${id}`, { outcome });
      expect(json).toMatchObject({ id, status, payment_status: payment });
    }
    const { json } = await fixture.control('GET', '/api/payments');
    expect(json).toEqual([
      expect.objectContaining({
        id,
        url: null,
        amount_total: 11_800,
        currency: 'aud',
        client_reference_id: 'booking-1',
      }),
    ]);
    const second = await create();
    const { json: expired } = await fixture.control('POST', `/api/payments/${second.id}`, { outcome: 'expired' });
    expect(expired).toMatchObject({ status: 'expired' });
    expect((await fixture.control('POST', `/api/payments/${id}`, { outcome: 'eaten' })).status).toBe(400);
    expect((await fixture.control('POST', '/api/payments/cs_nobody', { outcome: 'paid' })).status).toBe(404);
  });
});

describe('a refund', () => {
  const catchRefusal = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'not refused',
      (error: unknown) => error,
    );

  test('pays back a part, then the rest, and never more', async () => {
    const payment_intent = await paid();
    const part = await fixture.stripe.refunds.create({
      payment_intent,
      amount: 5_000,
      reason: 'requested_by_customer',
    });
    expect(part).toMatchObject({ object: 'refund', amount: 5_000, status: 'succeeded', payment_intent });
    expect(await catchRefusal(fixture.stripe.refunds.create({ payment_intent, amount: 6_801 }))).toMatchObject({
      statusCode: 400,
      param: 'amount',
    });
    const charge = await fixture.stripe.charges.retrieve(getId(part.charge), { expand: ['refunds'] });
    expect(charge).toMatchObject({ amount_refunded: 5_000, refunded: false });
    expect(charge.refunds?.data).toHaveLength(1);
    expect(await fixture.stripe.refunds.create({ payment_intent })).toMatchObject({ amount: 6_800 });
    expect(await fixture.stripe.charges.retrieve(getId(part.charge))).toMatchObject({ refunded: true });
    expect(await catchRefusal(fixture.stripe.refunds.create({ payment_intent }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    const all = await fixture.stripe.refunds.list({ payment_intent });
    expect(all.data.map((refund) => refund.amount)).toEqual([6_800, 5_000]);
    await fixture.hooked('refund.created', 2);
    await fixture.hooked('charge.refunded', 2);
  });

  test('requested twice with one key is made once', async () => {
    const payment_intent = await paid();
    const ask = (): Promise<Stripe.Refund> =>
      fixture.stripe.refunds.create({ payment_intent, amount: 1_000 }, { idempotencyKey: 'refund-1' });
    expect((await ask()).id).toBe((await ask()).id);
    expect((await fixture.stripe.refunds.list({ payment_intent })).data).toHaveLength(1);
  });

  test('needs a paid payment', async () => {
    const { id } = await create();
    await fixture.control('POST', `/api/payments/${id}`, { outcome: 'declined' });
    const session = await fixture.stripe.checkout.sessions.retrieve(id);
    expect(
      await catchRefusal(fixture.stripe.refunds.create({ payment_intent: getId(session.payment_intent) })),
    ).toMatchObject({ statusCode: 400 });
    expect(await catchRefusal(fixture.stripe.refunds.create({ payment_intent: 'pi_nobody' }))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    expect(await catchRefusal(fixture.stripe.refunds.create({}))).toMatchObject({ code: 'parameter_missing' });
  });
});
