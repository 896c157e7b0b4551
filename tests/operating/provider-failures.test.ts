import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { checkout, readPayment, span, type TestServer, until } from '#tests/support/test-server.ts';

type Line = { readonly level: string; readonly text: string } & Readonly<Record<string, unknown>>;
type Entry = {
  readonly action: string;
  readonly resource: string;
  readonly details: Readonly<Record<string, unknown>>;
};

const REQUEST = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe.each(oneEngine)('what operators see of a failed payment on $name', (engine) => {
  let server: TestServer;
  let lines: Line[];
  let hour = 30;
  beforeAll(async () => {
    server = await engine.open({ ACCESS_LOG: 'true' });
  }, 120_000);
  beforeEach(() => {
    lines = [];
    for (const level of ['info', 'warn', 'error'] as const)
      vi.spyOn(server.app.log, level).mockImplementation((fields, text) => void lines.push({ ...fields, level, text }));
  });
  afterEach(() => vi.restoreAllMocks());

  const nextHour = () => checkout(span(server.now(), (hour += 3)));
  /** Waits until there is a line with this text, and returns all such lines. */
  const find = (text: string) =>
    until(() => Promise.resolve(lines.filter((line) => line.text === text)).then((found) => found.length > 0 && found));
  const sample = async (name: string): Promise<number | null> => {
    const exposition = await (await fetch(`${server.url}/metrics`)).text();
    const line = exposition.split('\n').find((line) => line.startsWith(`${name} `));
    return line === undefined ? null : Number(line.split(' ').at(-1));
  };
  const readBooking = async (userId: string): Promise<{ id: string; reference: string }> => {
    const found = await server.app.db.queryRow<{ id: string; reference: string }>(
      'select id, reference from private.booking where user_id = $1::uuid order by created_at desc limit 1',
      [userId],
    );
    if (found === null) throw new Error('there is no booking');
    return found;
  };
  const readHistory = async (reference: string): Promise<readonly Entry[]> => {
    const { data } = await server.client(server.app.keys.serviceRoleKey).rpc('booking_details', { reference });
    // Cast: the history in the details; the page checks its format.
    return (data as unknown as { history: Entry[] | null }).history ?? [];
  };

  test.each(['createCustomer', 'createSession'])(
    'Stripe answering 500 to %s is logged with provider, operation, code, message, booking and request, and without the customer',
    async (operation) => {
      const customer = await server.addCustomer();
      // The first booking creates the customer at the provider.
      if (operation === 'createSession')
        expect((await server.call('create-payment', nextHour(), customer.token)).status).toBe(200);
      await server.sandbox('/api/faults', { provider: 'stripe', kind: 'status', status: 500, count: 5 });
      const answer = await server.call('create-payment', nextHour(), customer.token);
      await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
      expect(answer.status).toBe(503);
      const { id: booking, reference } = await readBooking(customer.id);
      const expected = {
        provider: 'stripe',
        operation,
        code: 'StripeAPIError',
        message: expect.stringMatching(/\w{3}/),
        requestId: expect.stringMatching(REQUEST),
      };
      // The look-up of the session fails too and may be logged first, because each line is logged only after its booking has been read.
      await expect
        .poll(() => lines)
        .toContainEqual(
          expect.objectContaining({
            ...expected,
            text: 'a provider call failed',
            level: 'warn',
            outcome: 'failed',
            booking,
            reference,
          }),
        );
      expect(JSON.stringify(lines)).not.toContain(customer.email);
      // The owner sees the same history in the booking.
      await expect
        .poll(() => readHistory(reference))
        .toContainEqual(
          expect.objectContaining({ action: 'call_failed', details: { ...expected, at: expect.any(String) } }),
        );
    },
  );

  test('a declined card on the pay page is logged, counted and in the history once, and a later card pays', async () => {
    const customer = await server.addCustomer();
    const held = await server.call('create-payment', nextHour(), customer.token);
    const { id: booking, reference } = await readBooking(customer.id);
    const { id } = await readPayment(server, held.body['bookingId']);
    const before = (await sample('payments_total{outcome="declined"}')) ?? Number.NaN;
    const paidBefore = (await sample('payments_total{outcome="paid"}')) ?? Number.NaN;
    await server.sandbox(`/api/payments/${id}`, { outcome: 'declined' });
    const [line, ...more] = await find('a payment was declined');
    expect(line).toMatchObject({ level: 'info', booking, code: 'generic_decline', message: 'Your card was declined.' });
    // The return page looks up the same payment again.
    await server.call('verify-payment', { session_id: id, booking_id: booking }, customer.token);
    await server.sandbox(`/api/payments/${id}`, { outcome: 'paid' });
    await until(async () => (await sample('payments_total{outcome="paid"}')) === paidBefore + 1);
    expect(more).toEqual([]);
    expect(await sample('payments_total{outcome="declined"}')).toBe(before + 1);
    const declined = (await readHistory(reference)).filter(({ action }) => action === 'declined');
    expect(declined).toMatchObject([{ resource: 'payment', details: { code: 'generic_decline' } }]);
    expect(JSON.stringify(lines)).not.toContain(customer.email);
  });

  test('the access log names the function that was called, and no name that a caller made up', async () => {
    await server.call('create-payment', {});
    await server.call('no-such-function', {});
    const routes = (await find('request')).map(({ route }) => route);
    expect(routes).toContain('/functions/v1/create-payment');
    expect(routes).toContain('/functions/v1/:name');
    expect(routes).not.toContain('/functions/v1/no-such-function');
  });

  test('calls of providers are timed by outcome, mails are counted by outcome, and bookings by state', async () => {
    const customer = await server.addCustomer();
    await server.call('create-payment', nextHour(), customer.token);
    const { id } = await readPayment(server, (await readBooking(customer.id)).id);
    await server.sandbox(`/api/payments/${id}`, { outcome: 'paid' });
    await server.settle();
    expect(await sample('mails_total{outcome="sent"}')).toBeGreaterThan(0);
    expect(await sample('mails_total{outcome="failed"}')).toBe(0);
    const calls = (outcome: string) =>
      sample(`provider_call_seconds_count{provider="stripe",operation="createSession",outcome="${outcome}"}`);
    expect(await calls('ok')).toBeGreaterThan(0);
    expect(await calls('failed')).toBeGreaterThan(0);
    server.advance(61_000);
    const row = await server.app.db.queryRow<{ n: number }>(
      `select count(*)::int as n from private.booking where status = 'confirmed'`,
    );
    expect(await sample('bookings{state="confirmed"}')).toBe(row?.n);
    expect(await sample('bookings{state="cancelled"}')).not.toBeNull();
  });
});
