/** Runs one statement. */
type Run = (text: string, values?: readonly unknown[]) => Promise<{ readonly rows: readonly object[] }>;

/** Returns the id of the account with this number, among those that `fillRelated` makes. */
export const accountId = (number: number): string => `0ac00000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

/**
 * Amounts of rows. Each block of 100,000 bookings belongs to a different part of the accounts, so that a day has the same number of
 * customers however long the past is.
 */
export type Amounts = {
  readonly bookings: number;
  readonly studios: number;
  readonly accounts: number;
  /** Number of cancelled bookings in ten. Default: one. */
  readonly cancelled?: number;
  /** Hours from the start of a booking to the start of the next in its room. Default: one, without a gap. */
  readonly hoursApart?: number;
  /** How many hours into the future bookings reach. Default: as far as into the past, at most two weeks. */
  readonly hoursAhead?: number;
};

/** Number of bookings that belong to one part of the accounts. */
const BLOCK = 100_000;
const createId = (prefix: string): string => `('${prefix}-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
const ACCOUNT = createId('0ac00000').replace('(n)', '(n % $2::int)');
/** The account of a booking. $2 is the number of accounts that share the bookings of a block. */
const CUSTOMER = createId('0ac00000').replace('(n)', `(n / ${BLOCK} * $2::int + n % $2::int)`);

/**
 * Runs `fill` for a table without its triggers and indexes, and then creates the indexes, which is much faster than updating them for each
 * row. The indexes of keys and unique constraints stay; they cost little, because most rows arrive in their order. Needs a superuser.
 */
async function fillTable(run: Run, table: string, fill: () => Promise<unknown>): Promise<void> {
  const { rows } = await run(
    `select format('drop index %s', i.indexrelid::regclass) as remove, pg_get_indexdef(i.indexrelid) as add
     from pg_index i where i.indrelid = $1::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
     union all
     select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname),
       format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
     from pg_constraint c where c.conrelid = $1::regclass and c.contype = 'x'`,
    [table],
  );
  const indexes = rows.flatMap((row) => ('remove' in row && 'add' in row ? [row] : []));
  await run('set session_replication_role = replica');
  for (const { remove } of indexes) await run(String(remove));
  await fill();
  for (const { add } of indexes) await run(String(add));
  await run('reset session_replication_role');
  await run(`vacuum analyze ${table}`);
}

/**
 * Fills every studio with one-hour bookings, from the past into the future. With gaps, the same number of bookings starts every hour. Needs
 * a superuser.
 */
export async function fillBookings(
  run: Run,
  { bookings, studios, accounts, cancelled = 1, hoursApart = 1, hoursAhead }: Amounts,
): Promise<void> {
  const customers = Math.ceil((accounts * Math.min(bookings, BLOCK)) / bookings);
  const ahead = hoursAhead ?? Math.min(336, Math.floor((bookings * hoursApart) / studios / 2));
  await run(
    `insert into public.studios (name, hourly_rate) select 'Room ' || lpad(n::text, 5, '0'), 49
     from generate_series(1, $1::int - (select count(*)::int from public.studios)) n`,
    [studios],
  );
  await run('analyze public.studios');
  await fillTable(run, 'private.booking', () =>
    run(
      `insert into private.booking (id, reference, user_id, studio_id, studio_name, start_time, end_time, status, cancel_reason, total_hours,
         base_cost_cents, final_cost_cents, created_at, confirmed_at, cancelled_at, guest_name, guest_email)
       select ${createId('b0000000')}, upper(lpad(to_hex(n / 65536), 4, '0') || '-' || lpad(to_hex(n % 65536), 4, '0')), case when n % 50 <> 27 then ${CUSTOMER} end, s.id, s.name,
         l.last - (n / $3::int) * $5::int * interval '1 hour' - s.at % $5::int * interval '1 hour',
         l.last - (n / $3::int) * $5::int * interval '1 hour' - (s.at % $5::int - 1) * interval '1 hour',
         case when n % 10 < $4::int then 'cancelled' else 'confirmed' end, case when n % 10 < $4::int then 'customer' end, 1, 4900, 4900,
         now() - n * interval '20 seconds', now() - n * interval '20 seconds', case when n % 10 < $4::int then now() end,
         case when n % 50 = 27 then 'Guest ' || n end, case when n % 50 = 27 then 'guest' || n || '@example.com' end
       from (select date_trunc('hour', now()) + ($6::int - 1) * interval '1 hour' as last) l
       cross join generate_series(0, $1::int - 1) n
       join (select id, name, row_number() over (order by name) - 1 as at from public.studios) s on s.at = n % $3::int`,
      [bookings, customers, studios, cancelled, hoursApart, ahead],
    ),
  );
}

/** The tables that `fillRelated` fills: accounts, and the tables that grow with bookings. */
export const RELATED = [
  'auth.users',
  'public.profiles',
  'auth.sessions',
  'public.id_verifications',
  'public.terms_acceptances',
  'private.closure',
  'private.closed_span',
  'public.mailing_list',
  'private.campaign_recipient',
  'private.customer_note',
  'private.customer_message',
  'private.payment',
  'private.refund',
  'private.outbox',
  'public.booking_access_codes',
  'public.scheduled_emails',
  'private.lock_event',
  'private.staff_code',
  'private.incident',
  'private.webhook_inbox',
  'public.audit_logs',
] as const;
type Related = (typeof RELATED)[number];

const OF_ACCOUNTS: readonly Related[] = RELATED.slice(0, 11);

/**
 * Fills accounts with profile, session and ID check, as many closures as accounts, and for each booking a payment and its other rows. Fills
 * the given tables, or all of them.
 */
export async function fillRelated(
  run: Run,
  { bookings, accounts, studios }: Pick<Amounts, 'bookings' | 'accounts' | 'studios'>,
  tables: readonly Related[] = RELATED,
): Promise<void> {
  for (const table of tables) {
    const [columns, values] = VALUES[table];
    const perTen = RARE.includes(table) ? 1 : 10;
    const most = table === 'private.webhook_inbox' ? EVENTS_MAX : bookings;
    const count = OF_ACCOUNTS.includes(table) ? accounts : Math.min((bookings * perTen) / 10, most);
    await fillTable(run, table, () =>
      run(
        `insert into ${table} (${columns}) select ${values} from generate_series(0, $1::int - 1) n where $2::int is not null and $3::int is not null`,
        [count, accounts, Math.max(30, 900 / studios)],
      ),
    );
  }
}

/** Tables with one row for ten bookings. */
const RARE: readonly Related[] = ['private.refund', 'private.staff_code', 'private.incident'];
/** Maximum number of events, which are kept for five weeks only. */
const EVENTS_MAX = 1_000_000;
const [OF_ACCOUNT, OF_BOOKING] = [createId('0ac00000'), createId('b0000000')];
/**
 * The room that has all closures: one hour a day, from two months ahead into the past, so that at every size the same number lies in the
 * future.
 */
const CLOSED_STUDIO = '5a000000-0000-4000-8000-00000000000a';
const CLOSED = `now() + interval '60 days' - n * interval '1 day', now() + interval '60 days 1 hour' - n * interval '1 day'`;
const CAMPAIGN = '0ca00000-0000-4000-8000-000000000001';
const EMAIL = `'person' || n || '@example.com'`;
/** The columns and the values of row `n`. */
const VALUES: Readonly<Record<Related, readonly [string, string]>> = {
  'auth.users': [
    'id, email, email_confirmed_at, created_at',
    `${OF_ACCOUNT}, ${EMAIL}, now(), now() - n * interval '1 minute'`,
  ],
  'public.profiles': ['id, user_id, full_name, email', `${OF_ACCOUNT}, ${OF_ACCOUNT}, 'Person ' || n, ${EMAIL}`],
  'auth.sessions': ['user_id, created_at, refreshed_at, method', `${OF_ACCOUNT}, now(), now(), 'password'`],
  'public.id_verifications': [
    'user_id, source, verification_status, verified_at, expires_at',
    `${OF_ACCOUNT}, 'staff', 'verified', now(), now() + interval '2 years'`,
  ],
  'public.terms_acceptances': ['user_id, version', `${OF_ACCOUNT}, '2025-10'`],
  'private.closure': ['id, start_time, end_time, reason', `${OF_ACCOUNT}, ${CLOSED}, 'cleaning'`],
  'private.closed_span': [
    'closure_id, studio_id, start_time, end_time',
    `${OF_ACCOUNT}, '${CLOSED_STUDIO}', ${CLOSED}`,
  ],
  'public.mailing_list': ['id, email', `${OF_ACCOUNT}, ${EMAIL}`],
  'private.campaign_recipient': [
    'campaign_id, subscription_id, outcome, decided_at',
    `'${CAMPAIGN}', ${OF_ACCOUNT}, 'sent', now()`,
  ],
  'private.customer_note': ['id, user_id, note, made_by', `${OF_ACCOUNT}, ${OF_ACCOUNT}, 'Note', ${OF_ACCOUNT}`],
  'private.customer_message': [
    'id, user_id, subject, body, made_by, created_at',
    `${OF_ACCOUNT}, ${OF_ACCOUNT}, 'Subject', 'Body', ${OF_ACCOUNT}, now()`,
  ],
  'private.payment': [
    'booking_id, attempt, kind, state, key, session_id, payment_intent_id, amount_cents, paid_cents, paid_at, checked_at',
    `${OF_BOOKING}, 1, 'card', 'paid', 'create:' || n, 'cs_' || n, 'pi_' || n, 4900, 4900, now() - n * $3::int * interval '1 second', now()`,
  ],
  // Refunds refer to payments that do not exist, because payments have their own ids.
  'private.refund': [
    'id, payment_id, amount_cents, status, ours, created_at',
    `'re_' || n, ${OF_BOOKING}, 100, 'succeeded', true, now() - n * interval '20 minutes'`,
  ],
  'private.outbox': ['kind, subject_id, due_at, done_at', `'mail.confirmed', ${OF_BOOKING}, now(), now()`],
  'public.booking_access_codes': [
    'booking_id, attempt, status, mode, starts_at, ends_at, release_at, created_at',
    `${OF_BOOKING}, 1, 'revoked', 'bridge', now() - interval '2 hours', now() - interval '1 hour', now() - interval '2 hours', now() - n * interval '1 minute'`,
  ],
  'public.scheduled_emails': [
    'booking_id, recipient_email, email_type, status, scheduled_for, sent_at',
    `${OF_BOOKING}, ${EMAIL}, 'access_code', 'sent', now(), now()`,
  ],
  // These are the locks of the sandbox.
  'private.lock_event': [
    'lock_id, kind, at',
    `(array['SPA1X0001', 'SPB1X0002', 'SPC1X0003'])[1 + n % 3], 'from_inside', now() - n * interval '20 minutes'`,
  ],
  'private.staff_code': [
    'studio_id, lock_id, name, status, starts_at, ends_at, variant, made_by, request_id, created_at',
    `'${CLOSED_STUDIO}', 'lock-0', 'Painter', 'revoked', now() - n * interval '1 hour', now() - (n - 1) * interval '1 hour', 0, ${ACCOUNT}, 'request' || n, now()`,
  ],
  'private.incident': [
    'studio_id, description, state, created_at',
    `'${CLOSED_STUDIO}', 'A broken lamp', 'done', now() - n * interval '20 minutes'`,
  ],
  'private.webhook_inbox': [
    'provider, event_id, type, object_id, received_at, handled_at',
    `'stripe', 'evt_' || n, 'checkout.session.completed', 'cs_' || n, now() - n * interval '1 second', now() - n * interval '1 second'`,
  ],
  'public.audit_logs': [
    'created_at, actor, action, resource_type, resource_id, details',
    `now() - n * interval '1 minute', ${ACCOUNT}, (array['create', 'update', 'delete'])[1 + n % 3], 'booking', md5(n::text)::uuid::text, jsonb_build_object('note', 'entry' || n || '.')`,
  ],
};
