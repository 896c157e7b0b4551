import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booking, type Fixture, getId, openFixture } from '../../testing.ts';

let fixture: Fixture;
let stripe: Stripe;
beforeAll(async () => {
  fixture = await openFixture();
  ({ stripe } = fixture);
});
afterAll(() => fixture.close());

const catchRefusal = (work: Promise<unknown>): Promise<Record<string, unknown>> =>
  work.then(
    () => ({ refused: false }),
    (error: unknown) => {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      const { statusCode, code, param, decline_code: decline } = error;
      return { status: statusCode, code, param, decline };
    },
  );
const save = async (customer: string, card: string): Promise<string> => {
  const { json } = await fixture.control('POST', '/api/cards', { customer, card });
  return Object.entries(json ?? {}).find(([name]) => name === 'id')?.[1] ?? '';
};
const charge = (customer: string, card: string, more: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
  stripe.paymentIntents.create({
    amount: 5_900,
    currency: 'aud',
    customer,
    payment_method: card,
    allowed_payment_method_types: ['card'],
    confirm: true,
    ...more,
  });
const listCards = async (customer: string): Promise<Stripe.PaymentMethod[]> =>
  (await stripe.customers.listPaymentMethods(customer, { type: 'card', allow_redisplay: 'always' })).data;

test('a customer is created, changed and deleted for good, with the saved cards', async () => {
  const { id } = await stripe.customers.create({ metadata: { user_id: 'u' } });
  expect(await stripe.customers.update(id, { email: 'alex@example.com' })).toMatchObject({
    email: 'alex@example.com',
    metadata: { user_id: 'u' },
  });
  const card = await save(id, '4242424242424242');
  expect(await stripe.customers.del(id)).toEqual(expect.objectContaining({ id, deleted: true }));
  expect(await stripe.customers.retrieve(id)).toMatchObject({ deleted: true });
  const missing = { status: 404, code: 'resource_missing' };
  expect(await catchRefusal(stripe.customers.del(id))).toMatchObject(missing);
  expect(await catchRefusal(listCards(id))).toMatchObject(missing);
  expect(await catchRefusal(charge(id, card))).toMatchObject({ ...missing, param: 'customer' });
  expect(await catchRefusal(stripe.paymentMethods.detach(card))).toMatchObject({ status: 400 });
});

test('a session takes a customer or an address, and offers to save a card of a customer only', async () => {
  const { id: customer } = await stripe.customers.create({ email: 'alex@example.com' });
  const { customer_email: _email, ...without } = booking();
  const offer = { saved_payment_method_options: { payment_method_save: 'enabled' as const } };
  const create = (more: Partial<Stripe.Checkout.SessionCreateParams>) =>
    stripe.checkout.sessions.create({ ...without, ...more });
  expect(await catchRefusal(create({ customer, customer_email: 'alex@example.com' }))).toMatchObject({ status: 400 });
  expect(await catchRefusal(create(offer))).toMatchObject({ status: 400 });
  expect(await catchRefusal(create({ customer: 'cus_none' }))).toMatchObject({
    code: 'resource_missing',
    param: 'customer',
  });
  const pay = async (form: Record<string, string>): Promise<Stripe.Checkout.Session> => {
    const { id, url } = await create({ customer, ...offer });
    await fixture.submit(url ?? '', {
      card: '4242424242424242',
      expiry: '12 / 34',
      cvc: '123',
      action: 'pay',
      ...form,
    });
    return stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
  };
  expect(await pay({})).toMatchObject({ payment_status: 'paid', customer_details: { email: 'alex@example.com' } });
  expect(await listCards(customer)).toEqual([]);
  await pay({ save: '1' });
  const [card] = await listCards(customer);
  expect(card).toMatchObject({ customer, allow_redisplay: 'always', card: { brand: 'visa', last4: '4242' } });
  // The next page offers the saved card.
  expect(await pay({ action: `saved:${card?.id}` })).toMatchObject({ payment_intent: { payment_method: card?.id } });
});

test('a saved card pays, is declined or asks for its owner, and no key charges twice', async () => {
  const { id } = await stripe.customers.create();
  const [good, bad, asks] = [
    await save(id, '4242424242424242'),
    await save(id, '4000000000000341'),
    await save(id, '4000002760003184'),
  ];
  const key = { idempotencyKey: 'charge-1' };
  const once = { amount: 5_900, currency: 'aud', customer: id, payment_method: good, confirm: true } as const;
  const [first, second] = [
    await stripe.paymentIntents.create({ ...once, allowed_payment_method_types: ['card'] }, key),
    await stripe.paymentIntents.create({ ...once, allowed_payment_method_types: ['card'] }, key),
  ];
  expect(first).toMatchObject({ status: 'succeeded', amount_received: 5_900, customer: id });
  expect(second.id).toBe(first.id);
  expect(await fixture.hooked('payment_intent.succeeded')).not.toEqual([]);
  expect(await catchRefusal(stripe.paymentIntents.create(once))).toMatchObject({ param: 'return_url' });
  const declined = await charge(id, bad).catch((error: unknown) => error);
  if (!(declined instanceof Stripe.errors.StripeCardError)) throw new Error('the card was not declined');
  expect(declined).toMatchObject({ statusCode: 402, code: 'card_declined', decline_code: 'generic_decline' });
  expect(await stripe.paymentIntents.cancel(getId(declined.payment_intent ?? null))).toMatchObject({
    status: 'canceled',
  });
  const waiting = await charge(id, asks);
  expect(waiting.status).toBe('requires_action');
  expect(await stripe.paymentIntents.cancel(waiting.id)).toMatchObject({ status: 'canceled', next_action: null });
  expect(await catchRefusal(charge(id, asks, { off_session: true }))).toMatchObject({
    status: 402,
    code: 'authentication_required',
  });
  const unexpected = { status: 400, code: 'payment_intent_unexpected_state' };
  expect(await catchRefusal(stripe.paymentIntents.cancel(first.id))).toMatchObject(unexpected);
});

test('a card belongs to one customer, and one that was detached is never used again', async () => {
  const [owner, other] = [await stripe.customers.create(), await stripe.customers.create()];
  const card = await save(owner.id, '4242424242424242');
  const gone = { param: 'payment_method' };
  expect(await catchRefusal(charge(other.id, card))).toMatchObject({ ...gone, status: 400 });
  expect(await catchRefusal(stripe.customers.retrievePaymentMethod(other.id, card))).toMatchObject({ status: 404 });
  expect((await stripe.paymentMethods.detach(card)).customer).toBeNull();
  expect(await listCards(owner.id)).toEqual([]);
  expect(await catchRefusal(charge(owner.id, card))).toMatchObject({ ...gone, status: 400 });
  expect(await catchRefusal(charge(owner.id, 'pm_none'))).toMatchObject({ ...gone, status: 404 });
  expect(await catchRefusal(charge(owner.id, card, { amount: 49 }))).toMatchObject({ code: 'amount_too_small' });
});
