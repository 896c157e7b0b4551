import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { checkout, mailsTo, paymentOf, span, STUDIO_A, STUDIO_B, until, type World } from '#tests/support/world.ts';

const MINUTE = 60_000;
/** The payment provider takes connections and says nothing. */
describe.each(engines)('a payment provider that hangs on $name', { timeout: 120_000 }, ({ open }) => {
  let world: World;
  beforeAll(async () => {
    world = await open({ PAYMENT_ANSWER_SECONDS: '1.5' });
  });
  afterAll(() => world.close());

  const hang = (): Promise<unknown> =>
    world.sandbox('/api/faults', { provider: 'stripe', kind: 'hang', seconds: 86_400 });
  const heal = (): Promise<Response> => fetch(`${world.sandboxUrl}/api/faults`, { method: 'DELETE' });

  it('create-payment and verify-payment answer while it says nothing, and go on once it answers', async () => {
    const payer = await world.addCustomer();
    const booked = await world.call('create-payment', checkout(span(world.now(), 40)), payer.token);
    const session = await paymentOf(world, booked.body['bookingId']);
    await world.sandbox(`/api/payments/${session.id}`, { outcome: 'paid' });
    await hang();

    const customer = await world.addCustomer();
    const time = span(world.now(), 44);
    const ask = () => world.call('create-payment', checkout(time), customer.token);
    // Nothing but our own patience ends these calls: the provider answers only after `heal`.
    const first = await ask();
    expect(first).toMatchObject({ status: 202, body: { url: null, pending: true } });
    const verify = () => world.call('verify-payment', { sessionId: session.id }, payer.token);
    const asked = await verify();
    expect(asked).toMatchObject({ status: 200, body: { bookingId: booked.body['bookingId'] } });
    // Asked again while the first question is open: the same hold, and no second question.
    const second = await ask();
    expect(second.body['bookingId']).toBe(first.body['bookingId']);
    expect(second.body['url']).toBeNull();

    await heal();
    const url = await until(async () => {
      world.advance(11_000);
      return (await ask()).body['url'];
    }, 60_000);
    expect(url).toContain('/c/pay/');
    const { rows } = await world.house.db.query<{ state: string }>(
      `select state from private.payment where booking_id = $1::uuid and state in ('intent', 'open')`,
      [first.body['bookingId']],
    );
    expect(rows).toEqual([{ state: 'open' }]);
    const sessions = await world.sandbox('/api/payments');
    const made = Array.isArray(sessions)
      ? sessions.filter((one) => one.client_reference_id === first.body['bookingId'] && one.status === 'open')
      : [];
    expect(made).toHaveLength(1);
    await until(async () => (await verify()).body['paid'] === true, 60_000);
  });

  it('16 expired holds that cannot be released hold up neither the confirmation of another booking nor each other', async () => {
    const holders = await Promise.all(Array.from({ length: 8 }, () => world.addCustomer()));
    for (const [at, holder] of holders.entries())
      for (const studio of [STUDIO_A, STUDIO_B])
        expect(
          (await world.call('create-payment', checkout(span(world.now(), 60 + at), {}, studio), holder.token)).status,
        ).toBe(200);
    const payer = await world.addCustomer();
    const booked = await world.call('create-payment', checkout(span(world.now(), 90)), payer.token);
    const session = await paymentOf(world, booked.body['bookingId']);
    await world.sandbox(`/api/payments/${session.id}`, { outcome: 'paid' });
    await world.call('verify-payment', { sessionId: session.id });
    await world.house.db.query(
      `update private.outbox set due_at = $1::timestamptz where kind = 'mail.booking-confirmed' and done_at is null`,
      [new Date(world.now().getTime() + 16 * MINUTE)],
    );
    await hang();
    world.advance(16 * MINUTE + 1_000);
    world.house.tick.start();
    try {
      // The provider says nothing until `heal`, so a mail before it waited for none of the sixteen.
      await until(async () => (await mailsTo(world, payer.email, 'Booking confirmed')).length === 1, 60_000);
      await heal();
      await until(async () => {
        world.advance(11_000);
        const row = await world.house.db.one<{ n: number }>(
          `select count(*)::int as n from private.booking where status = 'pending' and hold_expires_at < $1::timestamptz`,
          [world.now()],
        );
        return row?.n === 0;
      }, 60_000);
    } finally {
      await heal();
      await world.house.tick.stop();
    }
  });
});
