import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '#database/types.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines, oneEngine, onlyPostgres } from '#tests/support/engines.ts';
import {
  checkout,
  type Customer,
  mailsTo,
  moveTo,
  readPayment,
  span,
  STUDIO_A,
  STUDIO_B,
  until,
  type TestServer,
} from '#tests/support/test-server.ts';

/** The calls on the pages of the specification, made with the real client. */
const FIELDS: Readonly<Record<string, string>> = {
  profiles: 'id, user_id, dj_name, full_name, email, phone, address, date_of_birth',
  mailing_list: 'email',
  studios: 'id, name, description, features, hourly_rate',
  bookings:
    'id, user_id, studio_id, studio_name, start_time, end_time, status, total_hours, base_cost, discount_amount, final_cost, id_verification_id, notes, guest_email',
  user_verifications: 'id, user_id',
  id_verifications:
    'id, user_id, image_path, verification_status, verified_at, expires_at, created_at, extracted_full_name, extracted_first_name, extracted_middle_name, extracted_last_name, extracted_dob, extracted_expiry_date, is_over_18, age_at_verification, is_expired, is_nsw_license, name_match_status, name_match_details, profile_dob, dob_matches, ai_raw_response, ai_confidence_score',
  scheduled_emails: 'booking_id, recipient_email, email_type, status, scheduled_for',
  booking_access_codes: 'id, booking_id',
  discount_codes:
    'id, code, discount_type, discount_value, description, min_hours, max_uses, current_uses, expires_at, active, created_at',
  audit_logs: 'id, created_at, action, resource_type, resource_id, details',
  user_roles: 'user_id, role',
};

