import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import {
  addBooking,
  addPayment,
  addPerson,
  addStudiosAndCustomers,
  addRedemption,
  ALEX,
  at,
  CODE,
  force,
  KIM,
  NOW,
  STUDIO,
} from './booking-rows.ts';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const rolledBack = (work: (rows: Rows) => Promise<void>) => (): Promise<void> => database.rolledBack(work);
const withStudios = (work: (rows: Rows) => Promise<void>) =>
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await work(rows);
  });
const elsewhere = (offset: number): Row => ({ start_time: at(1200 + offset * 60), end_time: at(1260 + offset * 60) });

describe('the facts of a checkout', () => {
  type Facts = { readonly [name: string]: unknown; readonly coupon: Row | null; readonly verification: Row | null };
  const facts = async ({ value }: Rows, user: string, studio: string, code: string | null = null): Promise<Facts> =>
    (await value('select private.checkout_json($1, $2, $3, 2, $4)', [user, studio, code, NOW])) as Facts;

  test(
    "contain the studio while it is active, and the customer's own profile and accepted terms",
    withStudios(async (rows) => {
      await rows.query(
        `update public.profiles set full_name = 'Alex', phone = '0400', date_of_birth = '1990-01-01' where id = $1`,
        [ALEX],
      );
      await rows.query(`insert into public.terms_acceptances (user_id, version) values ($1, 'v1'), ($2, 'v2')`, [
        ALEX,
        KIM,
      ]);
      await rows.query('update auth.users set email_confirmed_at = $1 where id = $2', [NOW, KIM]);
      expect(await facts(rows, ALEX, STUDIO)).toEqual({
        studio: { id: STUDIO, name: 'Testing' },
        profile: { fullName: 'Alex', dateOfBirth: '1990-01-01', email: '0001@example.com', phone: '0400' },
        mailConfirmed: false,
        termsAccepted: ['v1'],
        verification: null,
        coupon: null,
      });
      expect((await facts(rows, KIM, STUDIO))['mailConfirmed']).toBe(true);
      await rows.query('update public.studios set active = false where id = $1', [STUDIO]);
      expect((await facts(rows, ALEX, STUDIO))['studio']).toBeNull();
      expect((await facts(rows, uuid(9), uuid(9)))['profile']).toBeNull();
    }),
  );

  test(
    "contain the customer's verified ID that is valid longest, until the instant it expires",
    withStudios(async (rows) => {
      const add = (number: number, more: Row) =>
        force(rows, () =>
          rows.add('public.id_verifications', {
            id: uuid(number),
            user_id: ALEX,
            source: 'staff',
            verification_status: 'verified',
            verified_at: at(-1),
            created_at: at(-1),
            failure_reasons: [],
            expires_at: at(10),
            ...more,
          }),
        );
      const id = async () => (await facts(rows, ALEX, STUDIO)).verification?.['id'] ?? null;
      await add(50, { expires_at: NOW });
      await add(51, { verification_status: 'superseded', expires_at: at(90) });
      await add(52, { user_id: KIM, expires_at: at(90) });
      expect(await id()).toBeNull();
      await add(53, {});
      await add(54, { expires_at: at(20) });
      await add(55, { expires_at: at(15) });
      expect(await id()).toBe(uuid(54));
    }),
  );

  test(
    'contain the entered code, in any case, with its problem for this customer',
    withStudios(async (rows) => {
      expect((await facts(rows, ALEX, STUDIO, 'dance')).coupon).toEqual({
        id: CODE,
        code: 'DANCE',
        discountType: 'fixed',
        discountValue: 10,
        problem: null,
        problemCode: null,
      });
      await rows.query('update public.discount_codes set min_hours = 3 where id = $1', [CODE]);
      expect((await facts(rows, ALEX, STUDIO, 'DANCE')).coupon).toMatchObject({
        problem: expect.stringMatching(/at least 3 hours/),
        problemCode: 'too_few_hours',
      });
      expect((await facts(rows, ALEX, STUDIO, 'NONE')).coupon).toMatchObject({
        id: null,
        problem: 'Invalid coupon code',
        problemCode: 'invalid',
      });
    }),
  );
});

test(
  'own_bookings returns the own bookings, latest first, without holds that were never paid for',
  withStudios(async (rows) => {
    const terms = { code: 'DANCE', discountType: 'fixed', discountValue: 10 };
    const slots = [{ date: '2031-03-01', hour: 21, label: '9 PM', priceCents: 5_900 }];
    const price = { base_cost_cents: 5_900, discount_cents: 1_000, slots };
    await addBooking(rows, 30, { ...price, coupon_id: CODE, coupon_terms: terms, policy: { freeCancelHours: 24 } });
    await addBooking(rows, 31, { status: 'confirmed', slots, ...elsewhere(2) });
    const reasons = ['hold_expired', 'abandoned', 'replaced', 'customer', 'payment_failed'];
    for (const [place, cancel_reason] of reasons.entries())
      await addBooking(rows, 40 + place, { status: 'cancelled', cancel_reason, ...elsewhere(10 + place) });
    await addBooking(rows, 50, { user_id: KIM, ...elsewhere(5) });
    await addBooking(rows, 51, { user_id: null, ...elsewhere(6) });
    const own = () => rows.query<Row & { id: string }>('select * from public.own_bookings()');
    expect(await own()).toEqual([]);
    await rows.setClaims({ role: 'authenticated', sub: ALEX });
    const found = await own();
    expect(found.map(({ id }) => id)).toEqual([uuid(44), uuid(43), uuid(31), uuid(30)]);
    expect(found.at(-1)).toMatchObject({
      final_cost: '49.00',
      coupon_code: 'DANCE',
      coupon_type: 'fixed',
      coupon_value: '10',
      free_cancel_hours: '24',
      base_cost: '59.00',
      volume_discount: '10.00',
      slots,
    });
    expect(found.at(-2)).toMatchObject({ status: 'confirmed', slots: null });
  }),
);

