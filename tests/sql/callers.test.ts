import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import {
  addBooking,
  addPayment,
  addPerson,
  addStudiosAndCustomers,
  ALEX,
  at,
  force,
  KIM,
  NOW,
  OTHER_STUDIO,
  readState,
  STUDIO,
  tryOut,
} from './booking-rows.ts';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const STAFF = uuid(3);
const CALLERS = ['guest', 'other', 'owner', 'staff', 'service'] as const;
type Caller = (typeof CALLERS)[number];
const PEOPLE: Partial<Record<Caller, string>> = { other: KIM, owner: ALEX, staff: STAFF };

/** Runs `work` as a caller of the data API and rolls it back. `check` runs before the rollback, as the owner of the tables. */
function as<T>(rows: Rows, caller: Caller, work: () => Promise<T>, check?: () => Promise<unknown>): Promise<unknown> {
  const sub = PEOPLE[caller];
  const role = caller === 'service' ? 'service_role' : sub === undefined ? 'anon' : 'authenticated';
  return tryOut(rows, async () => {
    await rows.setClaims({ role, ...(sub === undefined ? {} : { sub }) });
    await rows.query(`set local role ${role}`);
    try {
      const answer = await work();
      if (!check) return answer;
    } catch (error) {
      return (error as { code?: string }).code;
    }
    await rows.query('set local role none');
    return check();
  });
}
/** Runs the same work as each caller, in the order of CALLERS. */
async function byEach(rows: Rows, work: () => Promise<unknown>, check?: () => Promise<unknown>): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const caller of CALLERS) answers.push(await as(rows, caller, work, check));
  return answers;
}

const elsewhere = (offset: number): Row => ({ start_time: at(1200 + offset * 60), end_time: at(1260 + offset * 60) });
const REFUSED = '42501';

/** Runs a test in which Alex has one row of everything. */
const withStudios = (work: (rows: Rows) => Promise<void>) => (): Promise<void> =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await addPerson(rows, STAFF);
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [STAFF]);
    await rows.query(`insert into private.settings values ('developer_pages', 'true')`);
    await addBooking(rows, 30, { status: 'confirmed' });
    await addPayment(rows, 30, 'paid');
    await work(rows);
  });