describe.each(engines)('the calls of the specification on $name', ({ open }) => {
  let server: TestServer;
  let customer: Customer;

  beforeAll(async () => {
    server = await open();
    customer = await server.addCustomer();
  }, 60_000);
  afterAll(() => server.close());

  /** Books and pays for an hour. Returns the booking's id. */
  async function book(hoursAhead: number, studio = STUDIO_A): Promise<string> {
    const held = await server.call(
      'create-payment',
      checkout(span(server.now(), hoursAhead), {}, studio),
      customer.token,
    );
    const payment = await readPayment(server, held.body['bookingId']);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: payment.id }, customer.token);
    return String(held.body['bookingId']);
  }

  it('every table has the fields of the specification [spec 3.7, 3.11, 3.12, 3.13, 3.15, 3.17]', async () => {
    // The client is untyped: names of tables and columns come from the list above.
    const all: SupabaseClient = server.client(server.app.keys.serviceRoleKey);
    for (const [table, fields] of Object.entries(FIELDS))
      expect([table, (await all.from(table).select(fields).limit(1)).error]).toEqual([table, null]);
  });

  it('profiles are read by id and by user_id, and written as the form writes them [spec 3.4, 7.21]', async () => {
    const client = server.client(customer.token);
    const name = await client.from('profiles').select('dj_name, full_name').eq('id', customer.id).single();
    expect(name.data).toEqual({ dj_name: null, full_name: 'Alex Citizen' });
    const form = {
      full_name: 'Alex Citizen',
      email: 'other@example.com',
      phone: '+61400000001',
      dj_name: 'DJ Alex',
      date_of_birth: '1998-04-03',
    };
    const saved = await client.from('profiles').update(form).eq('user_id', customer.id).select('*').single();
    // The account's address stays the same: another call changes it.
    expect(saved.data).toMatchObject({ ...form, email: customer.email, address: null });
  });

  it('studios are ordered by name, and one can be read for a connection test [spec 7.23]', async () => {
    const guest = server.client();
    const all = await guest.from('studios').select('*').order('name');
    expect(all.data?.map((studio: { name: string }) => studio.name)).toEqual(['Studio A', 'Studio B', 'Studio C']);
    expect((await guest.from('studios').select('*').limit(1)).data).toHaveLength(1);
  });

  it('create-payment accepts both bodies of the specification, and verify-payment says whether it was paid [spec 3.9, 7.33, 7.34, 7.38]', async () => {
    const time = span(server.now(), 30, 2);
    const bookingData = {
      studio_id: STUDIO_A,
      studio_name: 'Studio A',
      start_time: time.startTime,
      end_time: time.endTime,
      total_hours: 2,
      slots: [{ hour: 1, label: '1 AM', date: '2026-01-01', price: 1 }],
    };
    const customerData = { full_name: 'Alex Citizen', email: customer.email, phone: '+61400000000', address: '' };
    const first = await server.call('create-payment', { bookingData, customerData }, customer.token);
    expect(first.body).toMatchObject({ url: expect.stringMatching(/^http/), bookingId: expect.any(String) });
    const second = await server.call(
      'create-payment',
      {
        ...checkout(time, {
          studioName: 'Studio A',
          totalHours: 2,
          userId: customer.id,
          subtotal: 1,
          discount: 1,
          couponDiscount: 1,
        }),
        amount: first.body['total'],
        description: 'Studio A',
        customerEmail: customer.email,
        customerName: 'Alex Citizen',
      },
      customer.token,
    );
    // The same person, studio and hours get the same payment.
    expect(second.body['bookingId']).toBe(first.body['bookingId']);
    const wrong = await server.call('create-payment', { ...checkout(time), amount: 1 }, customer.token);
    expect(wrong).toMatchObject({ status: 409, body: { error: { code: 'price_changed' } } });
    const payment = await readPayment(server, first.body['bookingId']);
    expect((await server.call('verify-payment', { sessionId: payment.id })).body['paid']).toBe(false);
    await server.sandbox(`/api/payments/${payment.id}`, { outcome: 'paid' });
    expect((await server.call('verify-payment', { sessionId: payment.id })).body['paid']).toBe(true);
  });

  it('availability is read as in the specification, and by overlap includes bookings that began before [spec 7.24, 9.8]', async () => {
    const id = await book(50);
    const row = await server.client(customer.token).from('bookings').select('*').eq('id', id).single();
    const start = new Date(String(row.data?.start_time)).getTime();
    const found = await server
      .client()
      .from('bookings')
      .select('studio_id, start_time, end_time, status')
      .eq('studio_id', STUDIO_A)
      .gte('start_time', new Date(start - 3_600_000).toISOString())
      .lte('start_time', new Date(start + 3_600_000).toISOString())
      .neq('status', 'cancelled');
    expect(found.data).toEqual([
      { studio_id: STUDIO_A, start_time: row.data?.start_time, end_time: row.data?.end_time, status: 'confirmed' },
    ]);
    const overlap = await server
      .client()
      .from('bookings')
      .select('status')
      .eq('studio_id', STUDIO_A)
      .gt('end_time', new Date(start + 1_800_000).toISOString())
      .lt('start_time', new Date(start + 5_400_000).toISOString())
      .neq('status', 'cancelled');
    expect(overlap.data).toHaveLength(1);
  });

  it('bookings can be read with their studio [spec 3.6, 7.25]', async () => {
    const id = await book(52);
    const found = await server
      .client(customer.token)
      .from('bookings')
      .select('*, studios(name, description, hourly_rate)')
      .eq('id', id)
      .single();
    expect(found.data).toMatchObject({ id, status: 'confirmed', studios: { name: 'Studio A', hourly_rate: 49 } });
  });

  it('a coupon is checked in one row, with its uses [spec 3.16, 7.29]', async () => {
    await server.app.db.query(
      `insert into public.discount_codes (code, discount_type, discount_value, max_uses) values ('ASKED', 'percentage', 10, 5)`,
    );
    const client = server.client(customer.token);
    const ask = (code: string) => client.rpc('validate_discount_code', { code_input: code, booking_hours: 2 });
    expect((await ask(' asked ')).data).toEqual([
      {
        id: expect.any(String),
        code: 'ASKED',
        discount_type: 'percentage',
        discount_value: 10,
        min_hours: null,
        expires_at: null,
        max_uses: 5,
        current_uses: 0,
        is_valid: true,
        error_message: null,
        weekdays: null,
        from_hour: null,
        until_hour: null,
        works_when: null,
      },
    ]);
    expect((await ask('unheard of')).data).toMatchObject([{ is_valid: false, error_message: 'Invalid coupon code' }]);
  });

  it('coupon checks count together in validate_discount_code and create-payment, ten a minute per person', async () => {
    const person = await server.addCustomer();
    const { db } = server.app;
    const look = (code: string) =>
      server.client(person.token).rpc('validate_discount_code', { code_input: code, booking_hours: 2 });
    const time = span(server.now(), 200);
    const pay = (couponCode: string | null) =>
      server.call('create-payment', checkout(time, { couponCode }), person.token);
    const key = `user:${person.id}`;
    const fullAt = async (): Promise<number> =>
      (
        await db.queryRow<{ at: Date }>(
          `select full_at as at from private.rate_bucket where name = 'coupon-guess' and key = $1`,
          [key],
        )
      )?.at.getTime() ?? 0;
    // Restores the limit of a normal server: each check delays the moment when the limit is full again by six seconds.
    const before = await db.queryRow<{ value: unknown }>(
      `select value from private.settings where name = 'limit_factor'`,
    );
    await db.query(`update private.settings set value = '1' where name = 'limit_factor'`);
    expect((await look('GUESS1')).error).toBeNull();
    const first = await fullAt();
    expect(first).toBeGreaterThan(0);
    expect((await pay('GUESS2')).status).toBe(422);
    expect(await fullAt()).toBeGreaterThanOrEqual(first + 6_000);
    // Sets the state after ten checks, for as long as the test may take.
    await db.query(
      `update private.rate_bucket set full_at = now() + interval '10 minutes' where name = 'coupon-guess' and key = $1`,
      [key],
    );
    expect(await pay('GUESS3')).toMatchObject({
      status: 429,
      body: { error: { code: 'too_many_requests', message: 'Too many attempts. Please try again in a minute.' } },
    });
    expect((await look('GUESS4')).status).toBe(429);
    // Without a code, there is nothing to guess.
    expect((await pay(null)).status).toBe(200);
    await db.query(`update private.settings set value = $1::jsonb where name = 'limit_factor'`, [
      JSON.stringify(before?.value),
    ]);
  });

  it('id_verifications are read for the newest valid one, and never written by a browser [spec 7.27]', async () => {
    const client = server.client(customer.token);
    const good = await client
      .from('id_verifications')
      .select('*')
      .eq('user_id', customer.id)
      .eq('verification_status', 'verified')
      .gt('expires_at', server.now().toISOString())
      .order('created_at', { ascending: false })
      .limit(1);
    expect(good.data).toHaveLength(1);
    expect((await client.from('user_verifications').select('id').eq('user_id', customer.id)).data).toHaveLength(1);
    const created = await client
      .from('id_verifications')
      .insert({ user_id: customer.id, verification_status: 'verified', source: 'staff' });
    expect(created.error?.code).toBe('42501');
  });

  it('the hosted identity check returns its session, its URL and its status [spec 7.35, 7.36]', async () => {
    const begun = await server.call('create-verification-session', { bookingData: {} }, customer.token);
    expect(begun.body).toEqual({
      verificationSessionId: expect.stringMatching(/^vs_/),
      verificationUrl: expect.stringMatching(/^http/),
    });
    const session = String(begun.body['verificationSessionId']);
    const check = () =>
      server.call('check-verification-and-checkout', { verificationSessionId: session }, customer.token);
    expect((await check()).body).toEqual({ verified: false, status: 'requires_input', checkoutUrl: null });
    const other = await server.call('create-verification-session', { bookingData: {} }, customer.token);
    const cancelled = { verificationSessionId: other.body['verificationSessionId'] };
    await server.sandbox(`/api/identity/${String(cancelled.verificationSessionId)}`, { outcome: 'canceled' });
    expect((await server.call('check-verification-and-checkout', cancelled, customer.token)).body).toEqual({
      verified: false,
      status: 'canceled',
      checkoutUrl: null,
    });
    await server.sandbox(`/api/identity/${session}`, { outcome: 'document_expired' });
    expect((await check()).body).toEqual({
      verified: false,
      status: 'requires_input',
      checkoutUrl: null,
      error: expect.stringContaining('expired'),
    });
    await server.sandbox(`/api/identity/${session}`, {
      outcome: 'verified',
      first_name: 'Alex',
      last_name: 'Citizen',
      dob: '1998-04-03',
    });
    expect((await check()).body).toEqual({ verified: true, status: 'verified', checkoutUrl: '/checkout' });
  });

  it('verify-id returns every field of the specification [spec 3.12, 7.37, 8.22]', { timeout: 90_000 }, async () => {
    const picture = await (await fetch(`${server.sandboxUrl}/licence.jpg?given=Alex&family=Citizen`)).arrayBuffer();
    const idImage = `data:image/jpeg;base64,${Buffer.from(picture).toString('base64')}`;
    expect((await server.call('verify-id', { idImage, userId: customer.id })).status).toBe(401);
    const { body } = await server.call('verify-id', { idImage, userId: 'somebody else' }, customer.token);
    for (const field of [
      'verification_status',
      'isOver18',
      'age',
      'isExpired',
      'isNswLicense',
      'nameMatchStatus',
      'nameMatchDetails',
      'profileDob',
      'dobMatches',
      'aiRawResponse',
      'aiConfidenceScore',
      'failureReasons',
    ])
      expect(body).toHaveProperty(field);
    expect(Object.keys(Object(body['extractedData'])).toSorted()).toEqual(
      ['dateOfBirth', 'expiryDate', 'firstName', 'fullName', 'lastName', 'middleName'].toSorted(),
    );
    // The token identifies the person, and the reader's raw answer is not returned.
    expect(body['aiRawResponse']).toBeNull();
    expect(body['hostedCheck']).toBe(true);
    const row = await server
      .client(customer.token)
      .from('id_verifications')
      .select('ai_confidence_score')
      .eq('source', 'photo')
      .single();
    expect(Number(row.data?.ai_confidence_score)).toBeLessThanOrEqual(1);
  });

  it('mails that are requested by hand are those already queued, and go only to their owner [spec 7.40, 7.41]', async () => {
    const bookingId = await book(54);
    for (const name of ['send-booking-confirmation', 'send-access-code-email']) {
      const body = {
        bookingId,
        customerEmail: 'else@example.com',
        customerName: 'Else',
        pinCode: '1234',
        isGuest: true,
      };
      expect([name, (await server.call(name, body, customer.token)).status]).toEqual([name, 202]);
      expect([name, (await server.call(name, body)).status]).toEqual([name, 401]);
    }
    await server.settle();
    expect(await mailsTo(server, 'else@example.com')).toEqual([]);
    expect((await mailsTo(server, customer.email, 'Booking confirmed')).length).toBeGreaterThan(0);
  });

  it('code mails are scheduled a quarter of an hour before, pending, and at once within the hour [spec 1.3, 4.32]', async () => {
    const [later, soon] = [await book(56), await book(1, STUDIO_B)];
    const all = server.client(server.app.keys.serviceRoleKey);
    const mail = async (id: string) =>
      (await all.from('scheduled_emails').select('*, bookings(start_time)').eq('booking_id', id).single()).data;
    const first = await mail(later);
    expect(first).toMatchObject({ status: 'pending', email_type: 'access_code', recipient_email: customer.email });
    expect(Date.parse(first?.bookings.start_time ?? '') - Date.parse(first?.scheduled_for ?? '')).toBe(15 * 60_000);
    expect(await mail(soon)).toMatchObject({ status: 'pending_immediate' });
  });

  it('a lock and a mail service that fail after paying are retried, and the booking stays confirmed [spec 8.28]', async () => {
    const faults = `${server.sandboxUrl}/api/faults`;
    for (const provider of ['igloohome', 'mail'])
      await server.sandbox('/api/faults', {
        provider,
        kind: 'status',
        status: provider === 'mail' ? 451 : 500,
        count: 50,
      });
    const bookingId = await book(2, STUDIO_B);
    server.advance(65 * 60_000);
    const client = server.client(customer.token);
    const code = async () => (await server.call('generate-access-code', { bookingId }, customer.token)).body['pinCode'];
    await server.settle();
    expect(await code()).toBeNull();
    expect((await client.from('bookings').select('status').eq('id', bookingId).single()).data?.status).toBe(
      'confirmed',
    );
    const before = (await mailsTo(server, customer.email)).length;
    await fetch(faults, { method: 'DELETE' });
    server.advance(45 * 60_000);
    await server.settle();
    await server.settle();
    expect(await code()).toMatch(/^\d+$/);
    await until(async () => {
      await server.settle();
      return (await mailsTo(server, customer.email)).length >= before + 2;
    });
    server.advance(-110 * 60_000);
  });

  it('a call without a session, and one without an address, fail with the messages of supabase-js [spec 5.35, 8.44]', async () => {
    const client = server.client();
    expect((await client.auth.getUser()).error?.message).toBe('Auth session missing!');
    // The client's message for a form with neither an address nor a phone number.
    const nobody = Object.assign(Object.create(null), { password: 'something long' });
    expect((await client.auth.signUp(nobody)).error?.message).toBe(
      'You must provide either an email or phone number and a password',
    );
    expect((await client.auth.signInWithPassword(nobody)).error?.message).toBe(
      'You must provide either an email or phone number and a password',
    );
  });

  it(
    'regenerate-pin shows and creates a single-use code, and ends with the session [spec 3.19, 7.46, 9.20]',
    { timeout: 60_000 },
    async () => {
      const bookingId = await book(1, STUDIO_A);
      const ask = async (method: 'GET' | 'POST') => {
        const response = await fetch(`${server.url}/functions/v1/regenerate-pin?booking_id=${bookingId}`, {
          method,
          headers: { authorization: `Bearer ${customer.token}`, apikey: server.app.keys.anonKey },
        });
        return { status: response.status, body: Object(await response.json()) as Record<string, unknown> };
      };
      const shown = await ask('GET');
      expect(shown.body).toMatchObject({
        success: true,
        pin: expect.stringMatching(/^\d+$/),
        booking: { studio_name: 'Studio A', start_time: expect.any(String), end_time: expect.any(String) },
      });
      expect(shown.body).toHaveProperty('pinId');
      const { start_time: start, end_time: end } = Object(shown.body['booking']) as Record<string, string>;
      await moveTo(server, Date.parse(start ?? '') + 60_000);
      const doors = await server.sandbox('/api/doors');
      const door = Array.isArray(doors) ? String(doors[0].id) : '';
      const press = () => server.sandbox(`/api/doors/${door}/keypad`, { pin: shown.body['pin'] });
      expect(await press()).toMatchObject({ opened: true });
      // The lock itself reports the opening, and the code is removed after that.
      await expect
        .poll(async () => {
          await server.settle();
          return press();
        })
        .toMatchObject({ opened: false });
      const renewed = await ask('POST');
      expect(renewed.body).toMatchObject({ success: true });
      expect(renewed.body['pin']).not.toBe(shown.body['pin']);
      await moveTo(server, Date.parse(end ?? '') + 1_000);
      expect(await ask('POST')).toMatchObject({
        status: 410,
        body: { success: false, expired: true, error: expect.any(String) },
      });
    },
  );
});

