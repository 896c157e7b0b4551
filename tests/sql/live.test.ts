import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRows, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import { addBooking, addPayment, addStudiosAndCustomers, ALEX, at, OTHER_STUDIO, STUDIO } from './booking-rows.ts';

/** Tests triggers that publish changes to pages and servers. */
let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const rolledBack = (work: (rows: Rows) => Promise<void>) => (): Promise<void> => database.rolledBack(work);

/** Returns the messages sent in this transaction, without their ids. */
const sent = async ({ query }: Rows): Promise<[topic: string, ...unknown[]][]> =>
  (
    await query<{ topic: string; event: string; private: boolean; payload: object }>(
      `select topic, event, private, payload - 'id' as payload from realtime.messages order by topic, event, (payload - 'id')::text`,
    )
  ).map(({ topic, event, private: isPrivate, payload }) => [topic, event, isPrivate, payload]);

test(
  'publish_booking sends hours to everybody, a booking to its account and every booking to staff, only when these change',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await addBooking(rows, 3);
    await rows.query(`update private.booking set notes = 'x'`);
    expect(await sent(rows)).toEqual([]);
    await rows.query(
      `update private.booking set status = 'cancelled', cancel_reason = 'abandoned', cancelled_at = $1::timestamptz`,
      [at(0)],
    );
    const hours = {
      studio_id: STUDIO,
      start_time: expect.any(String),
      end_time: expect.any(String),
      status: 'cancelled',
    };
    const booking = { booking_id: uuid(3), status: 'cancelled' };
    expect(await sent(rows)).toEqual([
      ['staff', 'booking', true, booking],
      [`studio:${STUDIO}`, 'hours', false, hours],
      [`user:${ALEX}`, 'booking', true, booking],
    ]);
  }),
);

test(
  'the hold of new hours and its payment tell the account of the booking that moves',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await addBooking(rows, 3, { status: 'confirmed' });
    const hours = { start_time: at(600), end_time: at(660), hold_expires_at: at(15) };
    await addBooking(rows, 4, { user_id: null, moves_booking: uuid(3), move_number: 1, ...hours });
    await addPayment(rows, 4, 'open');
    await rows.query(`delete from realtime.messages`);
    await rows.query(`update private.payment set state = 'expired'`);
    await rows.query(`update private.booking set status = 'cancelled', cancel_reason = 'hold_expired' where id = $1`, [
      uuid(4),
    ]);
    const toAccount = (await sent(rows)).filter(([topic]) => topic.startsWith('user:'));
    expect(toAccount).toEqual([
      [`user:${ALEX}`, 'booking', true, { booking_id: uuid(3), status: 'confirmed' }],
      [`user:${ALEX}`, 'payment', true, { booking_id: uuid(3) }],
    ]);
  }),
);

test(
  'publish_booking also sends the old hours of a booking that moves, as cancelled',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await addBooking(rows, 3);
    await rows.query('alter table private.booking disable trigger booking_transition');
    await rows.query('update private.booking set studio_id = $1', [OTHER_STUDIO]);
    const hours = await rows.query<{ topic: string; status: string }>(
      `select topic, payload ->> 'status' as status from realtime.messages where event = 'hours' order by topic`,
    );
    expect(hours).toEqual([
      { topic: `studio:${STUDIO}`, status: 'cancelled' },
      { topic: `studio:${OTHER_STUDIO}`, status: 'pending' },
    ]);
  }),
);

test(
  'publish_closure tells staff, and closed and reopened hours reach everybody',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    const closure = { id: uuid(7), start_time: at(3), end_time: at(4), reason: 'New mixer' };
    await rows.add('private.closure', closure);
    const { id: _, reason: __, ...times } = closure;
    await rows.add('private.closed_span', { closure_id: uuid(7), studio_id: STUDIO, ...times });
    const hours = { studio_id: STUDIO, start_time: expect.any(String), end_time: expect.any(String) };
    const closed = [`studio:${STUDIO}`, 'hours', false, { ...hours, status: 'closed' }];
    expect(await sent(rows)).toEqual([['staff', 'closure', true, { closure_id: uuid(7) }], closed]);
    await rows.query('delete from private.closed_span');
    const reopened = await sent(rows);
    expect(reopened).toHaveLength(3);
    expect(reopened).toContainEqual([`studio:${STUDIO}`, 'hours', false, { ...hours, status: 'cancelled' }]);
  }),
);

