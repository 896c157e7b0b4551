import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { booking, openFixture, type Fixture } from '../testing.ts';
import { createState } from './state.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.control('DELETE', '/api/faults'));
afterAll(() => fixture.close());

const arm = (fault: Record<string, unknown>): Promise<{ status: number }> =>
  fixture.control('POST', '/api/faults', { provider: 'stripe', ...fault });
const create = (reference: string, key?: string): Promise<Stripe.Checkout.Session> =>
  fixture.stripe.checkout.sessions.create(
    booking({ client_reference_id: reference }),
    key === undefined ? {} : { idempotencyKey: key },
  );
const catchError = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  );

describe('a fault', () => {
  test('refuse closes the connection, once unless a count is given', async () => {
    await arm({ kind: 'refuse' });
    // The SDK itself retries a closed connection once.
    await arm({ kind: 'refuse' });
    expect(await catchError(create('refused'))).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(await create('after')).toMatchObject({ status: 'open' });
  });

  test('hang sends no answer until the caller gives up', async () => {
    await arm({ kind: 'hang', count: 2 });
    const began = Date.now();
    const error = await catchError(
      fixture.stripe.checkout.sessions.create(booking(), { timeout: 300, maxNetworkRetries: 0 }),
    );
    expect(error).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(Date.now() - began).toBeGreaterThan(250);
  });

  test('status answers with that status as often as count says', async () => {
    await arm({ kind: 'status', status: 429, count: 2 });
    expect(await catchError(create('busy'))).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
    expect(await catchError(create('busy'))).toMatchObject({ statusCode: 429 });
    await create('free');
    await arm({ kind: 'status' });
    expect(await catchError(create('down'))).toMatchObject({ statusCode: 503 });
  });

  test('garbage answers with something that is not JSON', async () => {
    await arm({ kind: 'garbage' });
    expect(await catchError(create('garbage'))).toBeInstanceOf(Stripe.errors.StripeAPIError);
  });

  test('fail_after does the work but loses the answer; the same idempotency key returns the result', async () => {
    await arm({ kind: 'fail_after', count: 2 });
    expect(await catchError(create('lost', 'lost-key'))).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    await fixture.control('DELETE', '/api/faults');
    const repeated = await create('lost', 'lost-key');
    const all = await fixture.stripe.checkout.sessions.list({ limit: 100 });
    expect(all.data.filter((session) => session.client_reference_id === 'lost').map((session) => session.id)).toEqual([
      repeated.id,
    ]);
  });

  test('ends after its seconds, or when faults are cleared', async () => {
    await arm({ kind: 'status', seconds: 60 });
    for (let index = 0; index < 3; index += 1)
      expect(await catchError(create('down'))).toMatchObject({ statusCode: 503 });
    await fixture.control('DELETE', '/api/faults');
    await create('up');
    await arm({ kind: 'status', seconds: 0.05 });
    await new Promise((done) => setTimeout(done, 80));
    await create('up again');
  });

  test('does not apply to the pay page', async () => {
    const { url } = await create('page');
    await arm({ kind: 'status', count: 1 });
    expect((await fixture.look(url ?? '')).status).toBe(200);
    expect((await fixture.control('GET', '/api/faults')).json).toHaveLength(1);
  });

  test('offline affects only the requests that need the bridge', async () => {
    await fixture.control('POST', '/api/faults', { provider: 'igloohome', kind: 'offline', seconds: 60 });
    const at = `http://127.0.0.1:${fixture.sandbox.ports.igloohome}/igloohome/devices`;
    expect((await fetch(at)).status).toBe(401);
    expect((await fetch(`${at}/SPA1X0001/jobs/bridges/EB1X00001`, { method: 'POST', body: '{}' })).status).toBe(406);
  });

  test('of an unknown kind, provider or number is refused', async () => {
    expect((await arm({ kind: 'sulk' })).status).toBe(400);
    expect((await arm({ kind: 'hang', provider: 'moon' })).status).toBe(400);
    expect((await arm({ kind: 'hang', count: 0 })).status).toBe(400);
    expect((await arm({ kind: 'status', status: 200 })).status).toBe(400);
  });
});

describe('the request log', () => {
  test('has every request, newest first, without keys or codes', async () => {
    await create('logged');
    await fetch(`http://127.0.0.1:${fixture.sandbox.ports.stripe}/v1/nothing?client_secret=hush`);
    const { json } = await fixture.control('GET', '/api/requests?provider=stripe');
    expect(Array.isArray(json) ? json.slice(0, 2) : json).toMatchObject([
      { method: 'GET', path: '/v1/nothing?client_secret=***', status: 401, provider: 'stripe' },
      { method: 'POST', path: '/v1/checkout/sessions', status: 200 },
    ]);
    expect(JSON.stringify(json)).not.toContain('sk_test');
    expect((await fixture.control('GET', '/api/requests?provider=plug')).json).toEqual([]);
  });
});

describe('the clock', () => {
  test('moves by seconds or to an instant, and refuses anything else', async () => {
    const { json } = await fixture.control('POST', '/api/clock', { now: '2030-01-01T00:00:00Z' });
    expect(json).toMatchObject({ now: expect.stringMatching(/^2030-01-01T00:00:0/) });
    const { json: later } = await fixture.control('POST', '/api/clock', { advance_seconds: 3600 });
    expect(later).toMatchObject({ now: expect.stringMatching(/^2030-01-01T01:00:0/) });
    expect((await fixture.control('POST', '/api/clock', { advance_seconds: 'soon' })).status).toBe(400);
    await fixture.control('POST', '/api/reset');
  });
});

describe('a restart', () => {
  test('keeps paid sessions when there is a state file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const file = join(folder, 'state.json');
    const first = await openFixture(file);
    const { id } = await first.stripe.checkout.sessions.create(booking());
    await first.control('POST', `/api/payments/${id}`, { outcome: 'paid' });
    await first.close();
    const second = await openFixture(file);
    expect(await second.stripe.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' });
    await second.close();
    await rm(folder, { recursive: true });
  });

  test('fails when the state file cannot be read, and does not overwrite it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    const file = join(folder, 'state.json');
    await writeFile(file, '{ half');
    expect(() => createState(file)).toThrow(/cannot be read/);
    await rm(folder, { recursive: true });
  });
});
