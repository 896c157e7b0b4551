import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import {
  checkout,
  mailsTo,
  readPayment,
  span,
  STUDIO_A,
  STUDIO_B,
  until,
  type TestServer,
} from '#tests/support/test-server.ts';

const MINUTE = 60_000;
/** The payment provider accepts connections and never answers. */
describe.each(engines)('a payment provider that hangs on $name', { timeout: 120_000 }, ({ open }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await open({ PAYMENT_ANSWER_SECONDS: '1.5' });
  });
  afterAll(() => server.close());

  const hang = (): Promise<unknown> =>
    server.sandbox('/api/faults', { provider: 'stripe', kind: 'hang', seconds: 86_400 });
  const heal = (): Promise<Response> => fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });

  it('create-payment and verify-payment answer while it hangs, and continue once it answers', async () => {
    const payer = await server.addCustomer();
    // On a busy machine the first answer may come before the session is open.
    const request = checkout(span(server.now(), 40));
    const booked = await until(async () => {
      const answer = await server.call('create-payment', request, payer.token);
      return answer.status === 200 ? answer : null;
    });
    const session = await readPayment(server, booked.body['bookingId']);
    await server.sandbox(`/api/payments/${session.id}`, { outcome: 'paid' });
    await hang();

    const customer = await server.addCustomer();
    const time = span(server.now(), 44);
    const ask = () => server.call('create-payment', checkout(time), customer.token);
    // Only our own timeout can end these calls: the provider answers only after `heal`.
    const first = await ask();
    expect(first).toMatchObject({ status: 202, body: { url: null, pending: true } });
    const verify = () => server.call('verify-payment', { sessionId: session.id }, payer.token);
    const verified = await verify();
    expect(verified).toMatchObject({ status: 200, body: { bookingId: booked.body['bookingId'] } });
    // Calling again while the first call to the provider is open returns the same hold and does not call the provider again.
    const second = await ask();
    expect(second.body['bookingId']).toBe(first.body['bookingId']);
    expect(second.body['url']).toBeNull();

    await heal();
    const url = await until(async () => {
      server.advance(11_000);
      return (await ask()).body['url'];
    }, 60_000);
    expect(url).toContain('/c/pay/');
    const { rows } = await server.app.db.query<{ state: string }>(
      `select state from private.payment where booking_id = $1::uuid and state in ('intent', 'open')`,
      [first.body['bookingId']],
    );
    expect(rows).toEqual([{ state: 'open' }]);
    const sessions = await server.sandbox('/api/payments');
    const created = Array.isArray(sessions)
      ? sessions.filter(
          (session) => session.client_reference_id === first.body['bookingId'] && session.status === 'open',
        )
      : [];
    expect(created).toHaveLength(1);
    await until(async () => (await verify()).body['paid'] === true, 60_000);
  });

  it('16 expired holds that cannot be released delay neither the confirmation of another booking nor each other', async () => {
    const holders = await Promise.all(Array.from({ length: 8 }, () => server.addCustomer()));
    for (const [index, holder] of holders.entries())
      for (const studio of [STUDIO_A, STUDIO_B]) {
        const hours = checkout(span(server.now(), 60 + index), {}, studio);
        // On a busy machine the first answer may be that the payment page is still opening.
        await until(async () => (await server.call('create-payment', hours, holder.token)).status === 200, 60_000);
      }
    const payer = await server.addCustomer();
    const booked = await server.call('create-payment', checkout(span(server.now(), 90)), payer.token);
    const session = await readPayment(server, booked.body['bookingId']);
    await server.sandbox(`/api/payments/${session.id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: session.id });
    await server.app.db.query(
      `update private.outbox set due_at = $1::timestamptz where kind = 'mail.booking-confirmed' and done_at is null`,
      [new Date(server.now().getTime() + 16 * MINUTE)],
    );
    await hang();
    server.advance(16 * MINUTE + 1_000);
    server.app.scheduler.start();
    try {
      // The provider does not answer until `heal`, so this mail did not wait for any of the sixteen.
      await until(async () => (await mailsTo(server, payer.email, 'Booking confirmed')).length === 1, 60_000);
      await heal();
      await until(async () => {
        server.advance(11_000);
        const row = await server.app.db.queryRow<{ n: number }>(
          `select count(*)::int as n from private.booking where status = 'pending' and hold_expires_at < $1::timestamptz`,
          [server.now()],
        );
        return row?.n === 0;
      }, 60_000);
    } finally {
      await heal();
      await server.app.scheduler.stop();
    }
  });
});
