import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { booking, getId, openFixture, type Fixture } from '../../testing.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
beforeEach(async () => {
  await fixture.control('POST', '/api/reset');
  fixture.hooks.length = 0;
});
afterAll(() => fixture.close());

async function paid(): Promise<{ id: string; intent: string }> {
  const { id } = await fixture.stripe.checkout.sessions.create(booking());
  await fixture.control('POST', `/api/payments/${id}`, { outcome: 'paid' });
  return { id, intent: getId((await fixture.stripe.checkout.sessions.retrieve(id)).payment_intent) };
}
const charge = async (id: string) => {
  const session = await fixture.stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] });
  const intent = session.payment_intent;
  return intent !== null && typeof intent === 'object' ? intent.latest_charge : null;
};

describe('a refund', () => {
  test('that is pending counts as refunded until it fails, and can then be made again', async () => {
    const { id, intent } = await paid();
    expect((await fixture.control('POST', '/api/refunds', { next: 'pending' })).status).toBe(200);
    const first = await fixture.stripe.refunds.create({ payment_intent: intent });
    expect(first).toMatchObject({ status: 'pending', pending_reason: 'processing', amount: 11_800 });
    expect(await charge(id)).toMatchObject({ amount_refunded: 11_800, refunded: true });
    await fixture.control('POST', `/api/refunds/${first.id}`, { outcome: 'failed' });
    await fixture.hooked('refund.failed');
    await fixture.hooked('refund.updated');
    expect(await fixture.stripe.refunds.retrieve(first.id)).toMatchObject({
      status: 'failed',
      failure_reason: 'expired_or_canceled_card',
    });
    expect(await charge(id)).toMatchObject({ amount_refunded: 0, refunded: false });
    expect(await fixture.stripe.refunds.create({ payment_intent: intent })).toMatchObject({ status: 'succeeded' });
    expect((await fixture.control('POST', `/api/refunds/${first.id}`, { outcome: 'succeeded' })).json).toMatchObject({
      status: 'failed',
    });
  });

  test('on the dashboard refunds a part, never more than the rest', async () => {
    const { id, intent } = await paid();
    const refund = (body: object) => fixture.control('POST', `/api/payments/${id}/refunds`, body);
    expect((await refund({ amount: 800 })).json).toMatchObject({ amount: 800, metadata: {} });
    expect((await refund({ amount: 11_001 })).status).toBe(400);
    expect((await refund({})).json).toMatchObject({ amount: 11_000 });
    expect((await refund({})).status).toBe(400);
    expect((await fixture.stripe.refunds.list({ payment_intent: intent })).data).toHaveLength(2);
    const events = await fixture.stripe.events.list({ types: ['charge.refunded'] });
    expect(events.data.map((event) => event.type)).toEqual(['charge.refunded', 'charge.refunded']);
  });

  test('and a dispute have buttons on the dashboard page', async () => {
    const { id } = await paid();
    const { url } = await fixture.stripe.checkout.sessions.create(booking());
    const page = `${new URL(url ?? '').origin}/dashboard/${id}`;
    await fixture.submit(page, { action: 'refund', amount: '10' });
    await fixture.submit(page, { action: 'dispute' });
    const html = await (await fixture.look(page)).text();
    expect(html).toContain('$10.00 refunded: <strong>succeeded</strong>');
    expect(html).toContain('Dispute: <strong>needs_response</strong>');
    expect((await fixture.submit(page, { action: 'refund', amount: '1000' })).headers.get('location')).toContain(
      'problem=',
    );
  });
});

test('a dispute blocks refunds until it is won, and sends an event for each step', async () => {
  const { id, intent } = await paid();
  const opened = Object((await fixture.control('POST', `/api/payments/${id}/disputes`)).json);
  expect((await fixture.control('POST', `/api/payments/${id}/disputes`)).status).toBe(400);
  expect(await charge(id)).toMatchObject({ disputed: true });
  await expect(fixture.stripe.refunds.create({ payment_intent: intent })).rejects.toMatchObject({
    code: 'charge_disputed',
  });
  await fixture.control('POST', `/api/disputes/${opened.id}`, { outcome: 'won' });
  await fixture.hooked('charge.dispute.created');
  await fixture.hooked('charge.dispute.closed');
  expect((await fixture.stripe.disputes.list({ payment_intent: intent })).data).toMatchObject([{ status: 'won' }]);
  expect(await fixture.stripe.refunds.create({ payment_intent: intent })).toMatchObject({ status: 'succeeded' });
});

test('a dispute has the reason that the customer gave the bank; an unknown one is refused', async () => {
  const { id, intent } = await paid();
  expect(await fixture.control('POST', `/api/payments/${id}/disputes`, { reason: 'mood' })).toMatchObject({
    status: 400,
  });
  await fixture.control('POST', `/api/payments/${id}/disputes`, { reason: 'product_not_received' });
  expect((await fixture.stripe.disputes.list({ payment_intent: intent })).data).toMatchObject([
    { reason: 'product_not_received', status: 'needs_response' },
  ]);
});

