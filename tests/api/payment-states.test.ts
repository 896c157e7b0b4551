import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import {
  checkout,
  type Customer,
  mailsTo,
  readPayment,
  span,
  until,
  type TestServer,
} from '#tests/support/test-server.ts';

type Refund = { id: string; amount: number; status: string; payment_intent: string };
type Row = { status: string; reason: string | null; state: string; refunded: number; intent: string | null };

describe.each(engines)('payment states on $name', ({ open }) => {
  let server: TestServer;
  let hoursAhead = 24 * 20;
  beforeAll(async () => {
    server = await open({ PAYMENT_METHODS: 'card,link,au_becs_debit' });
  }, 180_000);
  afterAll(() => server.close());
  beforeEach(() => (hoursAhead += 2));

  async function hold(customer: Customer, more: Record<string, unknown> = {}) {
    const time = span(server.now(), hoursAhead);
    const held = await server.call('create-payment', checkout(time, more), customer.token);
    expect(held.status).toBe(200);
    const bookingId = String(held.body['bookingId']);
    return { time, bookingId, session: (await readPayment(server, bookingId)).id };
  }
  async function confirmed(customer: Customer) {
    const held = await hold(customer);
    await server.sandbox(`/api/payments/${held.session}`, { outcome: 'paid' });
    expect((await verify(held.session)).body).toMatchObject({ status: 'confirmed', payment: 'paid' });
    return held;
  }
  const verify = (sessionId: string, token?: string) => server.call('verify-payment', { sessionId }, token);
  async function readRow(bookingId: string): Promise<Row> {
    const row = await server.app.db.queryRow<Row>(
      `select b.status, b.cancel_reason as reason, p.state, p.refunded_cents as refunded, p.payment_intent_id as intent
       from private.booking b join private.payment p on p.booking_id = b.id where b.id = $1::uuid`,
      [bookingId],
    );
    if (!row) throw new Error('no such booking');
    return row;
  }
  async function readRefunds(bookingId: string): Promise<Refund[]> {
    const { intent } = await readRow(bookingId);
    const all = await server.sandbox('/api/refunds');
    return Array.isArray(all) ? all.filter((refund: Refund) => refund.payment_intent === intent) : [];
  }
  const reached = (bookingId: string, expected: Partial<Row>) =>
    until(async () => {
      const row = await readRow(bookingId);
      return Object.entries(expected).every(([name, value]) =>
        Object.entries(row).some(([key, is]) => key === name && is === value),
      )
        ? row
        : null;
    });

  it(
    'a delayed payment that fails frees the hours at once, returns the coupon and mails the customer',
    { timeout: 120_000 },
    async () => {
      const [customer, other] = [await server.addCustomer(), await server.addCustomer()];
      const code = `D${randomUUID().slice(0, 8).toUpperCase()}`;
      await server.app.db.query(
        `insert into public.discount_codes (code, discount_type, discount_value, max_uses) values ($1, 'percentage', 10, 1)`,
        [code],
      );
      const { time, bookingId, session } = await hold(customer, { couponCode: code });
      await server.sandbox(`/api/payments/${session}`, { outcome: 'delayed_failed', seconds: 300 });
      expect((await verify(session, customer.token)).body).toMatchObject({
        paid: false,
        status: 'pending',
        payment: 'processing',
        booking: { studio_name: 'Studio A' },
      });
      expect(
        (await server.client(customer.token).from('booking_payments').select('state').eq('booking_id', bookingId)).data,
      ).toEqual([{ state: 'processing' }]);
      // The fifteen minutes of the hold have passed, but the hours stay taken.
      server.advance(20 * 60_000);
      await server.settle();
      expect((await server.call('create-payment', checkout(time), other.token)).status).toBe(409);
      expect(await server.call('release-hold', { bookingId }, customer.token)).toMatchObject({
        status: 409,
        body: { error: { code: 'payment_processing' } },
      });
      await server.settle();
      expect(await mailsTo(server, customer.email, 'Your payment is being processed')).toHaveLength(1);
      expect(await mailsTo(server, customer.email, 'Booking confirmed')).toHaveLength(0);

      await server.sandbox('/api/clock', { advance_seconds: 301 });
      await reached(bookingId, { status: 'cancelled', reason: 'payment_failed', state: 'failed' });
      expect((await server.call('create-payment', checkout(time), other.token)).status).toBe(200);
      expect((await verify(session)).body).toMatchObject({ paid: false, status: 'cancelled', payment: 'failed' });
      expect(
        await server.app.db.queryRow(`select current_uses as uses from public.discount_codes where code = $1`, [code]),
      ).toEqual({ uses: 0 });
      await server.settle();
      expect(await mailsTo(server, customer.email, 'Payment not received')).toHaveLength(1);
    },
  );

  it('a delayed payment that succeeds confirms the booking when the money arrives', { timeout: 120_000 }, async () => {
    const customer = await server.addCustomer();
    const { bookingId, session } = await hold(customer);
    await server.sandbox(`/api/payments/${session}`, { outcome: 'delayed_paid', seconds: 300 });
    await reached(bookingId, { status: 'pending', state: 'processing' });
    await server.sandbox('/api/clock', { advance_seconds: 301 });
    await reached(bookingId, { status: 'confirmed', state: 'paid' });
  });

  it('delayed methods are offered only for sessions that start at least seven days later', async () => {
    const customer = await server.addCustomer();
    const offered = async (bookingId: string): Promise<string[]> => {
      const requests = await server.sandbox('/api/requests?provider=stripe');
      const request = (Array.isArray(requests) ? requests : []).find(
        (request: { method: string; path: string; body: string }) =>
          request.method === 'POST' && request.path === '/v1/checkout/sessions' && request.body.includes(bookingId),
      );
      return [...new URLSearchParams(request?.body)].flatMap(([key, value]) =>
        key.startsWith('allowed_payment_method_types') ? [value] : [],
      );
    };
    const far = await hold(customer);
    expect(await offered(far.bookingId)).toEqual(['card', 'link', 'au_becs_debit']);
    const near = await server.call('create-payment', checkout(span(server.now(), 6 * 24)), customer.token);
    expect(await offered(String(near.body['bookingId']))).toEqual(['card', 'link']);
  });

  it('a payment of another amount is refunded at the provider, in full', { timeout: 120_000 }, async () => {
    const customer = await server.addCustomer();
    const mine = await hold(customer);
    // A session of our account with a different amount, changed to look like the session of this booking.
    const stripe = server.sandboxUrl.replace(/\d+$/, (port) => String(Number(port) + 1));
    const created = await fetch(`${stripe}/v1/checkout/sessions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_sandbox', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        mode: 'payment',
        success_url: 'http://localhost/ok',
        client_reference_id: mine.bookingId,
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': 'aud',
        'line_items[0][price_data][unit_amount]': '100',
        'line_items[0][price_data][product_data][name]': 'Cheap',
      }),
    });
    const cheap = String(Object(await created.json()).id);
    await server.app.db.query(`update private.payment set session_id = $2 where booking_id = $1::uuid`, [
      mine.bookingId,
      cheap,
    ]);
    await server.sandbox(`/api/payments/${cheap}`, { outcome: 'paid' });
    expect((await verify(cheap)).body).toMatchObject({ paid: false, status: 'cancelled' });
    await server.settle();
    expect(await readRefunds(mine.bookingId)).toMatchObject([{ amount: 100, status: 'succeeded' }]);
    expect(await readRow(mine.bookingId)).toMatchObject({
      reason: 'amount_mismatch',
      state: 'refunded',
      refunded: 100,
    });
  });

  it(
    'refunds from the provider’s dashboard are recorded; a full refund cancels a future booking',
    { timeout: 120_000 },
    async () => {
      const [customer, other] = [await server.addCustomer(), await server.addCustomer()];
      const { bookingId, session, time } = await confirmed(customer);
      await server.sandbox(`/api/payments/${session}/refunds`, { amount: 1_000 });
      await reached(bookingId, { refunded: 1_000 });
      expect(await readRow(bookingId)).toMatchObject({ status: 'confirmed', state: 'paid' });
      await server.sandbox(`/api/payments/${session}/refunds`, {});
      await reached(bookingId, { status: 'cancelled', reason: 'staff', state: 'refunded' });
      expect((await server.call('create-payment', checkout(time), other.token)).status).toBe(200);
      expect(
        (
          await server
            .client(customer.token)
            .from('booking_payments')
            .select('state, amount, refunded')
            .eq('booking_id', bookingId)
            .single()
        ).data,
      ).toMatchObject({ state: 'refunded' });
      await server.settle();
      expect(await mailsTo(server, customer.email, 'Booking cancelled')).toHaveLength(1);
    },
  );

  it('a dispute is recorded when it is opened and when it is closed', { timeout: 120_000 }, async () => {
    const customer = await server.addCustomer();
    const booking = await confirmed(customer);
    await server.sandbox(`/api/payments/${booking.session}/disputes`, {});
    await reached(booking.bookingId, { status: 'confirmed', state: 'disputed' });
    const [dispute] = [await server.sandbox('/api/disputes')].flat();
    await server.sandbox(`/api/disputes/${Object(dispute).id}`, { outcome: 'lost' });
    await reached(booking.bookingId, { status: 'confirmed', state: 'dispute_lost' });
  });

  it('webhooks dated ahead or back, or of live mode, are answered with 400 and store no row', async () => {
    const post = async (livemode: boolean, ageSeconds: number): Promise<{ status: number; rows: number }> => {
      const id = `evt_${randomUUID().replaceAll('-', '')}`;
      const body = JSON.stringify({
        id,
        object: 'event',
        type: 'charge.refunded',
        livemode,
        data: { object: { id: 'ch_1', object: 'charge', payment_intent: 'pi_unknown' } },
      });
      const at = Math.floor(Date.now() / 1000) - ageSeconds;
      const mark = createHmac('sha256', 'whsec_sandbox').update(`${at}.${body}`).digest('hex');
      const { status } = await fetch(`${server.url}/functions/v1/stripe-webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${mark}` },
        body,
      });
      const row = await server.app.db.queryRow<{ n: number }>(
        `select count(*)::int as n from private.webhook_inbox where event_id = $1`,
        [id],
      );
      return { status, rows: row?.n ?? 0 };
    };
    expect(await post(false, 0)).toEqual({ status: 200, rows: 1 });
    expect(await post(false, 200)).toEqual({ status: 200, rows: 1 });
    expect(await post(false, -200)).toEqual({ status: 200, rows: 1 });
    expect(await post(false, 400)).toEqual({ status: 400, rows: 0 });
    expect(await post(false, -400)).toEqual({ status: 400, rows: 0 });
    expect(await post(true, 0)).toEqual({ status: 400, rows: 0 });
  });

  // This test is last, because it moves the server's clock by more than a day, and Stripe opens no session so far ahead.
  it(
    'a pending refund that fails is recorded as owed, alerted, and made again a day later',
    { timeout: 120_000 },
    async () => {
      const customer = await server.addCustomer();
      const { bookingId } = await confirmed(customer);
      await server.sandbox('/api/refunds', { next: 'pending' });
      await server.call('cancel-booking', { bookingId }, customer.token);
      await server.settle();
      const [refund] = await readRefunds(bookingId);
      expect(refund).toMatchObject({ status: 'pending', amount: expect.any(Number) });
      expect(await readRow(bookingId)).toMatchObject({ state: 'refund_pending', refunded: 0 });
      await server.sandbox(`/api/refunds/${refund?.id}`, { outcome: 'failed' });
      await reached(bookingId, { state: 'refund_failed' });
      const alert = await server.app.db.queryRow<{ n: number }>(
        `select count(*)::int as n from public.audit_logs where action = 'alert' and details->>'bookingId' = $1 and details->>'state' = 'refund_failed'`,
        [bookingId],
      );
      expect(alert?.n).toBe(1);
      server.advance(25 * 3_600_000);
      await server.settle();
      expect(await readRow(bookingId)).toMatchObject({ state: 'refunded', refunded: refund?.amount });
      expect((await readRefunds(bookingId)).map((refund) => refund.status).toSorted()).toEqual(['failed', 'succeeded']);
    },
  );
});
