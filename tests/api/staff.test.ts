import type { Database } from '#database/types.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import {
  checkout,
  type Customer,
  mailsTo,
  span,
  STUDIO_A,
  STUDIO_B,
  until,
  type TestServer,
} from '#tests/support/test-server.ts';

const MINUTE = 60_000;

/** Creates an hour that begins `minutes` from now, in the form that the test pages send. */
function testBooking(server: TestServer, minutes: number, studio: string, more: Record<string, unknown> = {}) {
  const start = server.now().getTime() + minutes * MINUTE;
  return {
    studio_id: studio,
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + 60 * MINUTE).toISOString(),
    base_cost: 100,
    total_hours: 1,
    status: 'confirmed',
    notes: 'test',
    ...more,
  };
}

type BookingUpdate = Database['public']['Views']['bookings']['Update'];

describe.each(engines)('staff on $name', ({ open }) => {
  let server: TestServer;
  let admin: Customer;
  let customer: Customer;

  beforeAll(async () => {
    server = await open();
    admin = await server.addCustomer();
    customer = await server.addCustomer();
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [admin.id]);
  }, 60_000);
  afterAll(() => server.close());

  it('only an admin learns that the developer pages are open [spec 6.8]', async () => {
    const ask = async (token?: string) => (await server.client(token).rpc('developer_pages_open')).data;
    expect([await ask(), await ask(customer.token), await ask(admin.token)]).toEqual([false, false, true]);
  });

  it('an admin creates test bookings, also off the hour, and ends them; nobody else creates or ends any [spec 6.9, 7.25, 9.23]', async () => {
    const client = server.client(admin.token);
    const row = testBooking(server, 5, STUDIO_A);
    const created = await client.from('bookings').insert(row).select().single();
    expect(created.data).toMatchObject({ status: 'confirmed', user_id: admin.id, base_cost: 100 });
    expect((await client.from('bookings').insert(testBooking(server, 30, STUDIO_A))).error?.code).toBe('23P01');
    for (const wrong of [{ notes: null }, { notes: 'Test' }, { notes: 'test ' }])
      expect((await client.from('bookings').insert(testBooking(server, 300, STUDIO_B, wrong))).error?.code).toBe(
        '42501',
      );
    const other = server.client(customer.token);
    expect((await other.from('bookings').insert(testBooking(server, 300, STUDIO_B))).error?.code).toBe('42501');
    expect(
      (
        await server
          .client()
          .from('bookings')
          .insert(testBooking(server, 300, STUDIO_B))
      ).error?.code,
    ).toBe('42501');
    const id = created.data?.id ?? '';
    const ended = (caller: typeof client, change: Record<string, unknown> = {}) =>
      caller
        .from('bookings')
        .update({ status: 'cancelled', ...change })
        .eq('id', id)
        .select('status,cancel_reason');
    expect((await ended(other)).data).toEqual([]);
    expect((await ended(client, { final_cost: 0 })).error?.code).toBe('42501');
    expect((await ended(client)).data).toEqual([{ status: 'cancelled', cancel_reason: 'test_over' }]);
    expect((await ended(client)).error?.code).toBe('42501');
    expect((await client.from('bookings').insert(row)).error).toBeNull();
  });

  it('a booking that is not a test cannot be ended by hand', async () => {
    const client = server.client(admin.token);
    const service = await server.app.db.queryRow<{ id: string }>(
      `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       values (private.new_reference(), $1::uuid, $2::uuid, 'Studio B', now() + interval '2 days', now() + interval '49 hours', now() + interval '15 minutes', 1, 4900, 4900) returning id`,
      [admin.id, STUDIO_B],
    );
    const change = await client
      .from('bookings')
      .update({ status: 'cancelled' })
      .eq('id', service?.id ?? '')
      .select();
    expect(change.error?.code).toBe('42501');
  });

  it('the service changes notes and the guest’s address of a booking, and nothing else', async () => {
    const held = await server.call('create-payment', checkout(span(server.now(), 80)), customer.token);
    const id = String(held.body['bookingId']);
    const service = server.client(server.app.keys.serviceRoleKey);
    const change = (values: BookingUpdate) => service.from('bookings').update(values).eq('id', id).select();
    for (const values of [
      { status: 'confirmed' },
      { status: 'cancelled' },
      { status: 'cancelled', cancel_reason: 'staff' },
      { final_cost: 0 },
      { end_time: span(server.now(), 90).endTime },
      { user_id: admin.id },
      { notes: 'test' },
      { notes: 'Call first', final_cost: 1 },
    ])
      expect([values, (await change(values)).error?.code]).toEqual([values, '22023']);
    expect((await change({ final_cost: 0, status: 'cancelled' })).error).toMatchObject({
      details: 'The request changes status, final_cost.',
      hint: 'Use the functions staff-cancel-booking, staff-move-booking and staff-refund.',
    });
    const kept = { notes: 'Call first', guest_email: 'guest@example.com', status: 'pending' };
    expect((await change({ notes: kept.notes, guest_email: kept.guest_email })).data).toMatchObject([kept]);
    expect((await service.from('bookings').select().eq('id', id)).data).toMatchObject([kept]);
  });

  it('the service ends a test booking, but does not make it a real one', async () => {
    const service = server.client(server.app.keys.serviceRoleKey);
    const created = await service
      .from('bookings')
      .insert({ ...testBooking(server, 400, STUDIO_B), status: 'confirmed', user_id: admin.id })
      .select()
      .single();
    const id = created.data?.id ?? '';
    const change = (values: BookingUpdate) => service.from('bookings').update(values).eq('id', id).select();
    expect((await change({ notes: null })).error?.code).toBe('22023');
    expect((await change({ status: 'cancelled' })).data).toMatchObject([{ id, cancel_reason: 'test_over' }]);
    expect((await change({ status: 'cancelled' })).error).toBeNull();
    expect((await change({ status: 'confirmed' })).error?.code).toBe('22023');
  });

  it('the number given with the payment is visible to staff and its owner only', async () => {
    const time = span(server.now(), 60);
    const pay = (customerPhone: unknown) =>
      server.call('create-payment', { ...checkout(time), customerPhone }, customer.token);
    for (const wrong of ['12345', 'abcdefghij', '0400 000 000 000 000 000', 61400000009, ['0400000009']])
      expect(await pay(wrong)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    expect((await pay('12345')).body).toMatchObject({
      error: { message: 'customerPhone: Phone number must be at least 10 digits' },
    });
    const held = await pay(' 0400 000 009 ');
    expect(held.status).toBe(200);
    const seen = async (token?: string) => {
      const { data } = await server
        .client(token)
        .from('bookings')
        .select('contact_phone')
        .eq('start_time', time.startTime);
      return data?.map((row) => row.contact_phone);
    };
    const other = await server.addCustomer();
    expect(await Promise.all([seen(admin.token), seen(customer.token), seen(other.token), seen()])).toEqual([
      ['+61400000009'],
      ['+61400000009'],
      [null],
      [null],
    ]);
    const guess = await server.client(other.token).from('bookings').select('id').eq('contact_phone', '+61400000009');
    expect(guess.data).toEqual([]);
    // Without a number the old one stays, a new number replaces it, and the account's own number does not change.
    expect((await pay('')).body['bookingId']).toBe(held.body['bookingId']);
    expect(await seen(admin.token)).toEqual(['+61400000009']);
    expect((await pay('+44 20 7946 0000')).body['bookingId']).toBe(held.body['bookingId']);
    expect(await seen(admin.token)).toEqual(['+442079460000']);
    const own = await server.client(customer.token).from('profiles').select('phone').single();
    expect(own.data?.phone).not.toBe('+442079460000');
    await server.app.db.query('update private.booking set user_id = null where id = $1::uuid', [
      held.body['bookingId'],
    ]);
    expect(await seen(admin.token)).toEqual([null]);
  });

  it('a scheduled mail goes to the owner whatever the row says, and only staff request one [spec 3.13, 7.32, 7.39, 7.42]', async () => {
    const client = server.client(admin.token);
    const created = await client
      .from('bookings')
      .insert(testBooking(server, 10, STUDIO_B))
      .select('id')
      .single();
    const id = created.data?.id ?? '';
    expect((await server.call('generate-access-code', { bookingId: id }, admin.token)).body['pinCode']).toMatch(
      /^\d+$/,
    );
    const mail = {
      booking_id: id,
      recipient_email: customer.email,
      email_type: 'access_code',
      status: 'pending_immediate',
      scheduled_for: server.now().toISOString(),
    };
    expect((await server.client(customer.token).from('scheduled_emails').insert(mail)).error?.code).toBe('42501');
    expect((await client.from('scheduled_emails').insert({ ...mail, status: 'sent' })).error?.code).toBe('42501');
    const requested = await client.from('scheduled_emails').insert(mail).select('recipient_email').single();
    expect(requested.data?.recipient_email).toBe(admin.email);
    expect((await server.call('process-scheduled-emails', {}, customer.token)).status).toBe(403);
    expect((await server.call('process-scheduled-emails', {}, admin.token)).body['processed']).toBeGreaterThan(0);
    await until(async () => (await mailsTo(server, admin.email, 'access code')).length > 0);
    expect(await mailsTo(server, customer.email)).toEqual([]);
  });

  it('a test PIN is valid until 7 pm and opens the first door; its digits are not in the log [spec 7.43, 9.22]', async () => {
    const { body } = await server.call('test-igloohome-pin', {}, admin.token);
    expect(body).toMatchObject({ success: true });
    const data = Object(body['pinData']) as Record<string, unknown>;
    const until7 = new Date(String(data['endTime'])).toLocaleTimeString('en-AU', {
      timeZone: 'Australia/Sydney',
      hour: 'numeric',
      hour12: true,
    });
    expect(until7).toBe('7 pm');
    expect(await server.sandbox(`/api/doors/${String(data['deviceId'])}/keypad`, { pin: data['pin'] })).toMatchObject({
      opened: true,
    });
    const logged = await server.client(admin.token).rpc('search_audit_logs', { words: 'test_pin' });
    expect(logged.data).toHaveLength(1);
    expect(JSON.stringify(logged.data)).not.toContain(String(data['pin']));
    for (const name of ['test-igloohome-config', 'test-igloohome-oauth', 'test-igloohome-pin', 'test-smart-plug'])
      expect([name, (await server.call(name, {}, customer.token)).status]).toEqual([name, 403]);
  });

  it('the audit log is searched by words and read in pages of 100, by staff only [spec 3.17]', async () => {
    const client = server.client(admin.token);
    await client.from('discount_codes').insert({ code: 'SEARCHED', discount_type: 'fixed', discount_value: 5 });
    const found = await client.rpc('search_audit_logs', { words: ' discount_code  searched ' });
    expect(found.data).toMatchObject([{ action: 'create', details: { code: 'SEARCHED' } }]);
    expect((await client.rpc('search_audit_logs', { words: `create ${admin.email}` })).data?.length).toBeGreaterThan(0);
    expect((await client.rpc('search_audit_logs', { words: '100%_' })).data).toEqual([]);
    await server.app.db.query(`select private.audit($1::uuid, 'other', 'odd', null, $2::jsonb)`, [
      customer.id,
      { note: `100%_ It's \\ "so" $1` },
    ]);
    const count = async (words: string) => (await client.rpc('search_audit_logs', { words })).data?.length;
    for (const words of [
      '100%_',
      `it's`,
      '\\',
      '"so',
      '$1',
      'ODD',
      'dd',
      `odd ${customer.email.slice(2)}`,
      customer.id,
    ])
      expect([words, await count(`odd ${words}`)]).toEqual([words, 1]);
    for (const words of ['100_%', 'o_d', `odd ${admin.email}`, '{odd', 'odd'.repeat(80)])
      expect([words, await count(words)]).toEqual([words, 0]);
    for (let n = 0; n < 130; n += 1)
      await server.app.db.query(`select private.audit(null, 'other', 'filler', $1, '{}')`, [String(n)]);
    const page = async (before: { before_at?: string; before_id?: string } = {}) =>
      (await client.rpc('search_audit_logs', { words: 'filler', ...before })).data ?? [];
    const first = await page();
    const last = first.at(-1);
    const next = await page({ before_at: last?.created_at ?? '', before_id: last?.id ?? '' });
    const ids = [...first, ...next].map((entry) => Number(entry.resource_id));
    // The embedded database counts milliseconds: entries of the same millisecond may come in any order, but none twice.
    expect(first).toHaveLength(100);
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 130 }, (_, index) => index));
    const newest = first[0]?.created_at ?? '';
    const older = await page({ before_at: newest });
    expect(older.every((entry) => entry.created_at < newest)).toBe(true);
    const service = server.client(server.app.keys.serviceRoleKey);
    expect((await service.rpc('search_audit_logs', { words: 'filler' })).data).toHaveLength(100);
    expect((await server.client(customer.token).rpc('search_audit_logs', {})).data).toEqual([]);
    expect((await server.client().rpc('search_audit_logs', {})).error?.code).toBe('42501');
  });
});

describe.each(engines)('with the developer pages off on $name', ({ open }) => {
  it('none of them are available [spec 6.9]', async () => {
    const server = await open({ DEVELOPER_PAGES: 'false' });
    try {
      const admin = await server.addCustomer();
      await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [admin.id]);
      const client = server.client(admin.token);
      expect((await client.rpc('developer_pages_open')).data).toBe(false);
      expect((await client.from('bookings').insert(testBooking(server, 5, STUDIO_A))).error?.code).toBe('42501');
      for (const name of ['test-igloohome-config', 'test-igloohome-oauth', 'test-igloohome-pin', 'test-smart-plug'])
        expect([name, (await server.call(name, {}, admin.token)).status]).toEqual([name, 404]);
    } finally {
      await server.close();
    }
  });
});