test(
  'reopening one week of a closure tells staff',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    const hours = {
      studioId: STUDIO,
      startTime: at(60),
      endTime: at(120),
      weeks: 2,
      reason: 'New mixer',
      public: false,
    };
    await rows.query('select private.close_hours($1::jsonb, $2::uuid, $3)', [hours, ALEX, at(0)]);
    const toStaff = async () => (await sent(rows)).filter(([topic]) => topic === 'staff');
    expect(await toStaff()).toHaveLength(1);
    await rows.query(
      'select private.reopen_hours(c.id, $1::timestamptz, false, $2::uuid, $3::timestamptz) from private.closure c',
      [at(60), ALEX, at(0)],
    );
    expect((await toStaff()).map(([, event]) => event)).toEqual(['closure', 'closure']);
  }),
);

test(
  'a change of prices tells staff, and a repeated one does not',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    const change = { studioId: STUDIO, firstDay: '2031-03-05', lastDay: '2031-03-06' };
    const set = (prices: unknown) =>
      rows.query('select private.set_special_days($1::jsonb, $2::uuid, $3)', [{ ...change, prices }, ALEX, at(0)]);
    const days = { name: 'Festival', hourCents: Array.from({ length: 24 }, () => 9_000) };
    const event = ['staff', 'prices', true, { studio_id: STUDIO }];
    await set(days);
    await set(days);
    expect(await sent(rows)).toEqual([event]);
    await set(null);
    expect(await sent(rows)).toEqual([event, event]);
  }),
);

test(
  'publish_review tells staff that an ID waits and that it is decided, and nothing of other IDs',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    const add = (status: string) =>
      rows.query(
        `insert into public.id_verifications (user_id, source, verification_status) values ($1, 'photo', $2)`,
        [ALEX, status],
      );
    const toStaff = async () => (await sent(rows)).filter(([topic]) => topic === 'staff');
    const event = ['staff', 'review', true, {}];
    await add('failed');
    await rows.query('update public.id_verifications set is_expired = true');
    expect(await toStaff()).toEqual([]);
    await add('review');
    expect(await toStaff()).toEqual([event]);
    await rows.query(`update public.id_verifications set verification_status = 'failed'`);
    expect(await toStaff()).toEqual([event, event]);
    await add('review');
    await rows.query('delete from public.id_verifications');
    expect(await toStaff()).toEqual([event, event, event, event]);
    await rows.query(`insert into private.second_factor_rule values ('money')`);
    expect(await toStaff()).toHaveLength(5);
    await rows.query(
      `insert into private.ledger_check (month, started_by, started_at) values ('2031-03-01', $1, now())`,
      [ALEX],
    );
    expect((await sent(rows)).filter(([, name]) => name === 'ledger')).toEqual([['staff', 'ledger', true, {}]]);
  }),
);

test(
  'publish_dispute and a lock that is lost, found or low tell staff',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await addBooking(rows, 30, {});
    await addPayment(rows, 30, 'open', {});
    const toStaff = async () => (await sent(rows)).filter(([topic]) => topic === 'staff').map(([, event]) => event);
    const before = (await toStaff()).length;
    const fresh = async () => (await toStaff()).slice(before);
    await rows.query(
      `insert into private.dispute (id, payment_id, status, provider_status, needs_response, amount_cents, opened_at)
       values ('d', $1, 'open', 'needs_response', true, 1, $2)`,
      [uuid(3001), at(0)],
    );
    expect(await fresh()).toEqual(['disputes']);
    const record = (online: boolean, battery: number) =>
      rows.query('select private.record_lock_state($1, $2, $3, $4, 20, $5)', [STUDIO, 'lock', online, battery, at(0)]);
    await record(true, 50);
    await record(true, 49);
    expect(await fresh()).toHaveLength(1);
    await record(false, 49);
    await record(false, 49);
    await record(true, 49);
    await record(true, 20);
    await record(true, 19);
    expect((await fresh()).slice(1)).toEqual(['locks', 'locks', 'locks', 'locks']);
  }),
);

