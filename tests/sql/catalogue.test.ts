import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRows, type TestRows } from '#tests/support/rows.ts';

const SCHEMAS = `('auth', 'storage', 'private', 'public', 'rest')`;
const CALLERS = ['anon', 'authenticated', 'service_role'];

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

test('every table except the records of migrations and code has row level security enabled and forced', () =>
  database.rolledBack(async ({ query }) => {
    expect(
      await query(
        `select c.oid::regclass::text as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity) order by 1`,
      ),
    ).toEqual(['private.code_object', 'private.migrations'].map((name) => ({ name, enabled: false, forced: false })));
  }));

/** The callers that may execute each function. Trigger functions and functions for the server only are omitted. */
const EXECUTABLE: Readonly<Record<string, string>> = {
  'rest.limit_list': 'anon authenticated service_role',
  'rest.limit_response': 'anon authenticated service_role',
  'auth.email': 'anon authenticated service_role',
  'auth.jwt': 'anon authenticated service_role',
  'auth.role': 'anon authenticated service_role',
  'auth.uid': 'anon authenticated service_role',
  'private.is_plain': 'anon authenticated service_role',
  'private.may_read_audit_log': 'authenticated',
  'public.add_booking_note': 'authenticated service_role',
  'public.booking_crew': 'authenticated service_role',
  'public.booking_details': 'authenticated service_role',
  'public.bookings_of_day': 'authenticated service_role',
  'public.business_numbers': 'authenticated service_role',
  'public.calendar_feeds': 'authenticated service_role',
  'public.close_job': 'authenticated service_role',
  'public.developer_pages_open': 'anon authenticated service_role',
  'public.free_hours': 'authenticated service_role',
  'public.add_customer_note': 'authenticated service_role',
  'public.campaigns': 'authenticated service_role',
  'public.customer_messages': 'authenticated service_role',
  'public.customer_notes': 'authenticated service_role',
  'public.mailing_list_counts': 'authenticated service_role',
  'public.remove_from_mailing_list': 'authenticated service_role',
  'public.search_mailing_list': 'authenticated service_role',
  'public.discount_code_results': 'authenticated service_role',
  'public.gift_batches': 'authenticated service_role',
  'public.make_gift_codes': 'authenticated service_role',
  'public.set_gift_batch_active': 'authenticated service_role',
  'public.has_permission': 'anon authenticated service_role',
  'public.staff_rights': 'authenticated service_role',
  'public.is_staff': 'anon authenticated service_role',
  'public.lacks_second_factor': 'authenticated service_role',
  'public.keep_blocked_booking': 'authenticated service_role',
  'public.ledger_check': 'authenticated service_role',
  'public.leave_mailing_list': 'anon authenticated service_role',
  'public.mark_no_show': 'authenticated service_role',
  'public.newest_bookings': 'authenticated service_role',
  'public.may_add_report_photo': 'authenticated service_role',
  'public.order_of_booking': 'authenticated service_role',
  'public.own_booking': 'authenticated service_role',
  'public.own_feedback': 'authenticated service_role',
  'public.own_bookings': 'authenticated service_role',
  'public.retry_job': 'authenticated service_role',
  'public.search_audit_logs': 'authenticated service_role',
  'public.search_customers': 'authenticated service_role',
  'public.search_guest_bookings': 'authenticated service_role',
  'public.second_factor_rules': 'authenticated service_role',
  'public.send_mail_again': 'authenticated service_role',
  'public.site_settings': 'anon authenticated service_role',
  'public.site_texts': 'anon authenticated service_role',
  'public.staff_rooms': 'authenticated service_role',
  'public.staff_alerts': 'authenticated service_role',
  'public.staff_calendar': 'authenticated service_role',
  'public.staff_ratings': 'authenticated service_role',
  'public.staff_team': 'authenticated service_role',
  'public.upcoming_bookings': 'authenticated service_role',
  'public.waiting_moves': 'authenticated service_role',
  'public.validate_discount_code': 'anon authenticated service_role',
  'public.waiting_reviews': 'authenticated service_role',
  'storage.bucket_by_id': 'anon authenticated service_role',
  'storage.object_metadata': 'anon authenticated service_role',
  'storage.extension': 'anon authenticated service_role',
  'storage.filename': 'anon authenticated service_role',
  'storage.foldername': 'anon authenticated service_role',
  'storage.owner_only_buckets': 'anon authenticated service_role',
};

