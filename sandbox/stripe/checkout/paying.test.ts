import type Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { booking, idOf, openTrial, type Trial } from '../../testing.ts';

let trial: Trial;
beforeAll(async () => {
  trial = await openTrial();
});
beforeEach(() => trial.control('POST', '/api/reset'));
afterAll(() => trial.close());

const create = async (): Promise<{ id: string; url: string }> => {
  const { id, url } = await trial.stripe.checkout.sessions.create(
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
  trial.stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] });
const paid = async (): Promise<string> => {
  const { id } = await create();
  await trial.control('POST', `/api/payments/${id}`, { outcome: 'paid' });
  const session = await trial.stripe.checkout.sessions.retrieve(id);
  return idOf(session.payment_intent);
};

describe('the pay page', () => {
  test('shows what is paid and leads back with the id in its place', async () => {
    const { id, url } = await create();
    const html = await (await trial.look(url)).text();
    expect(html).toContain('<title>Pay $118.00 AUD');
    expect(html).toContain('Studio A, 2 hours');
    const answer = await trial.submit(url, GOOD);
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

  test('a declined card says so and stays, and the next card pays by the same intent', async () => {
    const { id, url } = await create();
    const declined = await trial.submit(url, card('4000 0000 0000 0002'));
    const back = new URL(declined.headers.get('location') ?? '', url).href;
    expect(await (await trial.look(back)).text()).toContain('role="alert">Your card was declined');
    const open = await read(id);
    expect(open).toMatchObject({ status: 'open', payment_status: 'unpaid' });
    expect(open.payment_intent).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined' },
    });
    await trial.hooked('payment_intent.payment_failed');
    expect((await trial.submit(url, GOOD)).headers.get('location')).toBe(result(id));
    const now = await read(id);
    expect(now.payment_status).toBe('paid');
    expect(now.payment_intent).toMatchObject({ last_payment_error: null });
    const intents = await trial.stripe.paymentIntents.list();
    expect(intents.data).toHaveLength(1);
  });

  test('a card that asks the bank is paid after the bank was told yes', async () => {
    const { id, url } = await create();
    const asked = await trial.submit(url, card('4000 0025 0000 3155'));
    const bank = new URL(asked.headers.get('location') ?? '', url).href;
    expect(await (await trial.look(bank)).text()).toContain('Is this payment yours?');
    expect((await read(id)).status).toBe('open');
    const refused = await trial.submit(bank, { action: 'refuse' });
    expect(refused.headers.get('location')).toContain('problem=bank');
    expect((await trial.submit(bank, { action: 'confirm' })).headers.get('location')).toBe(result(id));
    expect((await read(id)).payment_status).toBe('paid');
  });

  test('pressed twice pays once', async () => {
    const { id, url } = await create();
    const answers = await Promise.all([trial.submit(url, GOOD), trial.submit(url, GOOD), trial.submit(url, GOOD)]);
    for (const answer of answers) expect(answer.headers.get('location')).toBe(result(id));
    expect((await trial.stripe.charges.list()).data).toHaveLength(1);
    await trial.hooked('checkout.session.completed');
    const events = await trial.stripe.events.list({ type: 'checkout.session.completed', limit: 100 });
    expect(events.data.filter((event) => JSON.stringify(event.data).includes(id))).toHaveLength(1);
  });

  test('a wrong number, a past date or no code is said on the page and tries nothing', async () => {
    const { id, url } = await create();
    for (const [form, problem] of [
      [card('4242 4242 4242 4243'), 'number'],
      [{ ...GOOD, expiry: '01 / 20' }, 'expiry'],
      [{ ...GOOD, cvc: '' }, 'cvc'],
    ] as const)
      expect((await trial.submit(url, form)).headers.get('location')).toContain(`problem=${problem}`);
    expect((await read(id)).payment_intent).toBeNull();
  });

  test('cancelling leads to the cancel address and leaves the session open', async () => {
    const { id, url } = await create();
    const answer = await trial.submit(url, { action: 'cancel' });
    expect(answer.headers.get('location')).toBe('http://shop.example/cancelled');
    expect((await read(id)).status).toBe('open');
  });

  test('an expired session says so and cannot be paid', async () => {
    const { id, url } = await create();
    await trial.stripe.checkout.sessions.expire(id);
    expect(await (await trial.look(url)).text()).toContain('This payment has expired');
    await trial.submit(url, GOOD);
    expect((await read(id)).payment_status).toBe('unpaid');
  });

  test('a webhook nobody answers does not hold up the way back', async () => {
    const { id, url } = await create();
    trial.answerWith(null);
    expect((await trial.submit(url, GOOD)).headers.get('location')).toBe(result(id));
    // Whoever told of it still waits: neither an answer nor the end of its patience came before the way back.
    const told = (): number => trial.hooks.filter((hook) => hook.body.includes(id)).length;
    await expect.poll(told).toBeGreaterThan(0);
    expect(trial.waiting()).toBe(told());
    trial.answerWith(200);
  });
});