test(
  'publish_payment sends the account only the booking of a payment whose state or refunds change',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await addBooking(rows, 3);
    await addPayment(rows, 3, 'paid');
    await rows.query('update private.payment set updated_at = $1::timestamptz', [at(1)]);
    expect(await sent(rows)).toEqual([]);
    await rows.query('update private.payment set refunded_cents = 1000');
    const event = [`user:${ALEX}`, 'payment', true, { booking_id: uuid(3) }];
    expect(await sent(rows)).toEqual([event]);
    await rows.query(`update private.payment set state = 'refund_pending'`);
    expect(await sent(rows)).toEqual([event, event]);
  }),
);

test(
  'publish_verification and publish_access_code send the account, and staff, an event without its content',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await addBooking(rows, 3);
    await rows.query(
      `insert into public.id_verifications (user_id, source, verification_status) values ($1, 'photo', 'review')`,
      [ALEX],
    );
    await rows.query(
      `insert into public.booking_access_codes (booking_id, attempt, mode, starts_at, ends_at, release_at)
       values ($1, 1, 'bridge', $2::timestamptz, $3::timestamptz, $2::timestamptz)`,
      [uuid(3), at(600), at(660)],
    );
    expect(await sent(rows)).toEqual([
      ['staff', 'access', true, { booking_id: uuid(3) }],
      ['staff', 'review', true, {}],
      [`user:${ALEX}`, 'access', true, { booking_id: uuid(3) }],
      [`user:${ALEX}`, 'verification', true, {}],
    ]);
  }),
);

test(
  'publish_session sends the account an event for every sign-in and every end of a session, not for a refreshed token',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    const session = [`user:${ALEX}`, 'session', true, {}];
    await rows.query(
      `insert into auth.sessions (id, user_id, created_at, refreshed_at, method) values ($1, $2, $3::timestamptz, $3::timestamptz, 'password')`,
      [uuid(7), ALEX, at(0)],
    );
    await rows.query('update auth.sessions set generation = 1, refreshed_at = $1::timestamptz', [at(1)]);
    expect(await sent(rows)).toEqual([session]);
    await rows.query('delete from auth.sessions');
    expect(await sent(rows)).toEqual([session, session]);
  }),
);

test(
  'messages_sent puts a message into the outbox while a process listens, unless it was sent before it was stored',
  rolledBack(async (rows) => {
    const count = (): Promise<unknown> => rows.value('select count(*)::int from realtime.outbox');
    await rows.query(`select realtime.send('{}', 'e', 't', true)`);
    expect(await count()).toBe(0);
    await rows.query(
      `insert into realtime.table_subscription (relation, process, until) values ('realtime.messages'::regclass, $1, now() + interval '1 minute')`,
      [uuid(9)],
    );
    await rows.query(`select realtime.send('{}', 'e', 't', true)`);
    await rows.query(
      `insert into realtime.messages (topic, extension, event, payload, skip_broadcast) values ('t', 'broadcast', 'e', '{}', true)`,
    );
    expect(await count()).toBe(1);
  }),
);

test(
  'capture writes the changes of a table down until its flag ends, and longer only while a server reads by itself',
  rolledBack(async (rows) => {
    const readersAwake = (milliseconds: number): Promise<unknown> =>
      rows.query(
        `select setval('realtime.readers_awake', (extract(epoch from clock_timestamp()) * 1000)::bigint + $1::int)`,
        [milliseconds],
      );
    const subscribe = (lifetime: string): Promise<unknown> =>
      rows.query(`select realtime.subscribe_to_tables($1, array['public.captured'::regclass::oid], $2::interval)`, [
        uuid(9),
        lifetime,
      ]);
    const insert = (): Promise<unknown> => rows.query('insert into public.captured values (default)');
    const captured = (): Promise<unknown> => rows.value('select count(*)::int from realtime.outbox');
    await addPublishedTable(rows);
    await insert();
    expect(await captured()).toBe(0);
    await readersAwake(-1_000);
    await subscribe('-1 minute');
    await insert();
    expect(await captured()).toBe(0);
    await readersAwake(60_000);
    await insert();
    expect(await captured()).toBe(1);
    await readersAwake(-1_000);
    await subscribe('1 minute');
    await insert();
    expect(await captured()).toBe(2);
  }),
);