test('callers may execute exactly the listed functions, and only the response limits are granted to everyone', () =>
  database.rolledBack(async ({ query }) => {
    const found = await query<{ name: string; roles: string }>(
      `select n.nspname || '.' || p.proname as name, string_agg(r.role, ' ' order by r.role) as roles
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace cross join unnest($1::text[]) as r (role)
       where n.nspname in ${SCHEMAS} and has_function_privilege(r.role, p.oid, 'execute') group by 1 order by 1`,
      [CALLERS],
    );
    expect(Object.fromEntries(found.map((row) => [row.name, row.roles]))).toEqual(EXECUTABLE);
    expect(
      await query(
        `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
         where n.nspname in ${SCHEMAS}
           and (p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE')) order by 1`,
      ),
    ).toEqual([{ name: 'rest.limit_list(json,bigint,bigint,bigint)' }, { name: 'rest.limit_response(text,bigint)' }]);
  }));

// PostgreSQL 15 cannot read an unlogged sequence on a standby that became the primary: "bad magic number in sequence".
test('no sequence is unlogged, those of unlogged tables included', () =>
  database.rolledBack(async ({ query }) => {
    expect(await query(`select relname from pg_class where relkind = 'S' and relpersistence = 'u'`)).toEqual([]);
  }));

test('a function created later is not executable by callers', () =>
  database.rolledBack(async ({ query, value }) => {
    await query('create function private.made_later() returns integer language sql as $$ select 1 $$');
    await query('create function public.made_later() returns integer language sql as $$ select 1 $$');
    for (const schema of ['private', 'public'])
      for (const role of ['anon', 'authenticated'])
        expect(await value(`select has_function_privilege($1, $2, 'execute')`, [role, `${schema}.made_later()`])).toBe(
          false,
        );
  }));

test('callers may use only the schemas of the data API, and create nothing in any', () =>
  database.rolledBack(async ({ query }) => {
    const found = await query<{ name: string; usage: string | null; make: boolean }>(
      `select n.nspname as name,
         string_agg(r.role, ' ' order by r.role) filter (where has_schema_privilege(r.role, n.oid, 'usage')) as usage,
         bool_or(has_schema_privilege(r.role, n.oid, 'create')) as make
       from pg_namespace n cross join unnest($1::text[]) as r (role)
       where n.nspname in ${SCHEMAS} group by 1 order by 1`,
      [[...CALLERS, 'booking_reader']],
    );
    const callers = 'anon authenticated service_role';
    expect(found).toEqual([
      { name: 'auth', usage: 'anon authenticated booking_reader service_role', make: false },
      { name: 'private', usage: 'booking_reader', make: false },
      { name: 'public', usage: 'anon authenticated booking_reader service_role', make: false },
      // This is granted to every role that a token may name.
      { name: 'rest', usage: 'anon authenticated booking_reader service_role', make: false },
      { name: 'storage', usage: callers, make: false },
    ]);
    expect(
      await query(
        `select n.nspname as name from pg_namespace n, aclexplode(n.nspacl) a where n.nspname in ${SCHEMAS} and a.grantee = 0`,
      ),
    ).toEqual([{ name: 'rest' }]);
  }));

test('every function except the two response limits has an empty search_path, or a body that was bound when it was created', () =>
  database.rolledBack(async ({ query }) => {
    expect(
      await query(
        `select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
         where n.nspname in ${SCHEMAS} and not coalesce(p.proconfig, '{}') @> array['search_path=""'] and p.prosqlbody is null order by 1`,
      ),
    ).toEqual([{ name: 'rest.limit_list' }, { name: 'rest.limit_response' }]);
  }));