test(
  'a guest, another user, the owner, staff and the service see exactly the rows they may',
  withStudios(async (rows) => {
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'user')`, [ALEX]);
    await rows.query(`insert into public.terms_acceptances (user_id, version) values ($1, 'v1')`, [ALEX]);
    await rows.query(`insert into public.booking_drafts (user_id, data) values ($1, '{}')`, [ALEX]);
    await rows.query(`insert into public.mailing_list (email) values ('a@example.com')`);
    await rows.query('update public.studios set active = false where id = $1', [OTHER_STUDIO]);
    await rows.query(
      `insert into public.waitlist_entries (user_id, studio_id, start_time, end_time, created_at) values ($1, $2, now(), now() + interval '1 hour', now())`,
      [ALEX, STUDIO],
    );
    await force(rows, async () => {
      await rows.query('delete from public.audit_logs');
      await rows.query('delete from public.studios where id not in ($1, $2)', [STUDIO, OTHER_STUDIO]);
    });
    await rows.query(`insert into public.audit_logs (actor, action, resource_type) values ($1, 'a', 'b')`, [ALEX]);
    await force(rows, async () => {
      await rows.add('public.id_verifications', {
        id: uuid(50),
        user_id: ALEX,
        source: 'staff',
        verification_status: 'verified',
        failure_reasons: [],
        verified_at: NOW,
        expires_at: '2999-01-01',
        created_at: NOW,
      });
      await rows.add('public.scheduled_emails', {
        id: uuid(51),
        booking_id: uuid(30),
        recipient_email: 'a@example.com',
        email_type: 'access_code',
        status: 'sent',
        scheduled_for: NOW,
        created_at: NOW,
      });
      await rows.add('public.booking_access_codes', {
        id: uuid(52),
        booking_id: uuid(30),
        attempt: 1,
        status: 'issued',
        mode: 'bridge',
        starts_at: at(600),
        ends_at: at(660),
        release_at: at(590),
        created_at: NOW,
      });
    });
    const seen: Record<string, unknown> = {};
    for (const table of Object.keys(SEEN))
      seen[table] = await byEach(rows, async () => Number(await rows.value(`select count(*) from public.${table}`)));
    expect(seen).toEqual(SEEN);
  }),
);
const ONLY_STAFF = [REFUSED, 0, 0, 1, 1];
/** Rows seen by guest, other, owner, staff and service; every account has a profile. */
const SEEN: Readonly<Record<string, readonly unknown[]>> = {
  audit_logs: ONLY_STAFF,
  booking_access_codes: ONLY_STAFF,
  scheduled_emails: ONLY_STAFF,
  booking_drafts: [REFUSED, 0, 1, 0, 1],
  booking_payments: [REFUSED, 0, 1, 1, 1],
  discount_codes: [REFUSED, 0, 0, 2, 2],
  // The database starts with one version of the settings.
  business_settings: [REFUSED, 0, 0, 1, 1],
  id_verifications: [REFUSED, 0, 1, 1, 1],
  user_verifications: [REFUSED, 0, 1, 1, 1],
  mailing_list: [REFUSED, REFUSED, REFUSED, REFUSED, 1],
  staff_permissions: [REFUSED, 0, 0, 1, 1],
  profiles: [REFUSED, 1, 1, 1, 3],
  customer_contacts: [REFUSED, 0, 0, 3, 3],
  customer_identities: [REFUSED, 0, 0, 3, 3],
  staff_names: [REFUSED, 0, 0, 1, 1],
  studios: [1, 1, 1, 1, 2],
  terms_acceptances: [REFUSED, 0, 1, 1, 1],
  user_roles: [REFUSED, 0, 1, 1, 2],
  waitlist_entries: [REFUSED, 0, 1, 1, 1],
};

test(
  'user_verifications shows verified IDs that have not expired, booking_payments shows amounts in dollars',
  withStudios(async (rows) => {
    const add = (number: number, more: Row) =>
      force(rows, () =>
        rows.add('public.id_verifications', {
          id: uuid(number),
          user_id: ALEX,
          source: 'staff',
          verification_status: 'verified',
          failure_reasons: [],
          verified_at: NOW,
          expires_at: '2999-01-01',
          created_at: NOW,
          ...more,
        }),
      );
    await add(50, { verification_status: 'superseded' });
    await add(51, { user_id: KIM, expires_at: '2020-01-01' });
    const verified = () =>
      as(rows, 'staff', () => rows.value(`select string_agg(id::text, ' ') from public.user_verifications`));
    expect(await verified()).toBeNull();
    await add(52, {});
    await add(53, { expires_at: '2998-01-01' });
    expect(await verified()).toBe(uuid(52));
    await addBooking(rows, 31, { user_id: KIM, ...elsewhere(0) });
    await addPayment(rows, 31, 'refunded', { refunded_cents: 1250 });
    expect(
      await as(rows, 'other', () =>
        rows.query('select booking_id, state, amount, refunded from public.booking_payments'),
      ),
    ).toEqual([{ booking_id: uuid(31), state: 'refunded', amount: '49.00', refunded: '12.50' }]);
  }),
);

test(
  'everyone sees when a studio is booked; only the owner, staff and the service see the rest of a booking',
  withStudios(async (rows) => {
    await addBooking(rows, 31, { user_id: null, notes: 'gone', ...elsewhere(0) });
    const grid = `select coalesce(right(id::text, 2), '-') || coalesce(' ' || reference, '') as shown from public.bookings order by start_time`;
    const shown = () => rows.query<{ shown: string }>(grid).then((found) => found.map((row) => row.shown));
    const [open, gone, hidden] = ['30 AAAA-0030', '31 AAAA-0031', '-'];
    expect(await byEach(rows, shown)).toEqual([
      [hidden, hidden],
      [hidden, hidden],
      [open, hidden],
      [open, gone],
      [open, gone],
    ]);
    expect(
      await as(rows, 'guest', () => rows.query('select * from public.bookings where start_time = $1', [at(600)])),
    ).toMatchObject([{ studio_id: STUDIO, status: 'confirmed', user_id: null, final_cost: null, notes: null }]);
  }),
);

describe('writes to public.bookings', () => {
  const update = (rows: Rows, number: number, columns: string) => () =>
    rows.query(`update public.bookings set ${columns} where id = $1`, [uuid(number)]);

  test(
    "the owner may only set 'confirmed' on a confirmed booking, staff may change nothing, the service only notes and the guest's address",
    withStudios(async (rows) => {
      await addBooking(rows, 31, elsewhere(0));
      const state = (number: number) => () => readState(rows, number);
      expect(await byEach(rows, update(rows, 30, `status = 'confirmed'`), state(30))).toEqual([
        REFUSED,
        'confirmed',
        'confirmed',
        REFUSED,
        'confirmed',
      ]);
      expect(await as(rows, 'owner', update(rows, 30, `notes = 'x'`))).toBe(REFUSED);
      expect(await as(rows, 'owner', update(rows, 30, `status = 'cancelled'`))).toBe(REFUSED);
      expect(await as(rows, 'owner', update(rows, 31, `status = 'pending'`))).toBe(REFUSED);
      expect(await as(rows, 'owner', update(rows, 31, `status = 'confirmed'`))).toBe(REFUSED);
      const written = () =>
        rows.query('select status, notes, guest_email as guest from private.booking where id = $1', [uuid(30)]);
      expect(await as(rows, 'service', update(rows, 30, `notes = 'n', guest_email = 'g'`), written)).toEqual([
        { status: 'confirmed', notes: 'n', guest: 'g' },
      ]);
      for (const columns of [`status = 'cancelled'`, `cancel_reason = 'customer'`, `notes = 'test'`, 'final_cost = 0'])
        expect(await as(rows, 'service', update(rows, 30, columns))).toBe('22023');
      expect(await as(rows, 'service', update(rows, 31, `status = 'confirmed'`))).toBe('22023');
    }),
  );

  test(
    'staff may cancel a test booking while the developer pages are on, the service always, and staff change nothing else',
    withStudios(async (rows) => {
      await addBooking(rows, 31, { notes: 'test', ...elsewhere(0) });
      await addBooking(rows, 32, { notes: 'test', status: 'cancelled', cancel_reason: 'test_over', ...elsewhere(1) });
      await addBooking(rows, 33, { notes: 'test', user_id: STAFF, ...elsewhere(2) });
      await addBooking(rows, 34, { notes: 'tested', ...elsewhere(3) });
      const END = `status = 'cancelled'`;
      const after = async () => [
        await readState(rows, 31),
        await readState(rows, 33),
        await rows.value(`select string_agg(kind || ' ' || subject_id, ' ') from private.outbox`),
        await rows.value(
          `select string_agg(resource_id || ' ' || (details ->> 'cancel_reason'), ' ') from public.audit_logs where resource_type = 'booking'`,
        ),
      ];
      const ended = ['cancelled test_over', 'pending', `access.revoke ${uuid(31)}`, `${uuid(31)} test_over`];
      expect(await byEach(rows, update(rows, 31, END), after)).toEqual([
        REFUSED,
        ['pending', 'pending', null, null],
        REFUSED,
        ended,
        ended,
      ]);
      for (const [number, columns] of [
        [31, `${END}, total_hours = 2`],
        [31, `status = 'confirmed'`],
        [31, `notes = 'x'`],
        [32, END],
        [34, END],
        [30, END],
      ] as const)
        expect([number, columns, await as(rows, 'staff', update(rows, number, columns))]).toEqual([
          number,
          columns,
          REFUSED,
        ]);
      await rows.query(`update private.settings set value = 'false' where name = 'developer_pages'`);
      expect(await as(rows, 'staff', update(rows, 31, END))).toBe(REFUSED);
    }),
  );

  test(
    'only the service inserts bookings, and staff insert test bookings while the developer pages are on',
    withStudios(async (rows) => {
      const insert = (more: Row) => () => {
        const values = { studio_id: STUDIO, ...elsewhere(0), ...more };
        const names = Object.keys(values);
        return rows.query(
          `insert into public.bookings (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
          Object.values(values),
        );
      };
      const readCreated = () =>
        rows.query(
          `select user_id, studio_name, status, total_hours::float as hours, base_cost_cents as base, final_cost_cents as final, notes,
             round(extract(epoch from hold_expires_at - now()) / 60)::int as held
           from private.booking where start_time = $1`,
          [elsewhere(0)['start_time']],
        );
      const test = {
        user_id: STAFF,
        studio_name: 'Testing',
        status: 'confirmed',
        hours: 1,
        base: 0,
        final: 0,
        notes: 'test',
        held: null,
      };
      const [none, , , byStaff] = await byEach(rows, insert({ notes: 'test' }), readCreated);
      expect([none, byStaff]).toEqual([REFUSED, [test]]);
      expect(await byEach(rows, insert({}))).toEqual([REFUSED, REFUSED, REFUSED, REFUSED, '23514']);
      expect(await as(rows, 'owner', insert({ notes: 'test' }))).toBe(REFUSED);
      const whole = { status: 'pending', user_id: KIM, total_hours: 2, base_cost: 10.5, notes: 'n' };
      const pending = {
        ...test,
        user_id: KIM,
        status: 'pending',
        hours: 2,
        base: 1050,
        final: 1050,
        notes: 'n',
        held: 15,
      };
      expect(await as(rows, 'service', insert(whole), readCreated)).toEqual([pending]);
      expect(await as(rows, 'service', insert({ ...whole, final_cost: 9 }), readCreated)).toEqual([
        { ...pending, final: 900 },
      ]);
      // The hours are taken, and the studio does not exist.
      expect(await as(rows, 'staff', insert({ notes: 'test', start_time: at(600), end_time: at(660) }))).toBe('23P01');
      expect(await as(rows, 'staff', insert({ notes: 'test', studio_id: uuid(99) }))).toBe('23P01');
      expect(
        await as(rows, 'staff', insert({ notes: 'test' }), () =>
          rows.query(`select actor, action, details from public.audit_logs where resource_type = 'booking'`),
        ),
      ).toEqual([{ actor: STAFF, action: 'create', details: { notes: 'test' } }]);
      await rows.query(`update private.settings set value = 'false' where name = 'developer_pages'`);
      expect(await as(rows, 'staff', insert({ notes: 'test' }))).toBe(REFUSED);
    }),
  );
});

