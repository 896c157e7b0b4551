import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '#rules/permissions.ts';
import { engines } from '#tests/support/engines.ts';
import {
  checkout,
  type Customer,
  mailsTo,
  readPayment,
  span,
  STUDIO_A,
  type TestServer,
} from '#tests/support/test-server.ts';

describe.each(engines)('what staff do to a booking on $name', ({ open }) => {
  let server: TestServer;
  let customer: Customer;
  let hoursAhead = 24 * 20;
  beforeAll(async () => {
    server = await open();
    customer = await server.addCustomer();
  }, 180_000);
  afterAll(() => server.close());

  const addStaff = async (permissions: readonly Permission[]): Promise<Customer> => {
    const person = await server.addCustomer();
    const service = server.app.keys.serviceRoleKey;
    expect((await server.call('staff-set-permissions', { userId: person.id, permissions }, service)).status).toBe(200);
    return person;
  };
  async function booked(): Promise<{ bookingId: string; session: string; cents: number }> {
    hoursAhead += 2;
    const held = await server.call('create-payment', checkout(span(server.now(), hoursAhead)), customer.token);
    const bookingId = String(held.body['bookingId']);
    const session = (await readPayment(server, bookingId)).id;
    await server.sandbox(`/api/payments/${session}`, { outcome: 'paid' });
    expect((await server.call('verify-payment', { sessionId: session })).body).toMatchObject({ status: 'confirmed' });
    return { bookingId, session, cents: Math.round(Number(held.body['total']) * 100) };
  }
  /** Returns the amounts that the payment provider has refunded for a booking. */
  async function returned(bookingId: string): Promise<readonly number[]> {
    await server.settle();
    const { intent } = (await server.app.db.queryRow<{ intent: string }>(
      'select payment_intent_id as intent from private.payment where booking_id = $1::uuid',
      [bookingId],
    )) ?? { intent: '' };
    const all = await server.sandbox('/api/refunds');
    return (Array.isArray(all) ? all : [])
      .filter((refund: { payment_intent: string }) => refund.payment_intent === intent)
      .map((refund: { amount: number }) => refund.amount);
  }

  it('staff with the permission bookings cancel as the terms give, those with money refund any part', async () => {
    await addStaff(['owner']);
    const [bookings, money] = [await addStaff(['bookings']), await addStaff(['bookings', 'money'])];
    const { bookingId } = await booked();
    const cancel = (refund: unknown, { token }: Customer) =>
      server.call('staff-cancel-booking', { bookingId, refund, reason: 'Broken mixer' }, token);
    const refund = (given: number, { token }: Customer) =>
      server.call('staff-refund', { bookingId, cents: given, reason: 'Sorry' }, token);
    expect(await refund(1_000, bookings)).toMatchObject({ status: 403, body: { error: { permission: 'money' } } });
    expect(await refund(1_000, money)).toMatchObject({ status: 200, body: { refundCents: 1_000 } });
    expect(await refund(1_000, money)).toMatchObject({ status: 200 });
    expect(await returned(bookingId)).toEqual([1_000]);
    const guard = (permissions: readonly string[]) =>
      server.call('staff-set-second-factor', { permissions, graceDays: 0 }, server.app.keys.serviceRoleKey);
    await guard(['money']);
    expect(await cancel('none', money)).toMatchObject({
      status: 403,
      body: { error: { code: 'second_factor_required' } },
    });
    expect(await cancel('none', bookings)).toMatchObject({
      status: 403,
      body: { error: { code: 'not_yours', permission: 'money' } },
    });
    await guard([]);
    expect(await cancel(500, money)).toMatchObject({ status: 200, body: { refundCents: 500 } });
    expect(await cancel(500, money)).toMatchObject({ status: 200, body: { refundCents: 500 } });
    expect((await cancel('full', bookings)).status).toBe(409);
    expect((await returned(bookingId)).toSorted((a, b) => a - b)).toEqual([500, 1_000]);
    expect(await mailsTo(server, customer.email, 'Booking cancelled')).toHaveLength(1);
    const other = await booked();
    const byTerms = { bookingId: other.bookingId, refund: 'full', reason: 'Flood' };
    const answer = await server.call('staff-cancel-booking', byTerms, bookings.token);
    expect(answer).toEqual({ status: 200, body: { refundCents: other.cents } });
    expect(await returned(other.bookingId)).toEqual([other.cents]);
  });

  it('staff with the permission bookings book for a guest, who pays by the mailed link', async () => {
    const { token } = await addStaff(['bookings']);
    hoursAhead += 2;
    const body = {
      studioId: STUDIO_A,
      ...span(server.now(), hoursAhead),
      customerEmail: 'Guest-Of-Staff@Example.com',
      customerName: 'Sam Guest',
      payment: 'link',
    };
    const created = await server.call('staff-create-booking', body, token);
    expect(created).toMatchObject({ status: 200, body: { url: expect.stringMatching(/^http/) } });
    expect(await server.call('staff-create-booking', body, token)).toEqual(created);
    const bookingId = String(created.body['bookingId']);
    await server.settle();
    const [link] = await mailsTo(server, 'guest-of-staff@example.com', 'Please pay');
    expect(link?.text).toContain(String(created.body['url']));
    const session = (await readPayment(server, bookingId)).id;
    await server.sandbox(`/api/payments/${session}`, { outcome: 'paid' });
    expect((await server.call('verify-payment', { sessionId: session })).body).toMatchObject({ status: 'confirmed' });
    await server.settle();
    expect(await mailsTo(server, 'guest-of-staff@example.com', 'Booking confirmed')).toHaveLength(1);
    const { data } = await server.client(token).from('bookings').select('guest_name').eq('id', bookingId).single();
    expect(data).toEqual({ guest_name: 'Sam Guest' });
  });

  it.each([
    ['no address', { customerEmail: 'nobody' }],
    ['no name', { customerName: ' ' }],
    ['another way to pay', { payment: 'cash' }],
    ['a note that makes it a test booking', { notes: ' Test ' }],
    ['half an hour', { endTime: '2031-03-01T00:30:00Z' }],
  ])('a booking by staff with %s is refused', async (_what, more) => {
    const [startTime, endTime] = ['2031-03-01T00:00:00Z', '2031-03-01T01:00:00Z'];
    const body = {
      studioId: STUDIO_A,
      startTime,
      endTime,
      customerEmail: 'a@example.com',
      customerName: 'Sam',
      payment: 'free',
    };
    const answer = await server.call('staff-create-booking', { ...body, ...more }, server.app.keys.serviceRoleKey);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
  });

  it.each([
    ['no reason', 'staff-cancel-booking', { refund: 'full', reason: ' ' }],
    ['a refund below zero', 'staff-cancel-booking', { refund: -1, reason: 'x' }],
    ['half a cent', 'staff-refund', { cents: 0.5, reason: 'x' }],
    ['nothing to refund', 'staff-refund', { cents: 0, reason: 'x' }],
  ])('%s is refused', async (_what, name, body) => {
    const { bookingId } = await booked();
    const answer = await server.call(name, { bookingId, ...body }, server.app.keys.serviceRoleKey);
    expect(answer.status).toBe(400);
  });
});