it.each(oneEngine)(
  'supabase-js distinguishes every kind of error of the account API [spec 8.45]',
  { timeout: 60_000 },
  async ({ open }) => {
    const server = await open();
    // Acts as a proxy without a server behind it.
    const broken = createServer((_request, response) => response.writeHead(503).end('{}')).listen(0);
    await once(broken, 'listening');
    try {
      const address = broken.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      const client = server.client();
      const credentials = { email: 'nobody@example.com', password: 'not-the-password' };
      expect((await client.auth.signInWithPassword(credentials)).error).toMatchObject({ code: 'invalid_credentials' });
      const weak = (await client.auth.signUp({ email: 'new@example.com', password: 'password' })).error;
      expect(weak).toMatchObject({ name: 'AuthWeakPasswordError', reasons: ['pwned'] });
      const forged = await client.auth.getClaims('not.a.token');
      expect(forged.error?.name).toBe('AuthInvalidJwtError');
      const away = createClient<Database>(`http://localhost:${port}`, 'key', { auth: { persistSession: false } });
      const lost = (await away.auth.signInWithPassword(credentials)).error;
      expect([lost?.name, lost?.status]).toEqual(['AuthRetryableFetchError', 503]);
    } finally {
      broken.close();
      await server.close();
    }
  },
);