test(
  'only the owner of an ID picture sees, adds and deletes it, in their own folder',
  withStudios(async (rows) => {
    const add = (owner: string, name: string, bucket = 'id-verifications') =>
      rows.query(
        `insert into storage.objects (bucket_id, name, owner, storage_key, content_type, size) values ($1, $2, $3, $4, 'image/jpeg', 1)`,
        [bucket, name, owner, `${bucket}/${name}`],
      );
    await rows.query(`insert into storage.buckets (id, name) values ('others', 'others')`);
    await add(ALEX, `${ALEX}/a.jpg`);
    await add(ALEX, `${ALEX}/b.jpg`, 'others');
    const count = async () => Number(await rows.value('select count(*) from storage.objects'));
    expect(await byEach(rows, count)).toEqual([0, 0, 1, 0, 2]);
    expect(await byEach(rows, () => rows.query('delete from storage.objects'), count)).toEqual([2, 2, 1, 2, 0]);
    expect(await byEach(rows, () => add(ALEX, `${ALEX}/c.jpg`), count)).toEqual([REFUSED, REFUSED, 3, REFUSED, 3]);
    expect(await as(rows, 'owner', () => add(ALEX, `${KIM}/c.jpg`))).toBe(REFUSED);
    expect(await as(rows, 'owner', () => add(KIM, `${ALEX}/c.jpg`))).toBe(REFUSED);
    expect(await as(rows, 'owner', () => add(ALEX, `${ALEX}/c.jpg`, 'others'))).toBe(REFUSED);
  }),
);