describe('a slow payment', () => {
  test.each([
    ['delayed_paid', 'checkout.session.async_payment_succeeded', 'paid'],
    ['delayed_failed', 'checkout.session.async_payment_failed', 'unpaid'],
  ])('%s is complete and unpaid first', async (outcome, event, last) => {
    const { id, url } = await create();
    expect((await trial.submit(url, { action: outcome })).headers.get('location')).toBe(result(id));
    expect(await read(id)).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
    await trial.control('POST', '/api/clock', { advance_seconds: 5 });
    expect(await read(id)).toMatchObject({ status: 'complete', payment_status: last });
    await trial.hooked(event);
  });
});

describe('the clock', () => {
  test('expires open sessions, and lets new ones be made as before', async () => {
    const { id } = await create();
    const other = await create();
    await trial.control('POST', `/api/payments/${other.id}`, { outcome: 'paid' });
    await trial.control('POST', '/api/clock', { advance_seconds: 86_460 });
    expect((await read(id)).status).toBe('expired');
    expect((await read(other.id)).status).toBe('complete');
    expect((await trial.hooked('checkout.session.expired')).some((hook) => hook.body.includes(id))).toBe(true);
    const later = await create();
    expect((await read(later.id)).status).toBe('open');
  });
});

describe('the control API', () => {
  test('does what a customer would do, and answers with the payment', async () => {
    const { id } = await create();
    for (const [outcome, status, payment] of [
      ['declined', 'open', 'unpaid'],
      ['cancelled', 'open', 'unpaid'],
      ['paid', 'complete', 'paid'],
      ['expired', 'complete', 'paid'],
    ]) {
      const { json } = await trial.control('POST', `/api/payments/${id}`, { outcome });
      expect(json).toMatchObject({ id, status, payment_status: payment });
    }
    const { json } = await trial.control('GET', '/api/payments');
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
    const { json: expired } = await trial.control('POST', `/api/payments/${second.id}`, { outcome: 'expired' });
    expect(expired).toMatchObject({ status: 'expired' });
    expect((await trial.control('POST', `/api/payments/${id}`, { outcome: 'eaten' })).status).toBe(400);
    expect((await trial.control('POST', '/api/payments/cs_nobody', { outcome: 'paid' })).status).toBe(404);
  });
});

describe('a refund', () => {
  const refusalOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'not refused',
      (error: unknown) => error,
    );

  test('gives back a part, then the rest, and never more', async () => {
    const payment_intent = await paid();
    const part = await trial.stripe.refunds.create({ payment_intent, amount: 5_000, reason: 'requested_by_customer' });
    expect(part).toMatchObject({ object: 'refund', amount: 5_000, status: 'succeeded', payment_intent });
    expect(await refusalOf(trial.stripe.refunds.create({ payment_intent, amount: 6_801 }))).toMatchObject({
      statusCode: 400,
      param: 'amount',
    });
    const charge = await trial.stripe.charges.retrieve(idOf(part.charge), { expand: ['refunds'] });
    expect(charge).toMatchObject({ amount_refunded: 5_000, refunded: false });
    expect(charge.refunds?.data).toHaveLength(1);
    expect(await trial.stripe.refunds.create({ payment_intent })).toMatchObject({ amount: 6_800 });
    expect(await trial.stripe.charges.retrieve(idOf(part.charge))).toMatchObject({ refunded: true });
    expect(await refusalOf(trial.stripe.refunds.create({ payment_intent }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    const all = await trial.stripe.refunds.list({ payment_intent });
    expect(all.data.map((one) => one.amount)).toEqual([6_800, 5_000]);
    await trial.hooked('refund.created', 2);
    await trial.hooked('charge.refunded', 2);
  });

  test('asked for twice with one key is given once', async () => {
    const payment_intent = await paid();
    const ask = (): Promise<Stripe.Refund> =>
      trial.stripe.refunds.create({ payment_intent, amount: 1_000 }, { idempotencyKey: 'refund-1' });
    expect((await ask()).id).toBe((await ask()).id);
    expect((await trial.stripe.refunds.list({ payment_intent })).data).toHaveLength(1);
  });

  test('needs a payment that was made', async () => {
    const { id } = await create();
    await trial.control('POST', `/api/payments/${id}`, { outcome: 'declined' });
    const session = await trial.stripe.checkout.sessions.retrieve(id);
    expect(
      await refusalOf(trial.stripe.refunds.create({ payment_intent: idOf(session.payment_intent) })),
    ).toMatchObject({ statusCode: 400 });
    expect(await refusalOf(trial.stripe.refunds.create({ payment_intent: 'pi_nobody' }))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    expect(await refusalOf(trial.stripe.refunds.create({}))).toMatchObject({ code: 'parameter_missing' });
  });
});
