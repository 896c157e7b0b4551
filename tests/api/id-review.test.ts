import { randomUUID } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { checkout, type Customer, mailsTo, span, type TestServer, until } from '#tests/support/test-server.ts';

const RACES = process.env['TEST_LONG'] ? 1_000 : 10;
const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0x80]);
const DAY = 86_400_000;

describe.each(engines)('ID review on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  beforeAll(async () => {
    server = await open();
    staff = await server.addCustomer();
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff.id]);
  }, 180_000);
  afterAll(() => server.close());

  const rows = <R>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> =>
    server.app.db.query<R>(text, values).then((result) => result.rows);
  const getPicturePath = (key: string): string => join(server.dataDir, 'objects', key);
  const review = (verificationId: string, more: Record<string, unknown>, token = staff.token) =>
    server.call('staff-review-id', { verificationId, ...more }, token);
  const readStatus = async (id: string): Promise<unknown> =>
    (
      await rows<{ status: string }>(
        'select verification_status as status from public.id_verifications where id = $1::uuid',
        [id],
      )
    )[0]?.status;

  /** Adds a customer whose ID awaits review, with its picture in the state after `verify-id`. */
  async function addWaiting(
    read: Record<string, unknown> = {},
  ): Promise<Customer & { verification: string; key: string }> {
    const customer = await server.addCustomer();
    await server.app.db.query('delete from public.id_verifications where user_id = $1::uuid', [customer.id]);
    const [verification, key] = [randomUUID(), `review/${randomUUID()}.jpg`];
    await mkdir(join(server.dataDir, 'objects', 'review'), { recursive: true });
    await writeFile(getPicturePath(key), JPEG);
    const now = server.now();
    const found = { first: 'Alex', last: 'CITIZEM', born: '1998-04-03', expiry: '2090-01-01', ...read };
    await server.app.db.query(
      `insert into public.id_verifications (id, user_id, source, image_path, verification_status, failure_reasons, created_at,
         extracted_first_name, extracted_last_name, extracted_dob, extracted_expiry_date)
       values ($1::uuid, $2::uuid, 'photo', $3, 'review', '{The names differ.}', $4::timestamptz, $5, $6, $7::date, $8::date)`,
      [verification, customer.id, key, now, found.first, found.last, found.born, found.expiry],
    );
    await server.app.db.query(
      `insert into private.outbox (kind, subject_id, payload, due_at) values ('image.delete', $1::uuid, $2::jsonb, $3::timestamptz)`,
      [verification, { key }, new Date(now.getTime() + 7 * DAY)],
    );
    return { ...customer, verification, key };
  }
  const exists = (key: string): Promise<boolean> =>
    stat(getPicturePath(key)).then(
      () => true,
      () => false,
    );
  const waitForMail = (to: Customer, subject: string) =>
    until(async () => {
      const found = await mailsTo(server, to.email, subject);
      return found.length > 0 ? found : null;
    });
  const hold = (customer: Customer, hoursAhead: number) =>
    server.call('create-payment', checkout(span(server.now(), hoursAhead)), customer.token);

  it('an approved ID lets its owner book, is mailed, logged without names, and its picture is deleted', async () => {
    const customer = await addWaiting();
    expect(await hold(customer, 100)).toMatchObject({ status: 403, body: { error: { code: 'id_required' } } });
    expect(await review(customer.verification, { decision: 'approve', fields: { lastName: 'Citizen' } })).toEqual({
      status: 200,
      body: { verificationId: customer.verification, status: 'verified' },
    });
    expect((await hold(customer, 100)).status).toBe(200);
    await server.settle();
    expect(await exists(customer.key)).toBe(false);
    const [mail] = await waitForMail(customer, 'Your ID is verified');
    expect(mail?.text).toContain('Hi Alex,');
    const stored = await rows(
      `select extracted_full_name as name, failure_reasons as reasons, name_match_status as match, dob_matches as born, is_over_18 as adult,
         image_path as image, expires_at > $2::timestamptz + interval '23 months' as lasts
       from public.id_verifications where id = $1::uuid`,
      [customer.verification, server.now()],
    );
    expect(stored).toEqual([
      { name: 'Alex Citizen', reasons: [], match: 'match', born: true, adult: true, image: null, lasts: true },
    ]);
    const log = await rows<{ actor: string; details: unknown }>(
      `select actor, details from public.audit_logs where resource_id = $1 and action = 'update'`,
      [customer.verification],
    );
    expect(log).toEqual([
      {
        actor: staff.id,
        details: {
          decision: 'approve',
          before: { status: 'review' },
          after: { status: 'verified' },
          corrected: ['lastName'],
        },
      },
    ]);
  });

  it.each([
    [
      'refuse',
      { reason: 'The licence belongs to somebody else.' },
      'We couldn’t verify your ID',
      'The licence belongs to somebody else.',
    ],
    ['retake', {}, 'Please take another photo of your ID', 'Please take a sharp, well-lit photo of the front.'],
    [
      'retake',
      { reason: 'A thumb covers the name.' },
      'Please take another photo of your ID',
      'A thumb covers the name.',
    ],
  ])('after %s %o the customer cannot book and reads why in the mail', async (decision, more, subject, words) => {
    const customer = await addWaiting();
    expect((await review(customer.verification, { decision, ...more })).body).toMatchObject({ status: 'failed' });
    expect((await hold(customer, 110)).status).toBe(403);
    await server.settle();
    expect(await exists(customer.key)).toBe(false);
    const [mail] = await waitForMail(customer, subject);
    expect(mail?.text).toContain(words);
  });

  it.each([
    ['an age under 18 by the corrected birth date', { fields: { dateOfBirth: '2015-04-03' } }],
    ['no birth date', { fields: { dateOfBirth: null } }],
    ['an expired licence', { fields: { expiryDate: '2020-01-01' } }],
    ['no expiry date', { fields: { expiryDate: null } }],
    ['no name', { fields: { firstName: null, lastName: null } }],
    ['a field of another name', { fields: { fullName: 'Alex Citizen' } }],
  ])('%s cannot be approved, and the ID still waits', async (_name, more) => {
    const { verification } = await addWaiting();
    expect((await review(verification, { decision: 'approve', ...more })).status).toBe(400);
    expect(await readStatus(verification)).toBe('review');
  });

  it('a refusal needs a reason', async () => {
    const { verification } = await addWaiting();
    for (const reason of [undefined, null, ' '])
      expect((await review(verification, { decision: 'refuse', reason })).status).toBe(400);
    expect(await readStatus(verification)).toBe('review');
  });

  it('a refusal for a birth date under 18 is final: another photo is refused until the birthday, which the mail names', async () => {
    const customer = await addWaiting();
    const born = `${server.now().getUTCFullYear() - 15}-04-03`;
    const reason = 'You’re too young for now.';
    expect(
      (await review(customer.verification, { decision: 'refuse', reason, fields: { dateOfBirth: born } })).status,
    ).toBe(200);
    const photo = { idImage: `data:image/png;base64,${'A'.repeat(40)}` };
    expect(await server.call('verify-id', photo, customer.token)).toMatchObject({
      status: 403,
      body: { error: { code: 'age_required' } },
    });
    await server.settle();
    const [mail] = await waitForMail(customer, 'We couldn’t verify your ID');
    expect(mail?.text).toMatch(/You can book from \w+ 3 April/);
  });

  it('the same decision again changes nothing; another one is refused with 409', async () => {
    const { verification } = await addWaiting();
    const first = await review(verification, { decision: 'approve', fields: { lastName: 'Citizen' } });
    expect(await review(verification, { decision: 'approve', fields: { lastName: 'Citizen' } })).toEqual(first);
    for (const other of [
      { decision: 'refuse', reason: 'No.' },
      { decision: 'retake' },
      { decision: 'approve', reason: 'Fine.' },
      { decision: 'approve', fields: { lastName: 'Other' } },
    ])
      expect(await review(verification, other)).toMatchObject({
        status: 409,
        body: { error: { code: 'already_done' } },
      });
    expect(
      await rows(`select from private.outbox where kind = 'mail.id-decision' and subject_id = $1::uuid`, [
        verification,
      ]),
    ).toHaveLength(1);
  });

  it('an ID that no longer waits is refused with 409, an unknown one with 404', async () => {
    const { verification, id } = await addWaiting();
    await server.app.db.query(`update public.profiles set full_name = 'Sam Nguyen' where user_id = $1::uuid`, [id]);
    expect((await review(verification, { decision: 'approve' })).status).toBe(409);
    expect((await review(randomUUID(), { decision: 'approve' })).status).toBe(404);
  });

  it(`in ${RACES} races of two staff with different decisions exactly one counts`, { timeout: 600_000 }, async () => {
    for (let race = 0; race < RACES; race += 1) {
      const { verification } = await addWaiting();
      const results = await Promise.all([
        review(verification, { decision: 'approve' }),
        review(verification, { decision: 'refuse', reason: 'No.' }),
      ]);
      expect(results.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      const winner = results.find(({ status }) => status === 200);
      expect(await readStatus(verification)).toBe(winner?.body['status']);
    }
  });

  it('the picture is shown while the ID waits, each view is logged, nothing is cached, and after the decision it is gone', async () => {
    const { verification } = await addWaiting();
    const view = (token: string) =>
      fetch(`${server.url}/functions/v1/staff-id-picture`, {
        method: 'POST',
        headers: {
          apikey: server.app.keys.anonKey,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ verificationId: verification }),
      });
    for (let times = 1; times <= 2; times += 1) {
      const shown = await view(staff.token);
      expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(new Uint8Array(await shown.arrayBuffer())).toEqual(JPEG);
      const log = await rows(`select actor from public.audit_logs where resource_id = $1 and action = 'view'`, [
        verification,
      ]);
      expect(log).toEqual(Array.from({ length: times }, () => ({ actor: staff.id })));
    }
    expect((await review(verification, { decision: 'retake' })).status).toBe(200);
    expect((await view(staff.token)).status).toBe(404);
    expect(
      await rows(`select from public.audit_logs where resource_id = $1 and action = 'view'`, [verification]),
    ).toHaveLength(2);
  });

  it('guests, customers and staff without the permission neither decide, see the picture, nor read the queue, and get no mail', async () => {
    const colleague = await server.addCustomer();
    await server.call(
      'staff-set-permissions',
      { userId: colleague.id, permissions: ['bookings', 'money', 'settings'] },
      staff.token,
    );
    const customer = await addWaiting();
    for (const [token, status] of [
      [customer.token, 403],
      [colleague.token, 403],
      [server.app.keys.anonKey, 401],
    ] as const) {
      expect((await review(customer.verification, { decision: 'approve' }, token)).status).toBe(status);
      expect((await server.call('staff-id-picture', { verificationId: customer.verification }, token)).status).toBe(
        status,
      );
      const { error } = await server.client(token).rpc('waiting_reviews');
      expect(error?.code).toBe('42501');
    }
    expect(await readStatus(customer.verification)).toBe('review');
    expect(
      await rows(`select from private.outbox where kind = 'mail.review-waiting' and subject_id = $1::uuid`, [
        colleague.id,
      ]),
    ).toHaveLength(0);
  });

  it('the queue has what was read beside the account, the next session first, then the oldest', async () => {
    await server.app.db.query(
      `update public.id_verifications set verification_status = 'failed' where verification_status = 'review'`,
    );
    const [old, later, sooner] = [await addWaiting(), await addWaiting(), await addWaiting()];
    for (const [customer, day] of [
      [later, 20],
      [sooner, 19],
    ] as const)
      await server.app.db.query(
        `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
         select private.new_reference(), $1::uuid, s.id, s.name, $2::timestamptz, $2::timestamptz + interval '1 hour', $2::timestamptz, 1, 0, 0
         from public.studios s order by s.name limit 1`,
        [customer.id, new Date(Math.floor(server.now().getTime() / DAY) * DAY + day * DAY)],
      );
    const { data, error } = await server
      .client(staff.token)
      .rpc('waiting_reviews', { ends_after: server.now().toISOString() });
    expect(error).toBeNull();
    expect(data?.map((row) => row.id)).toEqual([sooner, later, old].map((customer) => customer.verification));
    expect(data?.[2]).toMatchObject({
      user_id: old.id,
      has_picture: true,
      first_name: 'Alex',
      last_name: 'CITIZEM',
      date_of_birth: '1998-04-03',
      expiry_date: '2090-01-01',
      account_name: 'Alex Citizen',
      account_date_of_birth: '1998-04-03',
      account_email: old.email,
      next_session: null,
    });
  });

  it('a newer ID replaces one that waits, and its picture is deleted', async () => {
    const customer = await addWaiting();
    await server.app.db.query(
      `insert into public.id_verifications (user_id, source, verification_status) values ($1::uuid, 'photo', 'failed')`,
      [customer.id],
    );
    expect(await readStatus(customer.verification)).toBe('review');
    await server.app.db.query(
      `insert into public.id_verifications (user_id, source, verification_status) values ($1::uuid, 'photo', 'review')`,
      [customer.id],
    );
    expect(await readStatus(customer.verification)).toBe('superseded');
    await server.settle();
    expect(await exists(customer.key)).toBe(false);
  });

  it('the picture of a deleted account is deleted', async () => {
    const customer = await addWaiting();
    await server.app.db.query('delete from auth.users where id = $1::uuid', [customer.id]);
    await server.settle();
    expect(await exists(customer.key)).toBe(false);
  });

  it('staff are mailed once an hour while IDs come in, with their number and without names', async () => {
    await server.app.db.query(`delete from private.outbox where kind = 'mail.review-waiting'`);
    await server.app.db.query(
      `update public.id_verifications set verification_status = 'failed' where verification_status = 'review'`,
    );
    const due = () =>
      rows<{ minutes: number; done: boolean }>(
        `select round(extract(epoch from due_at - $1::timestamptz) / 60)::int as minutes, done_at is not null as done
         from private.outbox where kind = 'mail.review-waiting' and subject_id = $2::uuid order by due_at`,
        [server.now(), staff.id],
      );
    await addWaiting();
    await server.settle();
    await addWaiting();
    await addWaiting();
    await server.settle();
    expect(await due()).toEqual([
      { minutes: 0, done: true },
      { minutes: 60, done: false },
    ]);
    server.advance(61 * 60_000);
    await server.settle();
    const [newest] = await waitForMail(staff, '3 IDs are pending review');
    expect(newest?.text).toContain('The customer can’t book until you decide.');
    expect(newest?.text).not.toMatch(/Alex|CITIZEM/);
  });
});
