import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, DatabaseError } from '#server/db/database.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { readOwnBooking } from '#server/operations/bookings/read-own-booking.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { releaseHold, releaseOwnHold } from '#server/operations/bookings/release.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { CIRCUIT_OPEN, ProviderError } from '#server/providers/call.ts';
import type { NewPaymentSession } from '#server/providers/ports.ts';
import { addPerson, createBookingSystem, embedded, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, fails, missing, noResponse, refused, type PaymentCases } from './payment-cases.ts';

let db: Database;
let close: () => Promise<void>;
let { system, payments, readBooking, readPayments, readJobKinds, held, unanswered } = {} as PaymentCases;

beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  ({ system, payments, readBooking, readPayments, readJobKinds, held, unanswered } = await createPaymentCases(db));
});

describe('the payment session of a hold', () => {
  test('is requested with price, customer, hours and return URLs, and offers delayed methods from a week ahead', async () => {
    const inputs: NewPaymentSession[] = [];
    const { createSession } = payments;
    payments.createSession = (input) => {
      inputs.push(input);
      return createSession(input);
    };
    const week = START + 7 * 24 * HOUR;
    const far = await held({ startTime: new Date(week), endTime: new Date(week + 2 * HOUR) });
    const near = await held({ startTime: new Date(week - HOUR), endTime: new Date(week) });
    expect(far.url).toBe('https://pay.example/x');
    expect(inputs).toMatchObject([
      {
        key: `create:${far.id}:1`,
        bookingId: far.id,
        items: [{ description: expect.stringMatching(/^Studio, .*\(2 h\)$/) }],
        customerEmail: 'person@example.com',
        successUrl: `https://studio.example/payment-success?session_id={CHECKOUT_SESSION_ID}&booking_id=${far.id}`,
        cancelUrl: `https://studio.example/checkout?released=${far.id}`,
        expiresAt: new Date(START + 31 * MINUTE),
        allowDelayed: true,
        metadata: { booking_id: far.id, key: `create:${far.id}:1` },
      },
      { bookingId: near.id, allowDelayed: false },
    ]);
    expect(inputs[0]?.amountCents).toBeGreaterThan(inputs[1]?.amountCents ?? 0);
  });

  test('is not opened again while the payment is processing; the refusal names the booking', async () => {
    const { id, session, request } = await held();
    system.provider.move(session, 'delay');
    await settlePayment(system.services, session);
    await expect(holdBooking(system.services, request)).rejects.toMatchObject({
      code: 'payment_processing',
      message: 'Your payment for this booking is being processed. We’ll email you as soon as we know.',
      details: { bookingId: id },
    });
  });

  test('that was created while the hold was being released is closed at the provider, and its URL is not returned', async () => {
    const person = await addPerson(db);
    const { createSession } = payments;
    let created = '';
    payments.createSession = async (input) => {
      await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`, [
        input.bookingId,
      ]);
      const session = await createSession(input);
      created = session.id;
      return session;
    };
    await expect(holdBooking(system.services, system.request(person))).rejects.toMatchObject({
      code: 'slot_taken',
      message: 'This time is no longer held for you. Please choose again.',
    });
    expect((await payments.getSession(created)).status).toBe('expired');
  });

  test('is found at once when the answer to the create call was lost', async () => {
    const person = await addPerson(db);
    const { createSession } = payments;
    payments.createSession = async (input) => {
      await createSession(input);
      throw noResponse;
    };
    expect(await holdBooking(system.services, system.request(person))).toMatchObject({ url: 'https://pay.example/x' });
  });

  test('is not looked up when the provider refused to create it', async () => {
    const person = await addPerson(db);
    payments.createSession = fails(refused);
    payments.findSession = fails(new Error('not called in this test'));
    await expect(holdBooking(system.services, system.request(person))).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
  });

  test('is requested again with the same key within 45 seconds, later looked up, and else created with another key', async () => {
    const { id, request, session } = await unanswered(true);
    const keys: string[] = [];
    const { createSession } = payments;
    payments.createSession = (input) => {
      keys.push(input.key);
      return createSession(input);
    };
    system.state.now += 45_000 + 1;
    expect(await holdBooking(system.services, request)).toMatchObject({ bookingId: id, url: 'https://pay.example/x' });
    expect(keys).toEqual([]);
    expect(await readPayments(id)).toMatchObject([{ attempt: 1, state: 'open', session }]);

    system.state.now = START;
    const second = await unanswered(false);
    keys.length = 0;
    payments.createSession = (input) => {
      keys.push(input.key);
      return createSession(input);
    };
    system.state.now += 45_000;
    await holdBooking(system.services, second.request);
    expect(keys).toEqual([`create:${second.id}:1`]);

    system.state.now = START;
    const third = await unanswered(false);
    keys.length = 0;
    payments.createSession = (input) => {
      keys.push(input.key);
      expect(input.expiresAt).toEqual(new Date(system.state.now + 31 * MINUTE));
      return createSession(input);
    };
    system.state.now += 50_000;
    await holdBooking(system.services, third.request);
    expect(keys).toEqual([`create:${third.id}:2`]);
    expect(await readPayments(third.id)).toMatchObject([{ state: 'expired' }, { attempt: 2, state: 'open' }]);
  });

  test('has no URL while the circuit to the provider is open, and the hold stays', async () => {
    const person = await addPerson(db);
    const request = system.request(person);
    const { createSession } = payments;
    payments.createSession = fails(new ProviderError('stripe', CIRCUIT_OPEN, { retryable: true }));
    const first = await holdBooking(system.services, request);
    expect(first.url).toBeNull();
    payments.createSession = createSession;
    expect(await holdBooking(system.services, request)).toEqual({ ...first, url: 'https://pay.example/x' });
  });
});

describe('a hold of the same hours with another coupon', () => {
  async function addCoupon(percent = 10): Promise<string> {
    const code = `C${randomUUID().slice(0, 8).toUpperCase()}`;
    await db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, max_uses) values ($1, 'percentage', $2::numeric, 1)`,
      [code, percent],
    );
    return code;
  }

  test('replaces the earlier hold after closing its session', async () => {
    const before = await held();
    const after = await holdBooking(system.services, { ...before.request, couponCode: await addCoupon() });
    expect(after.bookingId).not.toBe(before.id);
    expect((await payments.getSession(before.session)).status).toBe('expired');
    expect(await readBooking(before.id)).toEqual({ status: 'cancelled', reason: 'replaced' });
    expect(await readPayments(before.id)).toMatchObject([{ state: 'expired' }]);
    // The retry has no code: the coupon's use is returned, and the price is the full one.
    const full = await holdBooking(system.services, { ...before.request, couponCode: '' });
    expect(full.totalCents).toBeGreaterThan(after.totalCents);
    expect(await readBooking(after.bookingId)).toEqual({ status: 'cancelled', reason: 'replaced' });
  });

  test('keeps its last unit and its price when it is requested with the same code again', async () => {
    const code = await addCoupon();
    const booking = await held({ couponCode: code });
    await db.query('update public.discount_codes set active = false where code = $1', [code]);
    expect(await holdBooking(system.services, { ...booking.request, couponCode: code })).toMatchObject({
      bookingId: booking.id,
    });
    expect(
      await holdBooking(system.services, { ...booking.request, couponCode: ` ${code.toLowerCase()} ` }),
    ).toMatchObject({
      bookingId: booking.id,
    });
  });

  test('is refused when the customer has just paid for it, which confirms the booking', async () => {
    const before = await held();
    system.provider.move(before.session, 'pay');
    const { reference } = await readOwnBooking(system.services, before.person, before.id);
    await expect(
      holdBooking(system.services, { ...before.request, couponCode: await addCoupon() }),
    ).rejects.toMatchObject({
      code: 'already_done',
      message: `Your payment for booking ${reference} is on its way to us, so nothing was changed.`,
      details: { bookingId: before.id },
    });
    expect(await readBooking(before.id)).toMatchObject({ status: 'confirmed' });
  });

  test('changes nothing while the provider does not answer, and replaces the hold when the provider has no session', async () => {
    const before = await held();
    const code = await addCoupon();
    const { expireSession } = payments;
    payments.expireSession = fails(noResponse);
    await expect(holdBooking(system.services, { ...before.request, couponCode: code })).rejects.toBe(noResponse);
    expect(await readBooking(before.id)).toMatchObject({ status: 'pending' });
    payments.expireSession = fails(missing);
    const after = await holdBooking(system.services, { ...before.request, couponCode: code });
    expect(await readBooking(before.id)).toMatchObject({ status: 'cancelled', reason: 'replaced' });
    expect(after.bookingId).not.toBe(before.id);
    payments.expireSession = expireSession;
  });

  test('leaves the earlier hold replaced, not expired, when the event of its closed session comes first', async () => {
    const code = await addCoupon();
    const before = await held({ couponCode: code });
    const { expireSession } = payments;
    payments.expireSession = async (id) => {
      const session = await expireSession(id);
      await settlePayment(system.services, id);
      return session;
    };
    const startTime = new Date(before.request.startTime.getTime() - HOUR);
    await holdBooking(system.services, { ...before.request, startTime, couponCode: code });
    payments.expireSession = expireSession;
    expect(await readBooking(before.id)).toMatchObject({ status: 'cancelled', reason: 'replaced' });
  });

  test('also closes a session whose create call lost its answer', async () => {
    const { id, request, session } = await unanswered(true);
    await holdBooking(system.services, { ...request, couponCode: await addCoupon() });
    expect((await payments.getSession(session)).status).toBe('expired');
    expect(await readBooking(id)).toMatchObject({ reason: 'replaced' });
  });
});

describe('the release of a hold', () => {
  test('waits a minute for a create call that may still be running; a second release changes nothing, and an unknown booking is refused', async () => {
    const { id, person } = await unanswered(false);
    // The create call may still be running.
    expect((await releaseOwnHold(system.services, id, person)).booking).toMatchObject({ id, status: 'pending' });
    system.state.now += 60_000;
    expect((await releaseOwnHold(system.services, id, person)).booking).toMatchObject({
      id,
      status: 'cancelled',
      cancelReason: 'abandoned',
    });
    expect(await readBooking(id)).toEqual({ status: 'cancelled', reason: 'abandoned' });
    expect(await readPayments(id)).toMatchObject([{ state: 'expired' }]);
    expect((await releaseOwnHold(system.services, id, person)).booking).toMatchObject({ cancelReason: 'abandoned' });
    await expect(releaseHold(system.services, randomUUID(), 'abandoned')).rejects.toMatchObject({
      code: 'not_found',
      message: 'Booking not found',
    });
  });

  test('closes a session whose create call lost its answer, or confirms the booking that was paid there', async () => {
    const [first, other] = [await unanswered(true), await unanswered(true)];
    system.provider.move(other.session, 'pay');
    system.state.now += 60_000;
    expect((await releaseOwnHold(system.services, first.id, first.person)).booking.status).toBe('cancelled');
    expect((await payments.getSession(first.session)).status).toBe('expired');
    expect(await readPayments(first.id)).toMatchObject([{ session: first.session, state: 'expired' }]);
    expect((await releaseOwnHold(system.services, other.id, other.person)).booking.status).toBe('confirmed');
    expect(await readPayments(other.id)).toMatchObject([{ session: other.session, state: 'paid' }]);
  });

  test('ends a hold without a payment, as staff make them, at its time', async () => {
    const [id, { startTime, endTime }] = [randomUUID(), system.nextSpan()];
    await db.query(
      `insert into private.booking (id, reference, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       values ($1::uuid, private.new_reference(), $2::uuid, 'Studio', $3::timestamptz, $4::timestamptz, $5::timestamptz, 1, 4900, 4900)`,
      [id, STUDIO, startTime, endTime, new Date(START)],
    );
    expect(await releaseExpiredHolds(system.services)).toBe(1);
    expect(await readBooking(id)).toEqual({ status: 'cancelled', reason: 'hold_expired' });
  });

  test('cancels a booking whose processing payment the provider does not know, and mails the customer', async () => {
    const { id, session } = await held();
    system.provider.move(session, 'delay');
    await settlePayment(system.services, session);
    payments.getSession = fails(missing);
    expect(await releaseHold(system.services, id, 'hold_expired')).toMatchObject({
      id,
      status: 'cancelled',
      cancelReason: 'payment_failed',
    });
    expect(await readPayments(id)).toMatchObject([{ state: 'failed' }]);
    expect(await readJobKinds(id)).toContain('mail.payment-failed');
  });
});

describe('a database error while hours are held', () => {
  test.each([
    ['HC001', { name: 'Refusal', code: 'coupon_exhausted', message: 'This code has been fully used.' }],
    ['HC002', { name: 'Refusal', code: 'slot_taken', message: expect.stringMatching(/^Someone else just booked/) }],
    ['40001', { name: 'DatabaseError', code: '40001' }],
  ])('with the code %s becomes its refusal or stays an error', async (code, expected) => {
    const fault = new DatabaseError({ code, message: 'refused' });
    const failing: Database = {
      ...db,
      queryRow: (text, values) =>
        text.includes('private.hold_booking') ? Promise.reject(fault) : db.queryRow(text, values),
    };
    const { services, request } = await createBookingSystem(failing);
    await expect(holdBooking(services, request(await addPerson(db)))).rejects.toMatchObject(expected);
  });
});
