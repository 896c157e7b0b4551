import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeCancellation } from '#rules/cancellation.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import { engines } from '#tests/support/engines.ts';
import {
  checkout,
  type Customer,
  mailsTo,
  readPayment,
  span,
  STUDIO_A,
  STUDIO_B,
  type TestServer,
} from '#tests/support/test-server.ts';

type Answer = { status: number; body: Record<string, unknown> };

describe.each(engines)('the coupon of a hold on $name', ({ open }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await open();
  }, 180_000);
  afterAll(() => server.close());

  // Every test books its own hours.
  let hoursAhead = 30;
  const hours = (count = 1): { startTime: string; endTime: string } => {
    hoursAhead += 3;
    return span(server.now(), hoursAhead, count);
  };
  async function addCode(more: Record<string, unknown> = {}): Promise<string> {
    const code = `C${randomUUID().slice(0, 8)}`.toUpperCase();
    const row = { code, discount_type: 'percentage', discount_value: 50, max_uses: 1, per_user_limit: null, ...more };
    await server.app.db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, max_uses, per_user_limit) values ($1, $2, $3::numeric, $4::int, $5::int)`,
      [row.code, row.discount_type, row.discount_value, row.max_uses, row.per_user_limit],
    );
    return code;
  }
  const readUses = async (code: string): Promise<number | undefined> =>
    (
      await server.app.db.queryRow<{ n: number }>(
        'select current_uses as n from public.discount_codes where code = $1',
        [code],
      )
    )?.n;
  const hold = (
    who: Customer,
    time: { startTime: string; endTime: string },
    couponCode: string | null,
    amount?: number,
    studioId = STUDIO_A,
  ): Promise<Answer> =>
    server.call(
      'create-payment',
      { ...checkout(time, { couponCode }, studioId), ...(amount === undefined ? {} : { amount }) },
      who.token,
    );
  const validate = async (who: Customer, code: string): Promise<unknown> =>
    (await server.client(who.token).rpc('validate_discount_code', { code_input: code, booking_hours: 1 })).data?.[0];
  const quoteHalf = async (who: Customer, time: { startTime: string; endTime: string }): Promise<number> => {
    const shown = await hold(who, time, '', 0.01);
    return Number(Object(shown.body['error']).total) / 2;
  };

  it('comes back with its price when the same hours are requested without a code', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    const half = await quoteHalf(customer, time);
    const first = await hold(customer, time, code, half);
    expect(first).toMatchObject({ status: 200, body: { total: half } });
    expect(await hold(customer, time, null)).toMatchObject({ status: 200, body: first.body });
    expect(await hold(customer, time, code.toLowerCase(), half)).toMatchObject({ status: 200, body: first.body });
    expect(await readUses(code)).toBe(1);
  });

  it('is not lost on a page that shows the full price: that is refused with the price and code of the hold', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    const half = await quoteHalf(customer, time);
    const first = await hold(customer, time, code, half);
    expect(await hold(customer, time, null, half * 2)).toMatchObject({
      status: 409,
      body: { error: { code: 'price_changed', total: half, couponCode: code } },
    });
    const booking = await server.app.db.queryRow('select status from private.booking where id = $1::uuid', [
      first.body['bookingId'],
    ]);
    expect(booking).toEqual({ status: 'pending' });
  });

  it('is removed, and its use returned, when the customer takes the code away and agrees to the full price', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    const half = await quoteHalf(customer, time);
    const first = await hold(customer, time, code, half);
    expect(await hold(customer, time, '', half)).toMatchObject({ status: 409, body: { error: { total: half * 2 } } });
    expect(await hold(customer, time, '', half * 2)).toMatchObject({ status: 200, body: { total: half * 2 } });
    expect((await readPayment(server, first.body['bookingId'])).status).toBe('expired');
    expect(await readUses(code)).toBe(0);
  });

  it('does not count against the same person, but counts against everybody else', async () => {
    const [customer, other] = [await server.addCustomer(), await server.addCustomer()];
    const [time, code] = [hours(), await addCode({ per_user_limit: 1 })];
    await hold(customer, time, code);
    expect(await validate(customer, code)).toMatchObject({ is_valid: true, code });
    expect(await validate(other, code)).toMatchObject({
      is_valid: false,
      error_message: 'This code has been fully used.',
    });
  });

  it('is refused before paying to a person who has paid with it as often as one person may', async () => {
    const customer = await server.addCustomer();
    const code = await addCode({ discount_value: 100, max_uses: null, per_user_limit: 1 });
    expect((await hold(customer, hours(), code, 0)).status).toBe(200);
    expect(await validate(customer, code)).toMatchObject({ error_message: 'You’ve already used this code.' });
    expect(await hold(customer, hours(), code)).toMatchObject({
      status: 409,
      body: { error: { code: 'coupon_exhausted', message: 'You’ve already used this code.' } },
    });
  });

  it('keeps the price of a hold whose code has since been changed, expired or switched off', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    const half = await quoteHalf(customer, time);
    const first = await hold(customer, time, code, half);
    await server.app.db.query(
      `update public.discount_codes set discount_value = 10, active = false, expires_at = now() - interval '1 day' where code = $1`,
      [code],
    );
    expect(await hold(customer, time, code, half)).toMatchObject({ status: 200, body: first.body });
  });

  it('moves with its single use to other hours and another studio, and the old hours are free', async () => {
    const [customer, other] = [await server.addCustomer(), await server.addCustomer()];
    const [time, later, code] = [hours(), hours(2), await addCode({ per_user_limit: 1 })];
    const first = await hold(customer, time, code);
    const second = await hold(customer, later, code, undefined, STUDIO_B);
    expect(second.status).toBe(200);
    expect((await readPayment(server, first.body['bookingId'])).status).toBe('expired');
    expect(
      await server.app.db.queryRow('select status, cancel_reason from private.booking where id = $1::uuid', [
        first.body['bookingId'],
      ]),
    ).toEqual({ status: 'cancelled', cancel_reason: 'replaced' });
    expect(await readUses(code)).toBe(1);
    expect((await hold(other, time, null)).status).toBe(200);
  });

  it('is used by both holds while the code has uses for both', async () => {
    const customer = await server.addCustomer();
    const code = await addCode({ max_uses: 2 });
    const first = await hold(customer, hours(), code);
    expect((await hold(customer, hours(), code)).status).toBe(200);
    expect(await readUses(code)).toBe(2);
    expect(
      await server.app.db.queryRow('select status from private.booking where id = $1::uuid', [first.body['bookingId']]),
    ).toEqual({ status: 'pending' });
  });

  it('moves when a hold is extended over its own hours', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    await hold(customer, time, code);
    const longer = { ...time, endTime: new Date(Date.parse(time.endTime) + 3_600_000).toISOString() };
    expect((await hold(customer, longer, code)).status).toBe(200);
    expect(await readUses(code)).toBe(1);
  });

  it('stays with the old hold when the new hours are taken', async () => {
    const [customer, other] = [await server.addCustomer(), await server.addCustomer()];
    const [time, taken, code] = [hours(), hours(), await addCode()];
    const first = await hold(customer, time, code);
    await hold(other, taken, null);
    expect(await hold(customer, taken, code)).toMatchObject({ status: 409, body: { error: { code: 'slot_taken' } } });
    expect((await readPayment(server, first.body['bookingId'])).status).toBe('open');
    expect(await hold(customer, time, code)).toMatchObject({ status: 200, body: first.body });
  });

  it('is never taken by others, nor used twice, while it moves from hold to hold', { timeout: 120_000 }, async () => {
    const customer = await server.addCustomer();
    const others = await Promise.all(Array.from({ length: 4 }, () => server.addCustomer()));
    const code = await addCode();
    expect((await hold(customer, hours(), code)).status).toBe(200);
    let moving = true;
    const grabs = others.map(async (other) => {
      const seen: unknown[] = [];
      // The call uses the same hours each time: they stay free, and the number of hours in a year is limited.
      const time = hours();
      while (moving) seen.push(Object((await hold(other, time, code)).body['error']).code);
      return seen;
    });
    for (let round = 0; round < 6; round += 1) {
      expect((await hold(customer, hours(), code)).status).toBe(200);
      expect(await readUses(code)).toBe(1);
    }
    moving = false;
    const seen = (await Promise.all(grabs)).flat();
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set(['coupon_exhausted']));
    const holds = await server.app.db.queryRow<{ n: number }>(
      `select count(*)::int as n from private.coupon_redemption r join public.discount_codes d on d.id = r.coupon_id
       where d.code = $1 and r.state <> 'returned'`,
      [code],
    );
    expect(holds).toEqual({ n: 1 });
  });

  it('stays with the customer when the provider’s webhook about the closed session comes first', async () => {
    const [customer, other] = [await server.addCustomer(), await server.addCustomer()];
    const [time, later, code] = [hours(), hours(), await addCode()];
    const first = await hold(customer, time, code);
    // The state after the first half of a replacement; the webhook follows.
    await server.app.db.query(
      `update private.coupon_redemption set moving_until = now() + interval '2 minutes' where booking_id = $1::uuid`,
      [first.body['bookingId']],
    );
    const payment = await readPayment(server, first.body['bookingId']);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'expired' });
    await server.call('verify-payment', { sessionId: payment.id });
    expect((await hold(other, hours(), code)).status).toBe(409);
    expect((await hold(customer, later, code)).status).toBe(200);
    expect(await readUses(code)).toBe(1);
  });

  it('returns a use whose replacement never came to the next person', async () => {
    const [customer, other] = [await server.addCustomer(), await server.addCustomer()];
    const code = await addCode();
    const first = await hold(customer, hours(), code);
    await server.app.db.query(
      `update private.coupon_redemption set moving_until = now() + interval '2 minutes' where booking_id = $1::uuid`,
      [first.body['bookingId']],
    );
    await server.call('release-hold', { bookingId: first.body['bookingId'] }, customer.token);
    expect(await readUses(code)).toBe(1);
    await server.app.db.query(
      `update private.coupon_redemption set moving_until = now() - interval '1 second' where booking_id = $1::uuid`,
      [first.body['bookingId']],
    );
    expect(await validate(other, code)).toMatchObject({ is_valid: true });
    expect((await hold(other, hours(), code)).status).toBe(200);
    expect(await readUses(code)).toBe(1);
  });

  it('can be used again after the hold was released, and the answer names it', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    const first = await hold(customer, time, code);
    expect((await server.call('release-hold', { bookingId: first.body['bookingId'] }, customer.token)).body).toEqual({
      released: true,
      status: 'cancelled',
      couponCode: code,
    });
    expect(await readUses(code)).toBe(0);
    expect((await hold(customer, time, code)).status).toBe(200);
  });

  it('is applied again when an expired hold is made again', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    const half = await quoteHalf(customer, time);
    await hold(customer, time, code, half);
    await server.app.db.query(
      `update private.booking set hold_expires_at = now() - interval '1 minute' where user_id = $1::uuid`,
      [customer.id],
    );
    expect(await hold(customer, time, null, half)).toMatchObject({ status: 200, body: { total: half } });
    expect(await readUses(code)).toBe(1);
  });

  it('stays where it is while the payment provider does not answer', async () => {
    const customer = await server.addCustomer();
    const [time, later, code] = [hours(), hours(), await addCode()];
    const first = await hold(customer, time, code);
    await server.sandbox('/api/faults', { provider: 'stripe', kind: 'status', status: 503, count: 50 });
    expect(await hold(customer, later, code)).toMatchObject({
      status: 503,
      body: { error: { code: 'provider_unavailable' } },
    });
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    expect(await readUses(code)).toBe(1);
    expect(await hold(customer, time, code)).toMatchObject({ status: 200, body: first.body });
    expect((await hold(customer, later, code)).status).toBe(200);
    expect(await readUses(code)).toBe(1);
  });

  it('does not replace a hold that was paid in the meantime', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    const first = await hold(customer, time, code);
    const payment = await readPayment(server, first.body['bookingId']);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
    const answer = await hold(customer, time, '');
    expect(answer.status).toBe(409);
    expect(
      await server.app.db.queryRow('select status from private.booking where id = $1::uuid', [first.body['bookingId']]),
    ).toEqual({ status: 'confirmed' });
    expect(await hold(customer, time, null)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining(String(first.body['reference'])) } },
    });
  });

  it('is in the list of own bookings, which leaves out holds that were never paid', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    const dropped = await hold(customer, hours(), null);
    await server.call('release-hold', { bookingId: dropped.body['bookingId'] }, customer.token);
    const held = await hold(customer, time, code);
    const own = await server.client(customer.token).rpc('own_bookings');
    expect(own.error).toBeNull();
    expect(own.data).toMatchObject([
      {
        id: held.body['bookingId'],
        status: 'pending',
        final_cost: held.body['total'],
        coupon_code: code,
        coupon_type: 'percentage',
        coupon_value: 50,
        free_cancel_hours: 24,
      },
    ]);
    expect((await server.client((await server.addCustomer()).token).rpc('own_bookings')).data).toEqual([]);
    expect((await server.client().rpc('own_bookings')).error?.code).toBe('42501');
  });

  it('an impossible amount is refused, and nothing is held', async () => {
    const customer = await server.addCustomer();
    const time = hours();
    const booking = { studio_id: STUDIO_A, start_time: time.startTime, end_time: time.endTime };
    for (const amount of [49.001, 1e-7, -1, -0.01, '49', '', 'NaN', true, [49], 1e21, 100_000.01]) {
      const fromCheckout = await server.call('create-payment', { ...checkout(time), amount }, customer.token);
      expect({ amount, status: fromCheckout.status }).toEqual({ amount, status: 400 });
      const bookingData = { ...booking, final_cost: amount };
      const fromBooking = await server.call('create-payment', { bookingData }, customer.token);
      expect({ amount, status: fromBooking.status }).toEqual({ amount, status: 400 });
    }
    const created = await server.app.db.queryRow(
      'select count(*)::int as n from private.booking where user_id = $1::uuid',
      [customer.id],
    );
    expect(created).toEqual({ n: 0 });
  });

  it('the cancellation terms are those frozen with the booking, not today’s, also in the mail', async () => {
    const customer = await server.addCustomer();
    const code = await addCode({ discount_value: 100, max_uses: null });
    const setCancelHours = (freeCancelHours: number) =>
      server.app.db.query(
        'insert into public.business_settings (settings) select private.business_settings() || $1::jsonb',
        [{ freeCancelHours }],
      );
    const today = firstSettings.freeCancelHours;
    await setCancelHours(300);
    // So late that today's limit of 24 hours would allow it.
    const strict = await hold(customer, span(server.now(), 28), code, 0);
    // So soon that today's limit of 24 hours would refuse it.
    const soon = span(server.now(), 12);
    await setCancelHours(6);
    const kind = await hold(customer, soon, code, 0, STUDIO_B);
    await setCancelHours(today);
    await server.settle();
    const terms = (await mailsTo(server, customer.email, 'Booking confirmed')).map(
      ({ text }) => /Starts within 300 hours: no refund if you cancel\.|Free to cancel until [^.]+\./.exec(text)?.[0],
    );
    const until = describeCancellation(new Date(soon.startTime), server.now(), 6);
    expect(until).toContain('Free to cancel until');
    expect(new Set(terms)).toEqual(new Set([until, 'Starts within 300 hours: no refund if you cancel.']));
    const refused = await server.call('cancel-booking', { bookingId: strict.body['bookingId'] }, customer.token);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'too_late' } } });
    expect(Object(refused.body['error']).message).toContain('300 hours');
    expect(await server.call('cancel-booking', { bookingId: kind.body['bookingId'] }, customer.token)).toMatchObject({
      status: 200,
      body: { cancelled: true },
    });
  });

  it('is refused with the words of its rule when the code does not work at these hours or for this person', async () => {
    const customer = await server.addCustomer();
    const [time, code] = [hours(), await addCode()];
    // The code works on every weekday except that of the booking.
    const change = (columns: string, ...values: unknown[]) =>
      server.app.db.query(`update public.discount_codes set ${columns} where code = $1`, [code, ...values]);
    await change(
      `weekdays = array_remove(array[0,1,2,3,4,5,6]::smallint[], extract(dow from $2::timestamptz at time zone 'Australia/Sydney')::smallint)`,
      time.startTime,
    );
    expect(await hold(customer, time, code)).toMatchObject({
      status: 422,
      body: { error: { code: 'coupon_invalid', message: expect.stringMatching(/^This code works .*day\.$/) } },
    });
    await change(`weekdays = null, customer_email = 'somebody@example.com'`);
    expect(await hold(customer, time, code)).toMatchObject({
      status: 422,
      body: { error: { message: 'This code is for another email address.' } },
    });
    await change('customer_email = $2', customer.email);
    expect(await hold(customer, time, code)).toMatchObject({ status: 200 });
  });
});

describe.each(engines)('the limits of holds on $name', ({ open }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await open({ RATE_LIMIT_FACTOR: '1' });
  }, 180_000);
  afterAll(() => server.close());
  let hoursAhead = 30;
  const hours = (): { startTime: string; endTime: string } => {
    hoursAhead += 2;
    return span(server.now(), hoursAhead);
  };
  const hold = (who: Customer, time = hours(), couponCode: string | null = null): Promise<Answer> =>
    server.call('create-payment', checkout(time, { couponCode }), who.token);
  const pay = async (bookingId: unknown): Promise<void> => {
    const payment = await readPayment(server, bookingId);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: payment.id });
  };

  it('do not count paid bookings: a seventh booking in an hour is held', { timeout: 60_000 }, async () => {
    const customer = await server.addCustomer();
    for (let count = 0; count < 6; count += 1) {
      const held = await hold(customer);
      expect(held.status).toBe(200);
      await pay(held.body['bookingId']);
    }
    expect((await hold(customer)).status).toBe(200);
  });

  it('refuse the third live hold and name the other two', async () => {
    const customer = await server.addCustomer();
    const [first, second] = [await hold(customer), await hold(customer)];
    const third = await hold(customer);
    expect(third).toMatchObject({
      status: 429,
      body: {
        error: {
          code: 'too_many_holds',
          holds: [first, second].map((answer) => ({
            bookingId: answer.body['bookingId'],
            reference: answer.body['reference'],
            studioName: 'Studio A',
            startTime: expect.any(String),
            endTime: expect.any(String),
            holdExpiresAt: expect.any(String),
          })),
        },
      },
    });
    const { message, retryAfter } = Object(third.body['error']);
    expect(message).toContain(String(first.body['reference']));
    expect(message).toContain('Studio A');
    expect(retryAfter).toBeUndefined();
    await server.call('release-hold', { bookingId: first.body['bookingId'] }, customer.token);
    expect((await hold(customer)).status).toBe(200);
  });

  it('count replaced holds: alternating two codes gives six holds in an hour, then none, and the last one stays payable', async () => {
    const customer = await server.addCustomer();
    for (const code of ['TURN1', 'TURN2'])
      await server.app.db.query(
        `insert into public.discount_codes (code, discount_type, discount_value) values ($1, 'percentage', 10) on conflict do nothing`,
        [code],
      );
    const time = hours();
    const answers: Answer[] = [];
    for (let count = 0; count < 8; count += 1)
      answers.push(await hold(customer, time, count % 2 === 0 ? 'TURN1' : 'TURN2'));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200, 429, 200]);
    const refused = Object(answers[6]?.body['error']);
    expect(refused.holds).toHaveLength(1);
    expect(refused.retryAfter).toBeGreaterThan(3_500);
    expect(refused.retryAfter).toBeLessThanOrEqual(3_600);
    // A repeated call with the same code does not make a new hold.
    expect(answers[7]?.body['bookingId']).toBe(answers[5]?.body['bookingId']);
  });

  it('count abandoned holds for an hour', async () => {
    const customer = await server.addCustomer();
    for (let count = 0; count < 6; count += 1) {
      const held = await hold(customer);
      await server.call('release-hold', { bookingId: held.body['bookingId'] }, customer.token);
    }
    expect(await hold(customer)).toMatchObject({ status: 429, body: { error: { holds: [] } } });
    server.advance(3_600_000);
    expect((await hold(customer)).status).toBe(200);
  });
});
