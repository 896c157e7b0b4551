import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRows, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import {
  addBooking,
  addPerson,
  addStudiosAndCustomers,
  ALEX,
  at,
  force,
  KIM,
  NOW,
  OTHER_STUDIO,
} from './booking-rows.ts';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const STAFF = { role: 'authenticated', sub: ALEX };
const OTHERS = [null, { role: 'anon' }, { role: 'authenticated', sub: KIM }] as const;

const asStaff = (work: (rows: Rows) => Promise<void>) => (): Promise<void> =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [ALEX]);
    await work(rows);
  });
const numbers = (found: readonly { readonly id: string }[]): string =>
  found.map((row) => Number(row.id.slice(-2))).join(' ');
const hours = (from: number, to: number) => ({ start_time: at(from * 60), end_time: at(to * 60) });

test(
  'upcoming_bookings returns live bookings that have not ended, earliest first and then by studio, to staff only',
  asStaff(async (rows) => {
    await addBooking(rows, 30, { status: 'confirmed', ...hours(-5, -3) });
    await addBooking(rows, 31, { status: 'confirmed', ...hours(-2, 1) });
    await addBooking(rows, 32, { status: 'cancelled', cancel_reason: 'staff', ...hours(-1, 2) });
    await addBooking(rows, 33, { status: 'confirmed', studio_id: OTHER_STUDIO, studio_name: 'Other', ...hours(-1, 0) });
    await addBooking(rows, 34, { user_id: KIM, ...hours(3, 4) });
    await addBooking(rows, 35, { status: 'confirmed', studio_id: OTHER_STUDIO, studio_name: 'Other', ...hours(3, 4) });
    await addBooking(rows, 36, { status: 'confirmed', ...hours(1, 2) });
    await addBooking(rows, 37, { status: 'cancelled', cancel_reason: 'staff', ...hours(5, 6) });
    const upcoming = (most: number | null = 100) =>
      rows.query<{ id: string; contact_phone: string | null }>('select * from public.upcoming_bookings($1, $2)', [
        NOW,
        most,
      ]);
    for (const claims of OTHERS) {
      await rows.setClaims(claims);
      expect(await upcoming()).toEqual([]);
    }
    for (const claims of [STAFF, { role: 'service_role' }]) {
      await rows.setClaims(claims);
      expect(numbers(await upcoming())).toBe('31 36 35 34');
      expect([numbers(await upcoming(2)), numbers(await upcoming(null))]).toEqual(['31 36', '31 36 35 34']);
    }
  }),
);

test(
  'a booking that runs stays upcoming while a hold for its longer hours runs too',
  asStaff(async (rows) => {
    await addBooking(rows, 30, { status: 'confirmed', ...hours(-2, 1) });
    await addBooking(rows, 31, { user_id: null, moves_booking: uuid(30), move_number: 1, ...hours(-1, 2) });
    await rows.setClaims({ role: 'service_role' });
    const ids = async (call: string): Promise<string> =>
      numbers(await rows.query<{ id: string }>(`select id from ${call} order by start_time`, [NOW]));
    expect(await ids('public.upcoming_bookings($1, 100)')).toBe('30 31');
    expect(await ids('private.running_bookings($1)')).toBe('30 31');
    expect(await ids(`private.running_bookings($1, '${OTHER_STUDIO}')`)).toBe('');
  }),
);

test(
  'an address that is written up to its @ finds the addresses that begin so, and without one those that contain it',
  asStaff(async (rows) => {
    for (const email of ['alex@example.com', 'not.alex@example.com', 'kim@example.com'])
      await rows.query('insert into public.mailing_list (email) values ($1)', [email]);
    await rows.setClaims({ role: 'service_role' });
    const found = async (words: string): Promise<string[]> =>
      (
        await rows.query<{ email: string }>('select email from public.search_mailing_list($1) order by email', [words])
      ).map(({ email }) => email);
    expect(await found('ALEX@')).toEqual(['alex@example.com']);
    expect(await found('.alex@')).toEqual(['not.alex@example.com']);
    expect(await found('lex@e')).toEqual(['alex@example.com', 'not.alex@example.com']);
    expect(await found('alex')).toEqual(['alex@example.com', 'not.alex@example.com']);
    expect(await found('@example')).toHaveLength(3);
  }),
);

test(
  'newest_bookings returns the bookings made last, of any state, to staff only',
  asStaff(async (rows) => {
    await addBooking(rows, 30, { created_at: at(-5), status: 'cancelled', cancel_reason: 'staff' });
    await addBooking(rows, 31, { created_at: at(-3), user_id: KIM, ...hours(30, 31) });
    await addBooking(rows, 32, { created_at: at(-4), status: 'confirmed', ...hours(32, 33) });
    const newest = (most = 100) => rows.query<{ id: string }>('select * from public.newest_bookings($1)', [most]);
    for (const claims of OTHERS) {
      await rows.setClaims(claims);
      expect(await newest()).toEqual([]);
    }
    await rows.setClaims(STAFF);
    expect([numbers(await newest()), numbers(await newest(1))]).toEqual(['31 32 30', '31']);
  }),
);