test(
  'a permissive policy does not open an owner-only bucket; everyone can read bucket settings',
  withStudios(async (rows) => {
    await rows.query(`insert into storage.buckets (id, name) values ('others', 'others')`);
    await rows.query(
      `create policy "open" on storage.objects for all to anon, authenticated using (true) with check (true)`,
    );
    const add = (bucket: string, owner: string, name: string) =>
      rows.query(
        `insert into storage.objects (bucket_id, name, owner, storage_key, content_type, size) values ($1, $2, $3, $2, 'image/jpeg', 1)`,
        [bucket, name, owner],
      );
    await add('id-verifications', ALEX, 'a');
    await add('others', ALEX, 'b');
    const seen = () => rows.value(`select string_agg(name, ' ' order by name) from storage.objects`);
    expect(await byEach(rows, seen)).toEqual(['b', 'b', 'a b', 'b', 'a b']);
    expect(await byEach(rows, () => add('id-verifications', ALEX, 'c'), seen)).toEqual([
      REFUSED,
      REFUSED,
      'a b c',
      REFUSED,
      'a b c',
    ]);
    expect(await as(rows, 'other', () => add('others', ALEX, 'c'), seen)).toBe('a b c');
    const settings = (bucket: string) => () =>
      rows.value(`select string_agg(id || ' ' || owner_only, ' ') from storage.bucket_by_id($1)`, [bucket]);
    expect(await byEach(rows, settings('others'))).toEqual(Array(5).fill('others false'));
    expect(await as(rows, 'guest', settings('id-verifications'))).toBe('id-verifications true');
    expect(await as(rows, 'guest', settings('none'))).toBeNull();
    expect(await as(rows, 'guest', () => rows.value('select storage.owner_only_buckets()'))).toEqual([
      'id-verifications',
    ]);
  }),
);