test(
  'next_payment_attempt starts a new attempt once, with a new number and key, while the booking is pending',
  withStudios(async (rows) => {
    await addBooking(rows, 30);
    await addPayment(rows, 30, 'intent');
    await addBooking(rows, 31, { user_id: KIM, ...elsewhere(0) });
    await addPayment(rows, 31, 'intent');
    const next = async (payment = '') =>
      (await rows.value('select private.next_payment_attempt($1, $2, $3)', [payment, NOW, at(31)])) as
        | (Row & { id: string })
        | null;
    const first = await next(uuid(3001));
    expect(first).toMatchObject({
      bookingId: uuid(30),
      attempt: 2,
      kind: 'card',
      state: 'intent',
      key: `create:${uuid(30)}:2`,
      amountCents: 4900,
    });
    const states = () => rows.value(`select string_agg(state, ' ' order by booking_id, attempt) from private.payment`);
    // A repeated call for the old attempt returns the current one.
    expect([(await next(uuid(3001)))?.id, await states()]).toEqual([first?.id, 'expired intent intent']);
    await rows.query(`update private.payment set state = 'open' where attempt = 2`);
    expect([(await next(uuid(3001)))?.id, await states()]).toEqual([first?.id, 'expired open intent']);
    // An open session is kept, and an ended booking has no current attempt.
    expect(await next(first?.id)).toMatchObject({ id: first?.id, attempt: 2 });
    await rows.query(`update private.payment set state = 'expired' where attempt = 2`);
    expect([await next(uuid(3001)), await states()]).toEqual([null, 'expired expired intent']);
    await rows.query(`update private.booking set status = 'cancelled', cancel_reason = 'abandoned' where id = $1`, [
      uuid(31),
    ]);
    expect([await next(uuid(3101)), await next(uuid(9999)), await states()]).toEqual([
      null,
      null,
      'expired expired intent',
    ]);
  }),
);

describe('staff', () => {
  test(
    'are accounts with the role admin, and where a second factor is required, in their own session that has shown one',
    withStudios(async (rows) => {
      await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin'), ($2, 'user')`, [ALEX, KIM]);
      const session = (number: number, user_id: string, aal: string) =>
        force(rows, () =>
          rows.add('auth.sessions', {
            id: uuid(number),
            user_id,
            aal,
            method: 'password',
            amr: [],
            created_at: NOW,
            refreshed_at: NOW,
            rotated_at: [],
          }),
        );
      await session(60, ALEX, 'aal1');
      await session(61, ALEX, 'aal2');
      await session(62, KIM, 'aal2');
      const isStaff = async (sub: string | null, session_id?: string) => {
        await rows.setClaims(sub === null ? null : { role: 'authenticated', sub, session_id });
        return rows.value('select public.is_staff()');
      };
      const each = async () => [
        await isStaff(ALEX, uuid(61)),
        await isStaff(ALEX, uuid(60)),
        await isStaff(ALEX),
        await isStaff(ALEX, uuid(62)),
        await isStaff(KIM, uuid(62)),
        await isStaff(null),
      ];
      expect(await each()).toEqual([true, true, true, true, false, false]);
      await rows.query(`insert into private.settings values ('other', 'true'), ('admin_requires_mfa', 'false')`);
      expect(await each()).toEqual([true, true, true, true, false, false]);
      await rows.query(`update private.settings set value = 'true' where name = 'admin_requires_mfa'`);
      expect(await each()).toEqual([true, false, false, false, false, false]);
      expect(await rows.value('select private.has_admin_role($1)', [ALEX])).toBe(true);
      await rows.query(`update public.user_roles set role = 'user'`);
      expect(await each()).toEqual([false, false, false, false, false, false]);
    }),
  );

  test(
    "search the audit log for entries that contain every word, in the entry or the actor's address; others find nothing",
    withStudios(async (rows) => {
      await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [ALEX]);
      await force(rows, () => rows.query('delete from public.audit_logs'));
      const entry = (number: number, minutes: number, more: Row = {}) =>
        rows.add('public.audit_logs', {
          id: uuid(number),
          created_at: at(minutes),
          action: 'update',
          resource_type: 'booking',
          details: {},
          ...more,
        });
      await entry(70, -5, { details: { note: 'Loud_music' } });
      await entry(71, -5, { actor: KIM });
      await entry(72, -3, { action: 'create', resource_id: 'loudest' });
      await entry(73, -1, { resource_type: 'payment' });
      const search = async (words: string | null, before: string | null = null, id: string | null = null) =>
        (await rows.query<{ id: string }>('select id from public.search_audit_logs($1, $2, $3)', [words, before, id]))
          .map((row) => Number(row.id.slice(-2)))
          .join(' ');
      for (const claims of [null, { role: 'anon' }, { role: 'authenticated', sub: KIM }]) {
        await rows.setClaims(claims);
        expect(await search('')).toBe('');
      }
      for (const claims of [{ role: 'service_role' }, { role: 'authenticated', sub: ALEX }]) {
        await rows.setClaims(claims);
        expect([await search(''), await search(null), await search('  ')]).toEqual(Array(3).fill('73 72 71 70'));
      }
      expect(await search('LOUD')).toBe('72 70');
      expect([await search('loud create'), await search('loud payment')]).toEqual(['72', '']);
      // Pattern characters are matched literally.
      expect([await search('loud_'), await search('l%t'), await search('\\')]).toEqual(['70', '', '']);
      expect([await search('0002@EXAMPLE.com'), await search('0002@example booking'), await search('0001@')]).toEqual([
        '71',
        '71',
        '',
      ]);
      expect([
        await search('', at(-3)),
        await search('', at(-5), uuid(71)),
        await search('', at(-3), uuid(72)),
      ]).toEqual(['71 70', '70', '71 70']);
      expect(await search('loud', at(-3))).toBe('70');
      for (let number = 0; number < 110; number += 1) await entry(1000 + number, -60);
      expect((await search('')).split(' ')).toHaveLength(100);
    }),
  );
});