/** Adds log entries, one per second, with the last at NOW. */
const addEntries = (rows: Rows, count: number, action: string): Promise<unknown> =>
  rows.query(
    `insert into public.audit_logs (created_at, action, resource_type)
     select $1::timestamptz - n * interval '1 second', $2 || '-' || n, 'booking' from generate_series(0, $3::int - 1) n`,
    [NOW, action, count],
  );
const search = async (rows: Rows, words: string, before: string | null = null): Promise<string[]> =>
  (await rows.query<{ action: string }>('select action from public.search_audit_logs($1, $2)', [words, before])).map(
    (row) => row.action,
  );

test(
  'an id or a reference is looked for as a whole word first, whatever its case, and as a part of one when no entry or more than 200 hold it',
  asStaff(async (rows) => {
    await force(rows, () => rows.query('delete from public.audit_logs'));
    const entry = (action: string, values: object) =>
      rows.add('public.audit_logs', { action, resource_type: 'booking', ...values });
    await entry('in details', { details: { booking: 'ab12-cd34' }, created_at: at(-1) });
    await entry('as resource', { resource_id: 'AB12-CD34', created_at: at(-2) });
    await entry('longer', { resource_id: 'ab12-cd345', created_at: at(-3) });
    await entry('by somebody', { actor: KIM, created_at: at(-4) });
    await entry('payment', { details: { intent: 'pi_3AbC90', cents: 490_000 }, created_at: at(-5) });
    await rows.setClaims(STAFF);
    expect(await search(rows, 'Ab12-cd34')).toEqual(['in details', 'as resource']);
    expect(await search(rows, 'ab12-cd34 details')).toEqual(['in details']);
    expect(await search(rows, 'b12-cd34')).toEqual(['in details', 'as resource', 'longer']);
    expect([await search(rows, KIM), await search(rows, 'pi_3abc90'), await search(rows, '490000')]).toEqual([
      ['by somebody'],
      ['payment'],
      ['payment'],
    ]);
    await rows.query(
      `insert into public.audit_logs (action, resource_type, resource_id, created_at) select 'many', 'booking', 'ab12-cd34', $1 from generate_series(1, 199)`,
      [at(-6)],
    );
    const found = await search(rows, 'ab12-cd34');
    expect([found.length, found.filter((action) => action === 'many').length]).toEqual([100, 97]);
  }),
);

test(
  'a word of two letters is looked for in the newest ten thousand entries before the given time',
  asStaff(async (rows) => {
    await force(rows, () => rows.query('delete from public.audit_logs'));
    await addEntries(rows, 10_010, 'log');
    await rows.setClaims(STAFF);
    const only = (n: number) => `g-${n}`;
    expect(await search(rows, `-9 ${only(9_999)}`)).toEqual(['log-9999']);
    expect(await search(rows, `-1 ${only(10_005)}`)).toEqual([]);
    expect(await search(rows, `-1 ${only(10_005)}`, at(-1))).toEqual(['log-10005']);
    // A longer word is found anywhere in the text.
    expect(await search(rows, 'g-10005')).toEqual(['log-10005']);
  }),
);

test(
  'an address is found by its beginning, and by any part when none begins so',
  asStaff(async (rows) => {
    await force(rows, () => rows.query('delete from public.audit_logs'));
    for (const [number, email, action] of [
      [1_000, 'kim.lee@example.com', 'begins'],
      [1_001, 'not.kim.lee@example.com', 'contains'],
    ] as const) {
      await addPerson(rows, uuid(number), { email });
      await rows.add('public.audit_logs', { actor: uuid(number), action, resource_type: 'x' });
    }
    await rows.setClaims(STAFF);
    expect(await search(rows, 'kim.lee@example')).toEqual(['begins']);
    expect((await search(rows, 'lee@example')).toSorted()).toEqual(['begins', 'contains']);
  }),
);

test(
  'a word of more than a thousand addresses, and one of two letters, still find the entries of these people',
  asStaff(async (rows) => {
    await force(rows, () => rows.query('delete from public.audit_logs'));
    for (let person = 1_000; person < 2_010; person += 1) await addPerson(rows, uuid(person));
    await rows.add('public.audit_logs', { id: uuid(70), actor: uuid(1_500), action: 'create', resource_type: 'x' });
    await rows.add('public.audit_logs', { id: uuid(71), action: 'create', resource_type: 'x' });
    await rows.setClaims(STAFF);
    const found = async (words: string) =>
      numbers(await rows.query<{ id: string }>('select id from public.search_audit_logs($1)', [words]));
    expect([await found('@example.com'), await found('@e'), await found('@example create')]).toEqual([
      '70',
      '70',
      '70',
    ]);
    expect(await found('@z')).toBe('');
  }),
);
