/** Runs one statement. */
type Run = (text: string, values?: readonly unknown[]) => Promise<unknown>;

/** The account with this number, of those that `fillEverything` makes. */
export const accountId = (number: number): string => `0ac00000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

/** How much to make. Bookings belong to the accounts in turns. */
export type Amounts = { readonly bookings: number; readonly studios: number; readonly accounts: number };
/** Tables that grow with bookings get at most so many rows: the newest bookings have a payment, a job and a code. */
const RELATED_MAX = 1_000_000;

const idOf = (prefix: string): string => `('${prefix}-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
const ACCOUNT = idOf('0ac00000').replace('(n)', '(n % $3::int)');

async function fillStudios(run: Run, studios: number): Promise<void> {
  await run(
    `insert into public.studios (name, hourly_rate) select 'Room ' || lpad(n::text, 5, '0'), 49
     from generate_series(1, $1::int - (select count(*)::int from public.studios)) n`,
    [studios],
  );
}

/**
 * Fills every studio with one-hour bookings without a gap, from the past into the future: half of them are over, or all but two weeks. One
 * in ten is cancelled. Without triggers; the exclusion constraint is built once at the end. Needs a superuser.
 */
export async function fillBookings(run: Run, { bookings, studios, accounts }: Amounts): Promise<void> {
  await fillStudios(run, studios);
  await run('set session_replication_role = replica');
  await run('alter table private.booking drop constraint booking_one_per_slot');
  await run(
    `insert into private.booking (id, reference, user_id, studio_id, studio_name, start_time, end_time, status, cancel_reason, total_hours,
       base_cost_cents, final_cost_cents, created_at, confirmed_at, cancelled_at)
     select ${idOf('b0000000')}, upper(lpad(to_hex(n / 65536), 4, '0') || '-' || lpad(to_hex(n % 65536), 4, '0')), ${ACCOUNT}, s.id, s.name,
       l.last - (n / $2::int + 1) * interval '1 hour', l.last - (n / $2::int) * interval '1 hour',
       case when n % 10 = 3 then 'cancelled' else 'confirmed' end, case when n % 10 = 3 then 'customer' end, 1, 4900, 4900,
       now() - n * interval '20 seconds', now() - n * interval '20 seconds', case when n % 10 = 3 then now() end
     from (select date_trunc('hour', now()) + least(336, $1::int / $2::int / 2) * interval '1 hour' as last) l
     cross join generate_series(0, $1::int - 1) n
     join (select id, name, row_number() over (order by name) - 1 as at from public.studios) s on s.at = n % $2::int`,
    [bookings, studios, accounts],
  );
  await run(
    `alter table private.booking add constraint booking_one_per_slot exclude using gist (studio_id with =, during with &&) where (status in ('pending', 'confirmed'))`,
  );
  await run('reset session_replication_role');
  await run('vacuum analyze private.booking');
}

/** Fills the tables that grow with bookings: accounts with profile, session and ID check, payments, jobs, codes and log entries. */
export async function fillRelated(run: Run, { bookings, accounts }: Amounts): Promise<void> {
  const related = Math.min(bookings, RELATED_MAX);
  await run('set session_replication_role = replica');
  for (const text of OF_ACCOUNTS) await run(text, [accounts]);
  for (const text of OF_BOOKINGS) await run(text, [related]);
  await run(LOG, [related, accounts]);
  await run('reset session_replication_role');
  await run('vacuum analyze');
}

const EMAIL = `'person' || n || '@example.com'`;
const OF_ACCOUNTS = [
  `insert into auth.users (id, email, email_confirmed_at, created_at) select ${idOf('0ac00000')}, ${EMAIL}, now(), now() - n * interval '1 minute'
   from generate_series(0, $1::int - 1) n`,
  `insert into public.profiles (id, user_id, full_name, email) select ${idOf('0ac00000')}, ${idOf('0ac00000')}, 'Person ' || n, ${EMAIL}
   from generate_series(0, $1::int - 1) n`,
  `insert into auth.sessions (user_id, created_at, refreshed_at, method) select ${idOf('0ac00000')}, now(), now(), 'password' from generate_series(0, $1::int - 1) n`,
  `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at)
   select ${idOf('0ac00000')}, 'staff', 'verified', now(), now() + interval '2 years' from generate_series(0, $1::int - 1) n`,
  `insert into public.terms_acceptances (user_id, version) select ${idOf('0ac00000')}, '2025-10' from generate_series(0, $1::int - 1) n`,
];
const OF_BOOKINGS = [
  `insert into private.payment (booking_id, attempt, kind, state, key, session_id, payment_intent_id, amount_cents, paid_cents, paid_at, checked_at)
   select ${idOf('b0000000')}, 1, 'card', 'paid', 'create:' || n, 'cs_' || n, 'pi_' || n, 4900, 4900, now(), now() from generate_series(0, $1::int - 1) n`,
  `insert into private.outbox (kind, subject_id, due_at, done_at) select 'mail.confirmed', ${idOf('b0000000')}, now(), now() from generate_series(0, $1::int - 1) n`,
  `insert into public.booking_access_codes (booking_id, attempt, status, mode, starts_at, ends_at, release_at, created_at)
   select ${idOf('b0000000')}, 1, 'revoked', 'bridge', now() - interval '2 hours', now() - interval '1 hour', now() - interval '2 hours', now() - n * interval '1 minute'
   from generate_series(0, $1::int - 1) n`,
];
const LOG = `insert into public.audit_logs (created_at, actor, action, resource_type, resource_id, details)
   select now() - n * interval '1 minute', ${idOf('0ac00000').replace('(n)', '(n % $2::int)')}, (array['create', 'update', 'delete'])[1 + n % 3], 'booking', ${idOf('b0000000')}::text,
     jsonb_build_object('note', 'entry' || n) from generate_series(0, $1::int - 1) n`;