/** The table privileges of each role. Column privileges are tested by the policy matrix. */
const RIGHTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'private.visible_booking': {},
  'public.audit_logs': { authenticated: 'SELECT', service_role: 'SELECT' },
  'public.booking_payments': { authenticated: 'SELECT', service_role: 'SELECT', backend: 'SELECT' },
  'public.bookings': {
    anon: 'SELECT',
    authenticated: 'INSERT SELECT UPDATE',
    service_role: 'DELETE INSERT SELECT TRUNCATE UPDATE',
    backend: 'SELECT',
  },
};

test.each(Object.entries(RIGHTS))('%s grants callers exactly the listed privileges', (name, rights) =>
  database.rolledBack(async ({ query }) => {
    const found = await query<{ role: string; rights: string }>(
      `select r.role, string_agg(p.right, ' ' order by p.right) as rights
       from unnest('{anon,authenticated,service_role,backend}'::text[]) as r (role)
       cross join unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) as p ("right")
       where has_table_privilege(r.role, $1, p.right) group by 1`,
      [name],
    );
    const actual = Object.fromEntries(found.map((row) => [row.role, row.rights]));
    for (const role of CALLERS) expect([role, actual[role] ?? '']).toEqual([role, rights[role] ?? '']);
    if (name.startsWith('private.')) expect(actual['backend'] ?? '').toBe('');
  }),
);

