import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { booking, idOf, openTrial, type Trial } from '../../testing.ts';

let trial: Trial;
beforeAll(async () => {
  trial = await openTrial();
});
beforeEach(async () => {
  await trial.control('POST', '/api/reset');
  trial.hooks.length = 0;
});
afterAll(() => trial.close());

async function paid(): Promise<{ id: string; intent: string }> {
  const { id } = await trial.stripe.checkout.sessions.create(booking());
  await trial.control('POST', `/api/payments/${id}`, { outcome: 'paid' });
  return { id, intent: idOf((await trial.stripe.checkout.sessions.retrieve(id)).payment_intent) };
}
const charge = async (id: string) => {
  const session = await trial.stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] });
  const intent = session.payment_intent;
  return intent !== null && typeof intent === 'object' ? intent.latest_charge : null;
};

describe('a refund', () => {
  test('that is asked to be pending counts as given back until it fails, and can then be made again', async () => {
    const { id, intent } = await paid();
    expect((await trial.control('POST', '/api/refunds', { next: 'pending' })).status).toBe(200);
    const first = await trial.stripe.refunds.create({ payment_intent: intent });
    expect(first).toMatchObject({ status: 'pending', pending_reason: 'processing', amount: 11_800 });
    expect(await charge(id)).toMatchObject({ amount_refunded: 11_800, refunded: true });
    await trial.control('POST', `/api/refunds/${first.id}`, { outcome: 'failed' });
    await trial.hooked('refund.failed');
    await trial.hooked('refund.updated');
    expect(await trial.stripe.refunds.retrieve(first.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'expired_or_canceled_card',
    });
    expect(await charge(id)).toMatchObject({ amount_refunded: 0, refunded: false });
    expect(await trial.stripe.refunds.create({ payment_intent: intent })).toMatchObject({ status: 'succeeded' });
    expect((await trial.control('POST', `/api/refunds/${first.id}`, { outcome: 'succeeded' })).json).toMatchObject({
      status: 'failed',
    });
  });

  test('on the dashboard takes a part, never more than is left', async () => {
    const { id, intent } = await paid();
    const refund = (body: object) => trial.control('POST', `/api/payments/${id}/refunds`, body);
    expect((await refund({ amount: 800 })).json).toMatchObject({ amount: 800, metadata: {} });
    expect((await refund({ amount: 11_001 })).status).toBe(400);
    expect((await refund({})).json).toMatchObject({ amount: 11_000 });
    expect((await refund({})).status).toBe(400);
    expect((await trial.stripe.refunds.list({ payment_intent: intent })).data).toHaveLength(2);
    const events = await trial.stripe.events.list({ types: ['charge.refunded'] });
    expect(events.data.map((event) => event.type)).toEqual(['charge.refunded', 'charge.refunded']);
  });

  test('and a dispute have buttons on the dashboard page', async () => {
    const { id } = await paid();
    const { url } = await trial.stripe.checkout.sessions.create(booking());
    const page = `${new URL(url ?? '').origin}/dashboard/${id}`;
    await trial.submit(page, { action: 'refund', amount: '10' });
    await trial.submit(page, { action: 'dispute' });
    const html = await (await trial.look(page)).text();
    expect(html).toContain('$10.00 given back: <strong>succeeded</strong>');
    expect(html).toContain('Dispute: <strong>needs_response</strong>');
    expect((await trial.submit(page, { action: 'refund', amount: '1000' })).headers.get('location')).toContain(
      'problem=',
    );
  });
});

test('a dispute stops refunds until it is won, and tells each step', async () => {
  const { id, intent } = await paid();
  const opened = Object((await trial.control('POST', `/api/payments/${id}/disputes`)).json);
  expect((await trial.control('POST', `/api/payments/${id}/disputes`)).status).toBe(400);
  expect(await charge(id)).toMatchObject({ disputed: true });
  await expect(trial.stripe.refunds.create({ payment_intent: intent })).rejects.toMatchObject({
    code: 'charge_disputed',
  });
  await trial.control('POST', `/api/disputes/${opened.id}`, { outcome: 'won' });
  await trial.hooked('charge.dispute.created');
  await trial.hooked('charge.dispute.closed');
  expect((await trial.stripe.disputes.list({ payment_intent: intent })).data).toMatchObject([{ status: 'won' }]);
  expect(await trial.stripe.refunds.create({ payment_intent: intent })).toMatchObject({ status: 'succeeded' });
});

test('the next webhook can claim live mode and be dated ahead; the one after is as always', async () => {
  await trial.control('POST', '/api/webhooks/next', { livemode: true, ahead_seconds: 1_000 });
  await paid();
  await paid();
  const hooks = await trial.hooked('checkout.session.completed', 2);
  const told = hooks.map((hook) => ({
    livemode: Object(JSON.parse(hook.body)).livemode,
    ahead: Number(/t=(\d+)/.exec(hook.signature)?.[1]) > Date.now() / 1000 + 500,
  }));
  expect(told).toContainEqual({ livemode: true, ahead: true });
  expect(told).toContainEqual({ livemode: false, ahead: false });
});

test('a slow payment takes as long as it is told to', async () => {
  const { id } = await trial.stripe.checkout.sessions.create(booking());
  await trial.control('POST', `/api/payments/${id}`, { outcome: 'delayed_paid', seconds: 900 });
  await trial.control('POST', '/api/clock', { advance_seconds: 800 });
  expect(await trial.stripe.checkout.sessions.retrieve(id)).toMatchObject({
    status: 'complete',
    payment_status: 'unpaid',
  });
  await trial.control('POST', '/api/clock', { advance_seconds: 101 });
  expect(await trial.stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' });
});

test('methods it knows are taken as they are given, others refused', async () => {
  const made = await trial.stripe.checkout.sessions.create(
    booking({ allowed_payment_method_types: ['card', 'au_becs_debit'] }),
  );
  expect(made.payment_method_types).toEqual(['card', 'au_becs_debit']);
  await expect(
    trial.stripe.checkout.sessions.create(booking({ allowed_payment_method_types: ['cheque'] })),
  ).rejects.toMatchObject({ statusCode: 400 });
});
