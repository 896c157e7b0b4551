import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { booking, openFixture, inHalfAnHour, type Fixture } from '../../testing.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

const catchRefusal = async (work: Promise<unknown>): Promise<Stripe.errors.StripeError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('it was not refused');
};

/** Calls the API with parameters that the typed client does not allow. */
const raw = (
  path: string,
  headers: Record<string, string> = {},
  posted: { method: 'POST'; body: string } | { method: 'GET' } = { method: 'GET' },
): Promise<Response> =>
  fetch(`http://127.0.0.1:${fixture.sandbox.ports.stripe}${path}`, {
    ...posted,
    headers: { authorization: 'Bearer sk_test_sandbox', ...headers },
  });

describe('a session', () => {
  test('is created open and unpaid, with the total of its items and the placeholder unchanged', async () => {
    const expires = inHalfAnHour();
    const session = await fixture.stripe.checkout.sessions.create(
      booking({ expires_at: expires, metadata: { booking: 'b1' } }),
    );
    expect(session).toMatchObject({
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 11_800,
      currency: 'aud',
      client_reference_id: 'booking-1',
      expires_at: expires,
      livemode: false,
      metadata: { booking: 'b1' },
      payment_intent: null,
      success_url: 'http://shop.example/result?session={CHECKOUT_SESSION_ID}',
    });
    expect(session.id).toMatch(/^cs_test_/);
    expect(session.url).toContain(`/c/pay/${session.id}`);
    expect(session.lastResponse.apiVersion).toBe('2026-10-28.endive');
  });

  test('can be read again, with its items when they are expanded', async () => {
    const created = await fixture.stripe.checkout.sessions.create(booking());
    const plain = await fixture.stripe.checkout.sessions.retrieve(created.id);
    expect(plain.line_items).toBeUndefined();
    const read = await fixture.stripe.checkout.sessions.retrieve(created.id, {
      expand: ['line_items', 'payment_intent'],
    });
    expect(read.line_items?.data[0]).toMatchObject({ description: 'Studio A, 2 hours', amount_total: 11_800 });
    const items = await fixture.stripe.checkout.sessions.listLineItems(created.id);
    expect(items.data).toHaveLength(1);
  });

  test('with an unknown id is missing', async () => {
    const error = await catchRefusal(fixture.stripe.checkout.sessions.retrieve('cs_test_nobody'));
    expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(error).toMatchObject({ statusCode: 404, code: 'resource_missing' });
  });

  test('can be expired by a call only while it is open', async () => {
    const created = await fixture.stripe.checkout.sessions.create(booking());
    expect(await fixture.stripe.checkout.sessions.expire(created.id)).toMatchObject({ status: 'expired', url: null });
    expect(await catchRefusal(fixture.stripe.checkout.sessions.expire(created.id))).toMatchObject({ statusCode: 400 });
  });

  test('must end between 30 minutes and 24 hours from now, in real time', async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const expires_at of [now + 29 * 60, now + 25 * 3600, now - 5])
      expect(await catchRefusal(fixture.stripe.checkout.sessions.create(booking({ expires_at })))).toMatchObject({
        statusCode: 400,
        param: 'expires_at',
      });
    await fixture.stripe.checkout.sessions.create(booking({ expires_at: now + 30 * 60 }));
    await fixture.stripe.checkout.sessions.create(booking({ expires_at: now + 24 * 3600 }));
  });
});