/** For each partial index, a query that only an index with this condition can serve. */
const QUERIES: readonly (readonly [index: string, statement: string])[] = [
  [
    'booking_by_guest',
    `select from private.booking where user_id is null and guest_email = 'guest@example.com' and start_time < now()`,
  ],
  [
    'booking_guest_newest',
    `select id from private.booking where user_id is null and waitlist_entry_id is null and moves_booking is null order by start_time desc, id limit 50`,
  ],
  [
    'booking_guest_search',
    `select id from private.booking where user_id is null and waitlist_entry_id is null and moves_booking is null
       and lower((coalesce(guest_name, '') || ' ' || coalesce(guest_email, '') || ' ' || coalesce(contact_phone, '')) collate "und-x-icu") like '%quartz%'`,
  ],
  [
    'booking_sold_hours',
    `select end_time from private.booking where start_time < now() and status = 'confirmed' and notes is distinct from 'test'`,
  ],
  [
    'booking_by_coupon',
    `select from private.booking where coupon_id = gen_random_uuid() and coupon_id is not null and status = 'confirmed'`,
  ],
  ['access_code_used', `select from public.booking_access_codes where used_at is not null order by used_at desc`],
  ['access_code_valid', `select from public.booking_access_codes where status = 'issued' and ends_at > now()`],
  ['booking_claims', 'select from private.booking where waitlist_entry_id = gen_random_uuid()'],
  [
    'booking_early_by_user',
    `select from private.booking where user_id = gen_random_uuid() and early and created_at > now() - interval '1 day'`,
  ],
  [
    'booking_early_by_studio',
    `select from private.booking where studio_id = gen_random_uuid() and early and created_at > now() - interval '1 hour'`,
  ],
  ['booking_expiring', `select from private.booking where status = 'pending' and hold_expires_at < now()`],
  ['booking_name_until', `select from private.booking where name_until < now()::date`],
  [
    'booking_running',
    `select id from private.booking where start_time > now() - interval '25 hours' and start_time <= now() and end_time > now() and status <> 'cancelled'`,
  ],
  ['booking_move_holds', `select from private.booking where moves_booking = gen_random_uuid() and status = 'pending'`],
  [
    'coupon_redemption_by_coupon',
    `select from private.coupon_redemption where coupon_id = gen_random_uuid() and state <> 'returned'`,
  ],
  [
    'coupon_redemption_by_user',
    `select from private.coupon_redemption where user_id = gen_random_uuid() and state <> 'returned'`,
  ],
  ['closure_endless', 'select from private.closure where endless and reopened_at is null order by id'],
  ['crew_code_used', 'select from private.crew_code where used_at is not null order by used_at desc'],
  ['crew_code_valid', `select from private.crew_code where status = 'issued' and ends_at > now()`],
  [
    'id_verifications_waiting',
    `select from public.id_verifications where verification_status = 'review' order by created_at`,
  ],
  [
    'incident_report_open',
    `select from private.incident where kind in ('problem', 'lost') and state = 'open' order by created_at limit 10`,
  ],
  ['one_time_tokens_by_phone', `select from auth.one_time_tokens where phone = '61400000000'`],
  [
    'outbox_open',
    `select from private.outbox where kind = 'k' and due_at < now() and done_at is null and closed_at is null`,
  ],
  ['outbox_mails_by_subject', `select from private.outbox where subject_id = gen_random_uuid() and kind like 'mail.%'`],
  [
    'outbox_recipient',
    `select from private.outbox where kind = any ('{k}') and recipient = any ('{a@example.com,61400000000}'::text[]) and done_at is null`,
  ],
  [
    'outbox_refused',
    `select from private.outbox where done_at is null and closed_at is null and kind like 'mail.%' and last_error ~ '^mail: smtp_5[15]' order by created_at`,
  ],
  [
    'outbox_to_notify',
    'select from private.outbox where (alerted_at is not null or closed_at is not null) and done_at is null order by created_at limit 10',
  ],
  ['payment_by_intent', `select from private.payment where payment_intent_id = 'pi'`],
  ['payment_paid_cents', `select sum(paid_cents) from private.payment where paid_at >= now() and paid_cents > 0`],
  ['payment_paid', `select from private.payment where paid_at >= now() order by paid_at, id`],
  [
    'payment_unwon_dispute',
    `select from private.payment where booking_id = gen_random_uuid() and dispute_status in ('open', 'lost')`,
  ],
  ['dispute_by_win', `select from private.dispute where won_at >= now() and won_at < now()`],
  ['payment_shares', 'select from private.payment where share_of = gen_random_uuid()'],
  [
    'payment_to_check',
    `select from private.payment where checked_at < now() and state in ('processing', 'refund_pending', 'refund_failed', 'disputed')`,
  ],
  [
    'payment_to_refund',
    `select from private.payment where updated_at < now() and state in ('refund_pending', 'refund_failed')`,
  ],
  ['shown_secret_held', 'select from private.shown_secret where shown_to = gen_random_uuid() and lost_at is null'],
  ['shown_secret_lost', 'select from private.shown_secret where lost_at < now()'],
  ['users_email_change', `select from auth.users where email_change = 'a@example.com'`],
  ['users_phone_change', `select from auth.users where phone_change = '61400000000'`],
  [
    'waitlist_entries_waiting',
    `select from public.waitlist_entries where studio_id = gen_random_uuid() and state = 'waiting'
       and tstzrange(start_time, end_time, '[)') && tstzrange(now(), now(), '[]')`,
  ],
  ['webhook_inbox_handled', 'select from private.webhook_inbox where handled_at < now()'],
  ['webhook_inbox_waiting', 'select from private.webhook_inbox where next_try_at < now() and handled_at is null'],
];

test.each(QUERIES)('the index %s can serve its query', (index, statement) =>
  database.rolledBack(async ({ query }) => {
    // Marks every other index of the table invalid, so that the plan shows whether this one is usable.
    await query('set local enable_seqscan = off');
    await query(
      `update pg_index i set indisvalid = false from pg_index mine join pg_class c on c.oid = mine.indexrelid
       where c.relname = $1 and i.indrelid = mine.indrelid and i.indexrelid <> mine.indexrelid`,
      [index],
    );
    const plan = await query(`explain ${statement}`);
    expect(JSON.stringify(plan)).toContain(index);
  }),
);

test('every partial index that is not unique has a query in the list', () =>
  database.rolledBack(async ({ query }) => {
    const found = await query<{ name: string }>(
      `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ${SCHEMAS} and i.indpred is not null and not i.indisunique and not i.indisexclusion order by 1`,
    );
    const named = QUERIES.map(([index]) => index);
    expect(found.map((row) => row.name)).toEqual(named.toSorted());
  }));