test(
  'a reference has two groups of four unambiguous letters and digits, and is different each time',
  rolledBack(async ({ query }) => {
    const created = await query<{ name: string }>(
      'select private.new_reference() as name from generate_series(1, 200)',
    );
    const names = created.map(({ name }) => name);
    expect(names.filter((name) => !/^[2-9A-HJKMNP-Z]{4}-[2-9A-HJKMNP-Z]{4}$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(200);
    // All 31 characters occur in 1600 draws.
    expect([...new Set(names.join('').replaceAll('-', ''))].toSorted().join('')).toBe(
      '23456789ABCDEFGHJKMNPQRSTUVWXYZ',
    );
  }),
);

test(
  'refund states rank as pending, requires_action, succeeded, canceled, failed',
  rolledBack(async ({ query }) => {
    const ranked = await query<{ status: string }>(
      `select status from unnest('{failed,canceled,succeeded,requires_action,pending}'::text[]) as status order by private.refund_rank(status)`,
    );
    expect(ranked.map(({ status }) => status)).toEqual([
      'pending',
      'requires_action',
      'succeeded',
      'canceled',
      'failed',
    ]);
  }),
);

describe('an answer of the data API', () => {
  test(
    'passes when it has at most the allowed bytes, and is refused above',
    rolledBack(async (rows) => {
      const whole = (body: string) => rows.value('select rest.limit_response($1, 4)', [body]);
      expect([await whole('abcd'), await whole('éé')]).toEqual(['abcd', 'éé']);
      for (const body of ['abcde', 'ééé']) {
        const refused = await rows.refusal(() => whole(body));
        expect([refused?.code, refused?.message]).toEqual(['PGRST', expect.stringContaining('larger than 4 bytes')]);
      }
    }),
  );

  test(
    'contains at most the allowed rows and bytes in all embedded lists together',
    rolledBack(async (rows) => {
      const part = (count: number, bytes: number, most: number) =>
        rows.value('select rest.limit_list($1::json, $2, $3, $4)', ['[12]', count, bytes, most]);
      const size = Number(await rows.value(`select pg_column_size('[12]'::json)`));
      expect(await part(3, 2 * size, 5)).toEqual([12]);
      expect((await rows.refusal(() => part(3, 2 * size, 5)))?.code).toBe('PGRST');
      expect(await part(2, 2 * size, 5)).toEqual([12]);
      expect((await rows.refusal(() => part(0, 2 * size, 5)))?.code).toBe('PGRST');
      expect(await part(0, 3 * size, 5)).toEqual([12]);
    }),
  );
});

test(
  'a booking of a deleted account keeps its use of a code',
  withStudios(async (rows) => {
    await addPerson(rows, uuid(3));
    await addBooking(rows, 30, { user_id: uuid(3), contact_phone: '0400000000' });
    await addRedemption(rows, 30, { user_id: uuid(3) });
    await rows.query('delete from auth.users where id = $1', [uuid(3)]);
    expect(
      await rows.query(
        `select b.user_id, b.contact_phone, r.state from private.booking b join private.coupon_redemption r on r.booking_id = b.id`,
      ),
    ).toEqual([{ user_id: null, contact_phone: null, state: 'reserved' }]);
  }),
);
