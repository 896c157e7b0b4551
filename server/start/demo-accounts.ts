import type { Database, Transaction, Queryable } from '#server/db/database.ts';

export type DemoAccount = { readonly title: string; readonly email: string; readonly password: string };

/** Accounts for trying the product. They exist only together with the sandbox; their passwords are public. */
export const demoAccounts: readonly DemoAccount[] = [
  { title: 'Demo customer', email: 'customer@example.com', password: 'demo-customer-1' },
  { title: 'Demo admin', email: 'admin@example.com', password: 'demo-admin-1' },
];
/** The email domain of the customers that `npm run demo` creates. */
export const DEMO_DOMAIN = 'customers.example.com';
/** LIKE patterns that match the addresses of demo accounts. */
const EMAILS = [...demoAccounts.map(({ email }) => email), `%@${DEMO_DOMAIN}`];

/** Formats account names for a sentence; of more than two, only the first two are named. */
export function nameAccounts([first = '', second = '', ...others]: readonly string[]): string {
  return others.length === 0
    ? [first, second].filter(Boolean).join(' and ')
    : `${first}, ${second} and ${others.length} more`;
}

/** Returns the addresses of the demo accounts that exist in this database. */
export async function findDemoAccounts(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>(
    'select email from auth.users where email like any($1::text[]) and deleted_at is null order by email',
    [EMAILS],
  );
  return rows.map(({ email }) => email);
}

export type DemoRemoval = {
  readonly accounts: readonly string[];
  readonly bookings: number;
  /** Bookings paid with real money. They are kept for the books, without a customer. */
  readonly kept: number;
};

/**
 * Removes the demo accounts and their data: sessions, roles, ID checks, files, drafts, unfinished jobs, and bookings with payments and
 * codes. A booking with a live payment stays, without its customer. Idempotent.
 */
export function removeDemoAccounts(db: Database): Promise<DemoRemoval> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; email: string }>(
      'select id, email from auth.users where email like any($1::text[]) and deleted_at is null order by email for update',
      [EMAILS],
    );
    const userIds = rows.map(({ id }) => id);
    const bookings = await simulatedBookings(tx, userIds);
    const references = await referencesTo(tx, 'private.booking');
    await removeJobs(tx, userIds, bookings);
    await returnCouponUses(tx, bookings);
    await removeReferring(tx, references, 'id = any($1::uuid[])', bookings);
    await tx.query('delete from private.booking where id = any($1::uuid[])', [bookings]);
    const kept = await tx.query(
      'update private.booking set user_id = null, contact_phone = null, guest_email = null, guest_name = null, notes = null where user_id = any($1::uuid[])',
      [userIds],
    );
    await removeFiles(tx, userIds);
    await tx.query('delete from public.mailing_list where email like any($1::text[])', [EMAILS]);
    // Sessions, identities, factors, codes, profile, role, terms and ID checks are deleted with the account.
    await tx.query('delete from auth.users where id = any($1::uuid[])', [userIds]);
    await tx.query(`delete from private.settings where name = 'demo'`);
    return { accounts: rows.map(({ email }) => email), bookings: bookings.length, kept: kept.count };
  });
}

/** Returns the bookings of these accounts that have no live payment. */
async function simulatedBookings(tx: Transaction, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select b.id from private.booking b where b.user_id = any($1::uuid[])
     and not exists (select from private.payment p where p.booking_id = b.id and p.session_id like 'cs\\_live\\_%')`,
    [userIds],
  );
  return rows.map(({ id }) => id);
}

/** Removes unfinished jobs: they would send email to addresses without an owner, or ask a provider about sandbox data. */
async function removeJobs(tx: Transaction, userIds: readonly string[], bookings: readonly string[]): Promise<void> {
  await tx.query(
    `delete from private.outbox o where o.subject_id = any($1::uuid[]) or o.subject_id = any($2::uuid[])
       or o.subject_id in (select p.id from private.payment p where p.booking_id = any($2::uuid[]))
       or o.subject_id in (select a.id from public.booking_access_codes a where a.booking_id = any($2::uuid[]))
       or o.subject_id in (select v.id from public.id_verifications v where v.user_id = any($1::uuid[]))`,
    [userIds, bookings],
  );
}

/** Removes the rows of the accounts' files and queues their ID pictures for deletion; the server's next cleanup deletes the bytes. */
async function removeFiles(tx: Transaction, userIds: readonly string[]): Promise<void> {
  await tx.query(
    `insert into storage.deletion_queue (storage_key) select image_path from public.id_verifications
     where user_id = any($1::uuid[]) and image_path is not null on conflict do nothing`,
    [userIds],
  );
  await tx.query('delete from storage.objects where owner = any($1::uuid[])', [userIds]);
  await tx.query('delete from storage.uploads where owner = any($1::uuid[])', [userIds]);
}

/** Gives back the coupon uses of these bookings. */
async function returnCouponUses(tx: Transaction, bookings: readonly string[]): Promise<void> {
  await tx.query(
    `update public.discount_codes d set current_uses = greatest(0, d.current_uses - r.units)
     from (select coupon_id, count(*)::int as units from private.coupon_redemption
           where booking_id = any($1::uuid[]) and state <> 'returned' group by coupon_id) r
     where d.id = r.coupon_id`,
    [bookings],
  );
}

type Reference = {
  readonly child: string;
  readonly column: string;
  readonly parent: string;
  readonly parentColumn: string;
};

/**
 * Finds the foreign keys that prevent rows of `table` from being deleted and, recursively, those that refer to the referring tables. Names
 * are quoted for SQL.
 */
async function referencesTo(tx: Transaction, table: string): Promise<Map<string, Reference[]>> {
  const { rows } = await tx.query<Reference>(
    `with recursive found as (
       select k.oid, k.conrelid, k.confrelid, k.conkey, k.confkey from pg_catalog.pg_constraint k
       where k.contype = 'f' and k.confdeltype in ('a', 'r') and k.confrelid = $1::regclass
       union
       select k.oid, k.conrelid, k.confrelid, k.conkey, k.confkey from pg_catalog.pg_constraint k
       join found f on k.confrelid = f.conrelid where k.contype = 'f' and k.confdeltype in ('a', 'r')
     )
     select f.conrelid::regclass::text as child, quote_ident(c.attname) as "column", f.confrelid::regclass::text as parent,
       quote_ident(p.attname) as "parentColumn"
     from found f
     join pg_catalog.pg_attribute c on c.attrelid = f.conrelid and c.attnum = f.conkey[1]
     join pg_catalog.pg_attribute p on p.attrelid = f.confrelid and p.attnum = f.confkey[1]`,
    [table],
  );
  return Map.groupBy(rows, ({ parent }) => parent);
}

/** Deletes the rows that refer to the rows of `parent` that match `where`, deepest first. */
async function removeReferring(
  tx: Transaction,
  references: ReadonlyMap<string, readonly Reference[]>,
  where: string,
  ids: readonly string[],
  parent = 'private.booking',
): Promise<void> {
  for (const { child, column, parentColumn } of references.get(parent) ?? []) {
    if (child === parent) continue;
    const rows = `${column} in (select ${parentColumn} from ${parent} where ${where})`;
    await removeReferring(tx, references, rows, ids, child);
    await tx.query(`delete from ${child} where ${rows}`, [ids]);
  }
}
