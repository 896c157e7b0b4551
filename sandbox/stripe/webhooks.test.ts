import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { booking, openTrial, type Trial } from '../testing.ts';

let trial: Trial;
beforeAll(async () => {
  trial = await openTrial();
});
beforeEach(async () => {
  await trial.control('POST', '/api/reset');
  trial.hooks.length = 0;
  trial.answerWith(200);
});
afterAll(() => trial.close());

const pay = async (): Promise<string> => {
  const { id } = await trial.stripe.checkout.sessions.create(booking());
  await trial.control('POST', `/api/payments/${id}`, { outcome: 'paid' });
  return id;
};
const deliveries = async (): Promise<{ id: string; state: string; tries: number; type: string }[]> =>
  (await trial.control('GET', '/api/webhooks?provider=stripe')).json as never;

describe('a webhook', () => {
  test('is signed so that the official SDK accepts it, and tells what happened', async () => {
    const id = await pay();
    const [hook] = await trial.hooked('checkout.session.completed');
    expect(hook?.path).toBe('/functions/v1/stripe-webhook');
    const event = trial.stripe.webhooks.constructEvent(hook?.body ?? '', hook?.signature ?? '', 'whsec_sandbox');
    expect(event).toMatchObject({
      object: 'event',
      type: 'checkout.session.completed',
      api_version: '2026-10-28.endive',
      livemode: false,
      data: { object: { id, status: 'complete', payment_status: 'paid' } },
    });
    expect(() => trial.stripe.webhooks.constructEvent(hook?.body ?? '', hook?.signature ?? '', 'whsec_other')).toThrow(
      /signature/i,
    );
    expect(() =>
      trial.stripe.webhooks.constructEvent(`${hook?.body} `, hook?.signature ?? '', 'whsec_sandbox'),
    ).toThrow(/signature/i);
    await expect
      .poll(() => trial.stripe.events.retrieve(event.id))
      .toMatchObject({ id: event.id, pending_webhooks: 0 });
  });

  test('is dated with real time, however far the clock was moved', async () => {
    await trial.control('POST', '/api/clock', { advance_seconds: 40 * 86_400 });
    await pay();
    const [hook] = await trial.hooked('checkout.session.completed');
    const event = trial.stripe.webhooks.constructEvent(hook?.body ?? '', hook?.signature ?? '', 'whsec_sandbox');
    expect(Math.abs(event.created - Date.now() / 1000)).toBeLessThan(60);
  });

  test('is tried again until it is taken, and can be sent again later', async () => {
    trial.answerWith(500);
    await pay();
    await trial.hooked('checkout.session.completed', 2);
    trial.answerWith(200);
    await trial.hooked('checkout.session.completed', 3);
    await expect.poll(deliveries).toMatchObject([{ state: 'delivered', tries: 3, type: 'checkout.session.completed' }]);
    const [delivery] = await deliveries();
    await trial.control('POST', `/api/webhooks/${delivery?.id}/replay`);
    const hooks = await trial.hooked('checkout.session.completed', 4);
    expect(new Set(hooks.map((hook) => hook.body)).size).toBe(1);
    expect((await trial.control('POST', '/api/webhooks/nobody/replay')).status).toBe(404);
  });

  test('comes twice when a duplicate is asked for', async () => {
    await trial.control('POST', '/api/faults', { provider: 'stripe', kind: 'duplicate' });
    await pay();
    const [first, second] = await trial.hooked('checkout.session.completed', 2);
    expect(second?.body).toBe(first?.body);
  });

  test('comes behind the next one when another order is asked for', async () => {
    await trial.control('POST', '/api/faults', { provider: 'stripe', kind: 'reorder' });
    const first = await pay();
    const second = await pay();
    const hooks = await trial.hooked('checkout.session.completed', 2);
    expect(hooks[0]?.body).toContain(second);
    expect(hooks[1]?.body).toContain(first);
  });

  test('goes to a further endpoint with a secret of its own', async () => {
    const target = new URL(`http://127.0.0.1:1/`);
    const endpoint = await trial.stripe.webhookEndpoints.create({
      url: target.href,
      enabled_events: ['checkout.session.expired'],
    });
    expect(endpoint.secret).toMatch(/^whsec_/);
    expect((await trial.stripe.webhookEndpoints.retrieve(endpoint.id)).secret).toBeUndefined();
    const { id } = await trial.stripe.checkout.sessions.create(booking());
    await trial.stripe.checkout.sessions.expire(id);
    await trial.hooked('checkout.session.expired');
    await expect.poll(async () => (await deliveries()).length).toBe(2);
  });
});