/** Reads a file of the client, so that a new version with other constants fails the test. */
function clientFile(name: string, file: string): string {
  const require = createRequire(import.meta.url);
  const root = createRequire(require.resolve('@supabase/supabase-js')).resolve(name);
  return readFileSync(root.replace(/dist\/.*$/, `dist/${file}`), 'utf8');
}

it.skipIf(onlyPostgres)('supabase-js refreshes a session with the intervals of the specification [spec 9.32]', () => {
  const constants = clientFile('@supabase/auth-js', 'main/lib/constants.js');
  expect(constants).toContain('AUTO_REFRESH_TICK_DURATION_MS = 30 * 1000');
  expect(constants).toContain('AUTO_REFRESH_TICK_THRESHOLD = 3;');
  expect(constants).toContain('JWKS_TTL = 10 * 60 * 1000');
  expect(clientFile('@supabase/auth-js', 'main/GoTrueClient.js')).toContain('200 * Math.pow(2, attempt');
});

it.skipIf(onlyPostgres)('supabase-js has the storage defaults of the specification [spec 9.33]', () => {
  const defaults = clientFile('@supabase/storage-js', 'index.cjs');
  expect(defaults).toMatch(/limit: 100,\s+offset: 0,\s+sortBy: \{\s+column: "name",\s+order: "asc"/);
  expect(defaults).toMatch(/cacheControl: "3600",\s+contentType: [^,]+,\s+upsert: false/);
});