test.each(['UTC', 'Etc/UTC', 'Australia/Sydney'])(
  'capture writes times in UTC for a writer in the time zone %s',
  (timezone) =>
    database.rolledBack(async (rows) => {
      await addPublishedTable(rows);
      await rows.query(
        `select realtime.subscribe_to_tables($1, array['public.captured'::regclass::oid], interval '1 minute')`,
        [uuid(9)],
      );
      await rows.query(`select set_config('timezone', $1, true)`, [timezone]);
      await rows.query('insert into public.captured values (default)');
      await rows.query(`update public.captured set at = at + interval '1 hour'`);
      await rows.query('delete from public.captured');
      const [first, later] = ['2031-01-01T00:00:00+00:00', '2031-01-01T01:00:00+00:00'];
      expect(
        await rows.query(
          `select operation, record ->> 'at' as record, old_record ->> 'at' as old from realtime.outbox order by id`,
        ),
      ).toEqual([
        { operation: 'I', record: first, old: null },
        { operation: 'U', record: later, old: first },
        { operation: 'D', record: null, old: later },
      ]);
    }),
);

test(
  'writers need not notify until the first server stops reading by itself; with no server left they need not at all',
  rolledBack(async (rows) => {
    const announce = (server: number, awake: string | null): Promise<unknown> =>
      rows.query('select realtime.announce_reader($1, $2::interval)', [uuid(server), awake]);
    const remove = (server: number): Promise<unknown> =>
      rows.query('select realtime.remove_readers($1)', [uuid(server)]);
    /** Returns for how many seconds all servers keep polling the outbox, to the nearest ten. */
    const awake = async (): Promise<number> => {
      const seconds = await rows.value(
        `select round((last_value / 1000 - extract(epoch from clock_timestamp())) / 10)::float8 * 10 from realtime.readers_awake`,
      );
      return Number(seconds);
    };
    await announce(1, '10 minutes');
    expect(await awake()).toBe(600);
    await announce(2, '5 minutes');
    expect(await awake()).toBe(300);
    await announce(2, null);
    expect(await awake()).toBeLessThan(0);
    await remove(2);
    expect(await awake()).toBe(600);
    await remove(1);
    expect(await awake()).toBeGreaterThan(1e9);
  }),
);

/** Adds a table to the publication that has a time in each row. */
async function addPublishedTable({ query }: Rows): Promise<void> {
  await query(`create table public.captured (at timestamptz default '2031-01-01T00:00:00Z')`);
  await query('alter table public.captured replica identity full');
  await query('alter publication supabase_realtime add table public.captured');
  await query('select realtime.sync_publication()');
}

test(
  'publish_waitlist tells the account what became of its entry, and nobody else',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await rows.query(
      `insert into public.waitlist_entries (id, user_id, studio_id, start_time, end_time, created_at)
       values ($1, $2, $3, now(), now() + interval '1 hour', now())`,
      [uuid(60), ALEX, STUDIO],
    );
    await rows.query(`update public.waitlist_entries set state = 'left'`);
    const createEvent = (state: string) => [`user:${ALEX}`, 'waitlist', true, { entry_id: uuid(60), state }];
    expect(await sent(rows)).toEqual([createEvent('left'), createEvent('waiting')]);
  }),
);

test(
  'publish_team, publish_invitation, publish_factor_rule and publish_ledger tell staff what to read again, without naming anybody',
  rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    const event = ['staff', 'team', true, {}];
    const toStaff = async () => (await sent(rows)).filter(([, name]) => name === 'team');
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [ALEX]);
    expect(await toStaff()).toEqual([event]);
    await rows.query(
      `insert into private.staff_invitation (email, permissions, token_hash, invited_by, created_at, expires_at)
       values ('sam@example.com', '{money}', decode(repeat('aa', 32), 'hex'), $1, now(), now())`,
      [ALEX],
    );
    expect(await toStaff()).toEqual([event, event]);
    await rows.query('delete from public.user_roles where user_id = $1', [ALEX]);
    // Both the permission and the invitation sent by its owner are gone.
    expect(await toStaff()).toEqual([event, event, event, event]);
  }),
);
