import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { booking, openFixture, type Fixture } from '../testing.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
beforeEach(async () => {
  await fixture.control('POST', '/api/reset');
  fixture.hooks.length = 0;
  fixture.answerWith(200);
});
afterAll(() => fixture.close());

const pay = async (): Promise<string> => {
  const { id } = await fixture.stripe.checkout.sessions.create(booking());
  await fixture.control('POST', `/api/payments/${id}`, { outcome: 'paid' });
  return id;
};
const deliveries = async (): Promise<{ id: string; state: string; tries: number; type: string }[]> =>
  (await fixture.control('GET', '/api/webhooks?provider=stripe')).json as never;

describe('a webhook', () => {
  test('has a signature that the official SDK accepts, and contains the event', async () => {
    const id = await pay();
    const [hook] = await fixture.hooked('checkout.session.completed');
    expect(hook?.path).toBe('/functions/v1/stripe-webhook');
    const event = fixture.stripe.webhooks.constructEvent(hook?.body ?? '', hook?.signature ?? '', 'whsec_sandbox');
    expect(event).toMatchObject({
      object: 'event',
      type: 'checkout.session.completed',
      api_version: '2026-10-28.endive',
      livemode: false,
      data: { object: { id, status: 'complete', payment_status: 'paid' } },
    });
    expect(() =>
      fixture.stripe.webhooks.constructEvent(hook?.body ?? '', hook?.signature ?? '', 'whsec_other'),
    ).toThrow(/signature/i);
    expect(() =>
      fixture.stripe.webhooks.constructEvent(`${hook?.body} `, hook?.signature ?? '', 'whsec_sandbox'),
    ).toThrow(/signature/i);
    await expect
      .poll(() => fixture.stripe.events.retrieve(event.id))
      .toMatchObject({ id: event.id, pending_webhooks: 0 });
  });

  test('has real time as its date, wherever the sandbox clock is', async () => {
    await fixture.control('POST', '/api/clock', { advance_seconds: 40 * 86_400 });
    await pay();
    const [hook] = await fixture.hooked('checkout.session.completed');
    const event = fixture.stripe.webhooks.constructEvent(hook?.body ?? '', hook?.signature ?? '', 'whsec_sandbox');
    expect(Math.abs(event.created - Date.now() / 1000)).toBeLessThan(60);
  });

  test('is retried until it is accepted, and can be sent again later', async () => {
    fixture.answerWith(500);
    await pay();
    await fixture.hooked('checkout.session.completed', 2);
    fixture.answerWith(200);
    await fixture.hooked('checkout.session.completed', 3);
    await expect.poll(deliveries).toMatchObject([{ state: 'delivered', tries: 3, type: 'checkout.session.completed' }]);
    const [delivery] = await deliveries();
    await fixture.control('POST', `/api/webhooks/${delivery?.id}/replay`);
    const hooks = await fixture.hooked('checkout.session.completed', 4);
    expect(new Set(hooks.map((hook) => hook.body)).size).toBe(1);
    expect((await fixture.control('POST', '/api/webhooks/nobody/replay')).status).toBe(404);
  });

  test('arrives twice with a duplicate fault', async () => {
    await fixture.control('POST', '/api/faults', { provider: 'stripe', kind: 'duplicate' });
    await pay();
    const [first, second] = await fixture.hooked('checkout.session.completed', 2);
    expect(second?.body).toBe(first?.body);
  });

  test('arrives after the next one with a reorder fault', async () => {
    await fixture.control('POST', '/api/faults', { provider: 'stripe', kind: 'reorder' });
    const first = await pay();
    const second = await pay();
    const hooks = await fixture.hooked('checkout.session.completed', 2);
    expect(hooks[0]?.body).toContain(second);
    expect(hooks[1]?.body).toContain(first);
  });

  test('goes to an additional endpoint with its own secret', async () => {
    const target = new URL(`http://127.0.0.1:1/`);
    const endpoint = await fixture.stripe.webhookEndpoints.create({
      url: target.href,
      enabled_events: ['checkout.session.expired'],
    });
    expect(endpoint.secret).toMatch(/^whsec_/);
    expect((await fixture.stripe.webhookEndpoints.retrieve(endpoint.id)).secret).toBeUndefined();
    const { id } = await fixture.stripe.checkout.sessions.create(booking());
    await fixture.stripe.checkout.sessions.expire(id);
    await fixture.hooked('checkout.session.expired');
    await expect.poll(async () => (await deliveries()).length).toBe(2);
  });
});