test('the next webhook can claim live mode and a date ahead; the one after it is normal', async () => {
  await fixture.control('POST', '/api/webhooks/next', { livemode: true, ahead_seconds: 1_000 });
  await paid();
  await paid();
  const hooks = await fixture.hooked('checkout.session.completed', 2);
  const sent = hooks.map((hook) => ({
    livemode: Object(JSON.parse(hook.body)).livemode,
    ahead: Number(/t=(\d+)/.exec(hook.signature)?.[1]) > Date.now() / 1000 + 500,
  }));
  expect(sent).toContainEqual({ livemode: true, ahead: true });
  expect(sent).toContainEqual({ livemode: false, ahead: false });
});

test('a delayed payment takes as long as the control API says', async () => {
  const { id } = await fixture.stripe.checkout.sessions.create(booking());
  await fixture.control('POST', `/api/payments/${id}`, { outcome: 'delayed_paid', seconds: 900 });
  await fixture.control('POST', '/api/clock', { advance_seconds: 800 });
  expect(await fixture.stripe.checkout.sessions.retrieve(id)).toMatchObject({
    status: 'complete',
    payment_status: 'unpaid',
  });
  await fixture.control('POST', '/api/clock', { advance_seconds: 101 });
  expect(await fixture.stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' });
});

test('known payment methods are accepted, others are refused', async () => {
  const created = await fixture.stripe.checkout.sessions.create(
    booking({ allowed_payment_method_types: ['card', 'au_becs_debit'] }),
  );
  expect(created.payment_method_types).toEqual(['card', 'au_becs_debit']);
  await expect(
    fixture.stripe.checkout.sessions.create(booking({ allowed_payment_method_types: ['cheque'] })),
  ).rejects.toMatchObject({ statusCode: 400 });
});

describe('the balance', () => {
  const entries = async () =>
    (await fixture.stripe.balanceTransactions.list({ limit: 100, expand: ['data.source'] })).data;

  test('has an entry for each charge, refund and dispute, newest first, with its source, fee and net amount', async () => {
    const { id, intent } = await paid();
    await fixture.stripe.refunds.create({ payment_intent: intent, amount: 800 });
    const [refund, charged, ...more] = await entries();
    expect(more).toEqual([]);
    expect(charged).toMatchObject({
      object: 'balance_transaction',
      type: 'charge',
      reporting_category: 'charge',
      amount: 11_800,
      fee: 231,
      net: 11_569,
      currency: 'aud',
      source: { object: 'charge', payment_intent: intent, balance_transaction: charged?.id },
    });
    expect(refund).toMatchObject({ type: 'refund', amount: -800, fee: 0, source: { balance_transaction: refund?.id } });
    await fixture.control('POST', `/api/payments/${id}/disputes`, {});
    const [dispute] = await entries();
    expect(dispute).toMatchObject({ type: 'adjustment', reporting_category: 'dispute', amount: -11_800, fee: 2_500 });
    expect((await fixture.stripe.balanceTransactions.retrieve(dispute?.id ?? '')).id).toBe(dispute?.id);
    expect((await fixture.stripe.balanceTransactions.list({ type: 'refund' })).data).toHaveLength(1);
  });

  test('gets the money of a failed refund and of a dispute that is won back, and takes unknown filters for errors', async () => {
    const { id, intent } = await paid();
    await fixture.control('POST', '/api/refunds', { next: 'failed' });
    const failed = await fixture.stripe.refunds.create({ payment_intent: intent });
    await fixture.control('POST', `/api/payments/${id}/disputes`, {});
    const [dispute] = (await fixture.stripe.disputes.list({ payment_intent: intent })).data;
    await fixture.control('POST', `/api/disputes/${dispute?.id}`, { outcome: 'won' });
    const moved = (await entries()).map((entry) => [entry.reporting_category, entry.amount]);
    expect(moved).toEqual([
      ['dispute_reversal', 11_800],
      ['dispute', -11_800],
      ['refund_failure', 11_800],
      ['refund', -11_800],
      ['charge', 11_800],
    ]);
    expect((await fixture.stripe.refunds.retrieve(failed.id)).failure_balance_transaction).toMatch(/^txn_/);
    await expect(fixture.stripe.balanceTransactions.list({ kind: 'x' } as never)).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
    });
  });

  test('takes payments of the past with their dates, once', async () => {
    const past = {
      id: 'pi_past',
      amount: 4_900,
      created: 1_900_000_000,
      refund: { id: 're_past', created: 1_900_000_500 },
    };
    for (const _ of [1, 2])
      expect((await fixture.control('POST', '/api/past-payments', { payments: [past] })).status).toBe(200);
    expect((await entries()).map(({ type, amount, created }) => [type, amount, created])).toEqual([
      ['refund', -4_900, 1_900_000_500],
      ['charge', 4_900, 1_900_000_000],
    ]);
    expect((await fixture.stripe.refunds.list({ payment_intent: 'pi_past' })).data).toMatchObject([{ id: 're_past' }]);
    expect((await fixture.control('POST', '/api/past-payments', { payments: [{ id: 'pi_x' }] })).status).toBe(400);
    expect(fixture.hooks).toEqual([]);
  });
});