describe('what the real API refuses', () => {
  const price = (more: Record<string, unknown>): string =>
    new URLSearchParams({
      mode: 'payment',
      success_url: 'http://shop.example/',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'aud',
      'line_items[0][price_data][unit_amount]': '5000',
      'line_items[0][price_data][product_data][name]': 'Studio A',
      ...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, String(value)])),
    }).toString();
  const post = async (body: string): Promise<{ status: number; code: unknown; param: unknown }> => {
    const response = await raw(
      '/v1/checkout/sessions',
      { 'content-type': 'application/x-www-form-urlencoded' },
      { method: 'POST', body },
    );
    const { error } = (await response.json()) as { error?: { code?: string; param?: string } };
    return { status: response.status, code: error?.code, param: error?.param };
  };

  test.each([
    ['an unknown parameter', { colour: 'red' }, 'parameter_unknown', 'colour'],
    [
      'an unknown nested parameter',
      { 'payment_intent_data[colour]': 'red' },
      'parameter_unknown',
      'payment_intent_data[colour]',
    ],
    [
      'a parameter that the API removed',
      { 'payment_method_types[0]': 'card' },
      'parameter_unknown',
      'payment_method_types[0]',
    ],
    [
      'half a cent',
      { 'line_items[0][price_data][unit_amount]': '50.5' },
      'parameter_invalid_integer',
      'line_items[0][price_data][unit_amount]',
    ],
    ['less than 50 cents', { 'line_items[0][price_data][unit_amount]': '49' }, 'amount_too_small', undefined],
    ['no quantity', { 'line_items[0][quantity]': '' }, 'parameter_invalid_integer', 'line_items[0][quantity]'],
    ['an invalid address', { success_url: 'result' }, 'url_invalid', 'success_url'],
    ['an invalid email', { customer_email: 'alex' }, 'email_invalid', 'customer_email'],
    ['a long metadata value', { 'metadata[a]': 'x'.repeat(501) }, 'parameter_invalid', 'metadata[a]'],
    [
      'another currency',
      { 'line_items[0][price_data][currency]': 'usd' },
      'parameter_invalid',
      'line_items[0][price_data][currency]',
    ],
  ])('%s', async (_title, more, code, param) => {
    expect(await post(price(more))).toEqual({ status: 400, code, param });
  });

  test('no items', async () => {
    const error = await catchRefusal(fixture.stripe.checkout.sessions.create(booking({ line_items: [] })));
    expect(error).toMatchObject({ code: 'parameter_missing', param: 'line_items' });
  });

  test('names of inherited properties as ids', async () => {
    expect((await raw('/v1/checkout/sessions/constructor')).status).toBe(404);
    expect((await raw('/v1/refunds/toString')).status).toBe(404);
    expect((await raw('/c/pay/constructor')).status).toBe(404);
  });

  test('a wrong key, a missing key, a key without permission, JSON, another version, an unknown path', async () => {
    const { host, port, protocol } = {
      host: '127.0.0.1',
      port: String(fixture.sandbox.ports.stripe),
      protocol: 'http' as const,
    };
    const otherUser = new Stripe('sk_test_other', { host, port, protocol });
    expect(await catchRefusal(otherUser.checkout.sessions.list())).toBeInstanceOf(
      Stripe.errors.StripeAuthenticationError,
    );
    expect(await catchRefusal(fixture.restricted.checkout.sessions.list())).toBeInstanceOf(
      Stripe.errors.StripePermissionError,
    );
    expect((await raw('/v1/events', { authorization: '' })).status).toBe(401);
    const json = await raw('/v1/refunds', { 'content-type': 'application/json' }, { method: 'POST', body: '{}' });
    expect(json.status).toBe(400);
    expect((await raw('/v1/events', { 'stripe-version': '2020-08-27' })).status).toBe(400);
    expect((await raw('/v1/customers')).status).toBe(404);
    expect((await raw('/v1/events?colour=red')).status).toBe(400);
    expect((await raw('/v1/events?expand[]=colour')).status).toBe(400);
  });
});

describe('a list', () => {
  test('is newest first, has pages, and can be filtered by reference', async () => {
    const began = Math.floor(Date.now() / 1000);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.unshift(
        (await fixture.stripe.checkout.sessions.create(booking({ client_reference_id: `listed-${index}` }))).id,
      );
    const first = await fixture.stripe.checkout.sessions.list({ limit: 2, created: { gte: began - 1 } });
    expect(first.data.map((session) => session.id)).toEqual(ids.slice(0, 2));
    expect(first.has_more).toBe(true);
    const second = await fixture.stripe.checkout.sessions.list({ limit: 2, starting_after: ids[1]! });
    expect(second.data.map((session) => session.id)).toEqual(ids.slice(2, 4));
    let found: string | null = null;
    for await (const session of fixture.stripe.checkout.sessions.list({ limit: 2 }))
      if (session.client_reference_id === 'listed-0') found = session.id;
    expect(found).toBe(ids[4]);
    const later = await fixture.stripe.checkout.sessions.list({ created: { gte: began + 3_600 } });
    expect(later.data).toEqual([]);
    expect(await catchRefusal(fixture.stripe.checkout.sessions.list({ limit: 101 }))).toMatchObject({ param: 'limit' });
  });
});

describe('an idempotency key', () => {
  test('returns the first answer again, and refuses other parameters', async () => {
    const options = { idempotencyKey: 'key-again' };
    const first = await fixture.stripe.checkout.sessions.create(booking(), options);
    const second = await fixture.stripe.checkout.sessions.create(booking(), options);
    expect(second.id).toBe(first.id);
    const error = await catchRefusal(fixture.stripe.checkout.sessions.create(booking({ locale: 'en' }), options));
    expect(error).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
  });

  test('is a conflict while its first call is running', async () => {
    const call = (): Promise<Stripe.Checkout.Session> =>
      fixture.stripe.checkout.sessions.create(booking({ client_reference_id: 'twice' }), {
        idempotencyKey: 'key-race',
      });
    const results = await Promise.allSettled([call(), call(), call()]);
    const createdIds = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : []));
    expect(new Set(createdIds).size).toBe(1);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    const all = await fixture.stripe.checkout.sessions.list({ limit: 100 });
    expect(all.data.filter((session) => session.client_reference_id === 'twice')).toHaveLength(1);
  });

  test('is forgotten a day later', async () => {
    const options = { idempotencyKey: 'key-old' };
    const first = await fixture.stripe.checkout.sessions.create(booking(), options);
    await fixture.control('POST', '/api/clock', { advance_seconds: 86_400 });
    expect((await fixture.stripe.checkout.sessions.create(booking(), options)).id).not.toBe(first.id);
    await fixture.control('POST', '/api/clock', { advance_seconds: -86_400 });
  });

  test('can be used again after parameters were refused', async () => {
    const options = { idempotencyKey: 'key-refused' };
    await catchRefusal(fixture.stripe.checkout.sessions.create(booking({ expires_at: 1 }), options));
    await expect(fixture.stripe.checkout.sessions.create(booking(), options)).resolves.toMatchObject({
      status: 'open',
    });
  });
});