test(
  'only staff and the service may request a mail about a booking, and staff may not mark it as sent',
  withStudios(async (rows) => {
    const mail = (status: string) => () =>
      rows.query(
        `insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for) values ($1, '', 'access_code', $2, $3)`,
        [uuid(30), status, NOW],
      );
    expect((await byEach(rows, mail('pending'))).map((outcome) => outcome === REFUSED)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(await as(rows, 'staff', mail('sent'))).toBe(REFUSED);
  }),
);

test(
  'only staff and the service create and change codes, and staff may not change the counter of uses',
  withStudios(async (rows) => {
    const make = () =>
      rows.query(`insert into public.discount_codes (code, discount_type, discount_value) values ('NEW', 'fixed', 5)`);
    const update = (columns: string) => () => rows.query(`update public.discount_codes set ${columns}`);
    const countCreated = () =>
      rows.value(`select count(*) from public.discount_codes where code = 'NEW' or not active`);
    expect(await byEach(rows, make, countCreated)).toEqual([REFUSED, REFUSED, REFUSED, 1, 1]);
    expect(await byEach(rows, update('active = false'), countCreated)).toEqual([REFUSED, 0, 0, 2, 2]);
    expect(await as(rows, 'staff', update('current_uses = 0'))).toBe(REFUSED);
  }),
);
