import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { checkout, mailsTo, moveTo, readPayment, span, until, type TestServer } from '#tests/support/test-server.ts';

describe.each(engines)('the main job on $name', ({ open }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await open();
  }, 60_000);
  afterAll(() => server.close());

  it('a cancelled booking is refunded in full, once', { timeout: 60_000 }, async () => {
    const customer = await server.addCustomer();
    const time = span(server.now(), 72, 1);
    const held = await server.call('create-payment', checkout(time), customer.token);
    const payment = await readPayment(server, held.body['bookingId']);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: payment.id });
    const cancelled = await Promise.all(
      Array.from({ length: 5 }, () =>
        server.call('cancel-booking', { bookingId: held.body['bookingId'] }, customer.token),
      ),
    );
    expect(cancelled.filter((answer) => answer.status === 200)).toHaveLength(1);
    await server.settle();
    await server.settle();
    expect(await server.sandbox('/api/refunds')).toMatchObject([
      { amount: (await readPayment(server, held.body['bookingId'])).amount_total, status: 'succeeded' },
    ]);
    expect(await mailsTo(server, customer.email, 'Booking cancelled')).toHaveLength(1);
    const other = await server.addCustomer();
    expect((await server.call('create-payment', checkout(time), other.token)).status).toBe(200);
  });

  it(
    'refunds a payment that arrives after the hold was released, in full at the provider, and mails the customer',
    { timeout: 60_000 },
    async () => {
      const customer = await server.addCustomer();
      const time = span(server.now(), 80, 1);
      const held = await server.call('create-payment', checkout(time), customer.token);
      const payment = await readPayment(server, held.body['bookingId']);
      // The customer pays after our record is cancelled, while the provider's session is still open.
      await server.app.db.query(`update private.payment set state = 'expired' where session_id = $1`, [payment.id]);
      await server.app.db.query(
        `update private.booking set status = 'cancelled', cancel_reason = 'hold_expired' where id = $1::uuid`,
        [held.body['bookingId']],
      );
      await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
      expect((await server.call('verify-payment', { sessionId: payment.id })).body).toMatchObject({
        paid: false,
        status: 'cancelled',
      });
      await server.settle();
      await server.settle();
      expect(await mailsTo(server, customer.email, 'Your payment is going back')).toHaveLength(1);
      const { payment_intent: intent, amount_total: amount } = await readPayment(server, held.body['bookingId']);
      const refunds = [await server.sandbox('/api/refunds')].flat();
      expect(refunds.filter((refund) => Object(refund).payment_intent === intent)).toMatchObject([
        { amount, status: 'succeeded' },
      ]);
    },
  );

  it('releases an abandoned hold only after the provider has closed the session', { timeout: 60_000 }, async () => {
    const customer = await server.addCustomer();
    const time = span(server.now(), 90, 1);
    const held = await server.call('create-payment', checkout(time), customer.token);
    const other = await server.addCustomer();
    expect((await server.call('create-payment', checkout(time), other.token)).status).toBe(409);
    server.advance(16 * 60_000);
    await server.settle();
    const payment = await readPayment(server, held.body['bookingId']);
    expect(payment.status).toBe('expired');
    expect((await server.call('create-payment', checkout(time), other.token)).status).toBe(200);
  });

  it('releases a hold whose session the provider does not know', { timeout: 60_000 }, async () => {
    const customer = await server.addCustomer();
    const time = span(server.now(), 95, 1);
    const held = await server.call('create-payment', checkout(time), customer.token);
    await server.app.db.query(
      `update private.payment set session_id = 'cs_test_forgotten' where booking_id = $1::uuid`,
      [held.body['bookingId']],
    );
    expect((await server.call('release-hold', { bookingId: held.body['bookingId'] }, customer.token)).body).toEqual({
      released: true,
      status: 'cancelled',
      couponCode: null,
    });
  });

  it('keeps the hold while the provider does not answer', { timeout: 60_000 }, async () => {
    const customer = await server.addCustomer();
    const time = span(server.now(), 97, 1);
    const held = await server.call('create-payment', checkout(time), customer.token);
    await server.sandbox('/api/faults', { provider: 'stripe', kind: 'status', status: 503, count: 3 });
    const answer = await server.call('release-hold', { bookingId: held.body['bookingId'] }, customer.token);
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'provider_unavailable' } } });
    const other = await server.addCustomer();
    expect((await server.call('create-payment', checkout(time), other.token)).status).toBe(409);
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
  });

  // This test is last, because it moves the clocks by days, and Stripe opens no pay page so far ahead.
  it(
    'leads from sign-up with a mailed code through licence, payment and mail to a PIN that opens the door',
    { timeout: 90_000 },
    async () => {
      const client = server.client();
      const email = `new-${Date.now()}@example.com`;
      const signedUp = await client.auth.signUp({
        email,
        password: 'blue-monday-83',
        options: { data: { full_name: 'Alex Citizen', phone: '0400 000 000', date_of_birth: '1998-04-03' } },
      });
      expect(signedUp.error).toBeNull();
      expect(signedUp.data.session).toBeNull();
      expect((await client.auth.signInWithPassword({ email, password: 'blue-monday-83' })).error?.code).toBe(
        'email_not_confirmed',
      );
      const code = await until(async () => /^Code: (\d{6})$/m.exec((await mailsTo(server, email))[0]?.text ?? '')?.[1]);
      const verified = await client.auth.verifyOtp({ email, token: code, type: 'email' });
      expect(verified.data.session?.expires_in).toBe(3600);
      const userId = verified.data.user?.id ?? '';
      expect(
        (await client.from('profiles').select('dj_name, full_name').eq('id', userId).single()).data?.full_name,
      ).toBe('Alex Citizen');

      const time = span(server.now(), 48, 2);
      const invoke = async (name: string, body: Record<string, unknown>) => {
        const answer = await client.functions.invoke(name, { body });
        if (!answer.error) return answer.data;
        const { context }: { context: Response } = answer.error;
        return context.json();
      };
      expect(await invoke('create-payment', checkout(time))).toMatchObject({ error: { code: 'id_required' } });
      const licence = Buffer.from(
        await (await fetch(`${server.sandboxUrl}/licence.jpg?given=Alex%20Jordan&family=Citizen`)).arrayBuffer(),
      );
      expect(
        await invoke('verify-id', {
          idImage: `data:image/jpeg;base64,${licence.toString('base64')}`,
          userId: 'somebody else',
        }),
      ).toMatchObject({
        decision: 'verified',
        isOver18: true,
        nameMatchStatus: 'match',
        aiRawResponse: null,
      });
      expect((await client.from('user_verifications').select('id').eq('user_id', userId)).data).toHaveLength(1);

      expect(await invoke('create-payment', { ...checkout(time), amount: 1 })).toMatchObject({
        error: { code: 'price_changed' },
      });
      const held = await invoke('create-payment', checkout(time));
      expect(held.url).toContain('/c/pay/');
      expect((await invoke('create-payment', checkout(time))).bookingId).toBe(held.bookingId);
      const payment = await readPayment(server, held.bookingId);
      expect(await invoke('verify-payment', { sessionId: payment.id })).toMatchObject({
        paid: false,
        status: 'pending',
      });
      await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
      expect(await invoke('verify-payment', { sessionId: payment.id })).toMatchObject({
        paid: true,
        status: 'confirmed',
        booking: { studio_name: 'Studio A' },
      });
      const row = await client
        .from('bookings')
        .select('*, studios(name, description, hourly_rate)')
        .eq('id', held.bookingId)
        .single();
      expect(row.data).toMatchObject({ status: 'confirmed', studios: { name: 'Studio A' } });

      await server.settle();
      const [confirmation] = await mailsTo(server, email, 'Booking confirmed');
      expect(confirmation?.attachments.map((attachment) => attachment.filename)).toEqual([
        'booking.ics',
        expect.stringMatching(/^receipt-.*\.pdf$/),
      ]);
      expect(confirmation?.text).toContain('Sydney time');
      const start = Date.parse(time.startTime);

      // The code is shown and emailed a quarter of an hour before the start, and not earlier.
      expect(await invoke('generate-access-code', { bookingId: held.bookingId })).toMatchObject({ pinCode: null });
      await moveTo(server, start - 16 * 60_000);
      await server.settle();
      await client.auth.refreshSession();
      expect(await invoke('generate-access-code', { bookingId: held.bookingId })).toMatchObject({ pinCode: null });
      expect(await mailsTo(server, email, 'access code')).toHaveLength(0);
      await moveTo(server, start - 15 * 60_000 + 1_000);
      await until(async () => {
        await server.settle();
        return (await mailsTo(server, email, 'access code')).length > 0;
      }, 20_000);
      const pin = /^PIN: (\d+)$/m.exec((await mailsTo(server, email, 'access code'))[0]?.text ?? '')?.[1];
      expect(await invoke('generate-access-code', { bookingId: held.bookingId })).toMatchObject({ pinCode: pin });
      expect(await server.sandbox('/api/doors/SPA1X0001/keypad', { pin })).toMatchObject({
        opened: false,
        reason: 'not yet valid',
      });
      await moveTo(server, start - 5 * 60_000 + 1_000);
      expect(await server.sandbox('/api/doors/SPA1X0001/keypad', { pin: '9999999' })).toMatchObject({ opened: false });
      expect(await server.sandbox('/api/doors/SPA1X0001/keypad', { pin })).toMatchObject({ opened: true });
      expect(await mailsTo(server, email, 'Booking confirmed')).toHaveLength(1);
    },
  );
});
