import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { checkout, type Customer, readPayment, span, type TestServer } from '#tests/support/test-server.ts';

const TABLES = [
  'profiles',
  'user_roles',
  'id_verifications',
  'user_verifications',
  'terms_acceptances',
  'booking_drafts',
  'discount_codes',
  'audit_logs',
  'scheduled_emails',
  'booking_access_codes',
  'mailing_list',
];

describe.each(engines)('who may do what on $name', ({ open }) => {
  let server: TestServer;
  let owner: Customer;
  let otherUser: Customer;
  let bookingId: string;

  beforeAll(async () => {
    server = await open();
    owner = await server.addCustomer();
    otherUser = await server.addCustomer();
    const held = await server.call('create-payment', checkout(span(server.now(), 40)), owner.token);
    bookingId = String(held.body['bookingId']);
    const payment = await readPayment(server, bookingId);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: payment.id });
    await server.app.db.query(
      `insert into public.discount_codes (code, discount_type, discount_value) values ('SECRET', 'fixed', 5)`,
    );
  }, 60_000);
  afterAll(() => server.close());

  it('a guest sees studios and busy times, and nothing else [spec 1.5, 3.5, 6.1, 7.22, 8.13]', async () => {
    // The client is untyped: it names tables by variables and inserts rows that no table accepts.
    const guest: SupabaseClient = server.client();
    expect((await guest.from('studios').select('*')).data).toHaveLength(3);
    const busy = await guest.from('bookings').select('*');
    expect(busy.data).toHaveLength(1);
    const shown = Object.entries(busy.data?.[0] ?? {})
      .filter(([, value]) => value !== null)
      .map(([key]) => key);
    expect(shown.toSorted()).toEqual(['end_time', 'start_time', 'status', 'studio_id']);
    for (const table of TABLES) {
      const { data, error } = await guest.from(table).select('*');
      expect([table, error?.code ?? data?.length]).toEqual([
        table,
        expect.toSatisfy((answer) => answer === '42501' || answer === 0),
      ]);
    }
    for (const table of ['studios', 'bookings', ...TABLES.filter((name) => name !== 'mailing_list')]) {
      expect([table, (await guest.from(table).insert({ id: bookingId })).error === null]).toEqual([table, false]);
    }
    expect((await guest.from('mailing_list').insert({ email: ' Somebody@Example.com ' })).error).toBeNull();
    expect((await guest.from('mailing_list').insert({ email: 'somebody@example.com' })).error?.code).toBe('23505');
  });

  it('no private schema answers', async () => {
    const response = await fetch(`${server.url}/rest/v1/booking`, {
      headers: { apikey: server.app.keys.anonKey, 'accept-profile': 'private' },
    });
    expect(response.status).toBe(406);
    const untyped: SupabaseClient = server.client();
    expect((await untyped.from('users').select('*')).error?.code).toBe('PGRST205');
  });

  it('another person can neither read nor change anything of the owner [spec 6.2, 6.8, 7.27, 7.46]', async () => {
    const client = server.client(otherUser.token);
    expect((await client.from('bookings').select('*').eq('id', bookingId)).data).toEqual([]);
    expect((await client.from('profiles').select('*')).data).toHaveLength(1);
    expect((await client.from('profiles').update({ full_name: 'Mine' }).eq('user_id', owner.id).select()).data).toEqual(
      [],
    );
    expect((await client.from('user_roles').insert({ user_id: otherUser.id, role: 'admin' })).error?.code).toBe(
      '42501',
    );
    expect(
      (
        await client
          .from('id_verifications')
          .insert({ user_id: otherUser.id, source: 'photo', verification_status: 'verified' })
      ).error?.code,
    ).toBe('42501');
    expect((await client.from('bookings').insert({ studio_id: 'x', status: 'confirmed' })).error).not.toBeNull();
    expect((await client.from('audit_logs').select('*')).data).toEqual([]);
    for (const [name, body] of [
      ['cancel-booking', { bookingId }],
      ['release-hold', { bookingId }],
      ['generate-access-code', { bookingId }],
      ['send-booking-confirmation', { bookingId, customerEmail: 'other@example.com' }],
    ] as const) {
      expect([name, (await server.call(name, body, otherUser.token)).status]).toEqual([name, 404]);
    }
    const pin = await fetch(`${server.url}/functions/v1/regenerate-pin?booking_id=${bookingId}`, {
      headers: { authorization: `Bearer ${server.app.keys.anonKey}` },
    });
    expect([pin.status, await pin.json()]).toEqual([401, expect.objectContaining({ success: false })]);
  });

  it('the owner cannot confirm, price or move a booking, and sees all of it [spec 3.7, 7.25]', async () => {
    const client = server.client(owner.token);
    const held = await server.call('create-payment', checkout(span(server.now(), 44)), owner.token);
    const pending = String(held.body['bookingId']);
    expect((await client.from('bookings').update({ status: 'confirmed' }).eq('id', pending).select()).error?.code).toBe(
      '42501',
    );
    expect((await client.from('bookings').update({ final_cost: 0 }).eq('id', bookingId).select()).error?.code).toBe(
      '42501',
    );
    const { startTime, endTime } = span(server.now(), 45);
    for (const moved of [{ start_time: startTime, end_time: endTime }, { studio_id: crypto.randomUUID() }])
      expect((await client.from('bookings').update(moved).eq('id', bookingId).select()).error?.code).toBe('42501');
    // The page's update after the payment is answered with the row, because the server has already confirmed it.
    expect(
      (await client.from('bookings').update({ status: 'confirmed' }).eq('id', bookingId).select()).data,
    ).toHaveLength(1);
    expect((await client.from('bookings').select('reference').eq('id', bookingId).single()).data?.reference).toMatch(
      /^[A-Z0-9]{4}-[A-Z0-9]{4}$/,
    );
  });

  it('staff read codes and the audit log and write codes; without the role these rights end at once [spec 3.14, 3.18, 6.9, 7.30, 7.31, 7.32]', async () => {
    const admin = await server.addCustomer();
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [admin.id]);
    const client = server.client(admin.token);
    expect((await client.from('user_roles').select('role').eq('user_id', admin.id).single()).data?.role).toBe('admin');
    expect(
      (
        await client
          .from('discount_codes')
          .insert({ code: 'new', discount_type: 'percentage', discount_value: 10 })
          .select()
          .single()
      ).data?.code,
    ).toBe('NEW');
    expect(
      (await client.from('discount_codes').insert({ code: 'NEW', discount_type: 'percentage', discount_value: 10 }))
        .error?.code,
    ).toBe('23505');
    expect(
      (await client.from('audit_logs').select('*').order('created_at', { ascending: false }).limit(100)).data?.length,
    ).toBeGreaterThan(0);
    expect(
      (await client.from('booking_access_codes').select('*, bookings(start_time, end_time, studios(name))').limit(10))
        .error,
    ).toBeNull();
    expect((await server.call('manual-power-control', { action: 'turn_on' }, admin.token)).body).toMatchObject({
      success: true,
    });
    expect(await server.sandbox('/api/plugs')).toContainEqual(expect.objectContaining({ id: 'green-room', on: true }));
    expect((await server.call('test-igloohome-oauth', {}, admin.token)).body).toMatchObject({ success: true });
    await server.app.db.query('delete from public.user_roles where user_id = $1::uuid', [admin.id]);
    expect((await client.from('audit_logs').select('*')).data).toEqual([]);
    expect((await server.call('manual-power-control', { action: 'turn_off' }, admin.token)).status).toBe(403);
  });

  it('a new name or birth date requires a new ID check [spec 7.26]', async () => {
    const client = server.client(otherUser.token);
    expect((await client.from('user_verifications').select('id')).data).toHaveLength(1);
    await client.from('profiles').update({ full_name: 'Somebody Else' }).eq('user_id', otherUser.id);
    expect((await client.from('user_verifications').select('id')).data).toHaveLength(0);
    expect((await server.call('create-payment', checkout(span(server.now(), 46)), otherUser.token)).body).toMatchObject(
      {
        error: { code: 'id_required' },
      },
    );
  });

  it('an unsigned webhook changes nothing', async () => {
    const response = await fetch(`${server.url}/functions/v1/stripe-webhook`, {
      method: 'POST',
      body: '{"type":"checkout.session.completed"}',
      headers: { 'stripe-signature': 't=1,v1=00' },
    });
    expect(response.status).toBe(400);
    expect((await fetch(`${server.url}/functions/v1/igloohome-webhook`, { method: 'POST', body: '{}' })).status).toBe(
      400,
    );
  });
});
