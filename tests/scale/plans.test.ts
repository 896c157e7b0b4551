import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '#tests/support/postgres.ts';
import {
  checkout,
  type Customer,
  span,
  startTestServer,
  STUDIO_A,
  STUDIO_B,
  type TestServer,
} from '#tests/support/test-server.ts';
import { accountId, fillBookings, fillRelated } from './many-rows.ts';
import { type ProductQuery, productQueries, type Sender } from './product-queries.ts';

/**
 * Checks the plans of the product's queries on a large database (docs/scale.md): no query and no job may read a large table from beginning
 * to end. PostgreSQL counts the rows read that way per table.
 */
const AMOUNTS = {
  bookings: 100_000,
  // The server adds two more.
  studios: 1_198,
  accounts: 20_000,
  hoursApart: 4,
  hoursAhead: 48,
  // The constraint against overlapping bookings takes longest to build, and it skips cancelled ones, so eight of ten are cancelled.
  cancelled: 8,
};
/** Number of payments, jobs, codes, events and log entries: enough for PostgreSQL to prefer an index. */
const RELATED_ROWS = 20_000;
const LARGE = [
  'private.booking',
  'private.payment',
  'private.refund',
  'private.closed_span',
  'private.outbox',
  'private.webhook_inbox',
  'private.lock_event',
  'private.staff_code',
  'private.incident',
  'private.customer_note',
  'private.customer_message',
  'private.campaign_recipient',
  'public.mailing_list',
  'public.scheduled_emails',
  'public.audit_logs',
  'public.booking_access_codes',
  'public.id_verifications',
  'public.profiles',
  'public.terms_acceptances',
  'auth.sessions',
  'auth.users',
] as const;

const postgresUrl = process.env['TEST_POSTGRES_URL'];
let database: TestDatabase;
let owner: pg.Client;
let server: TestServer;
let customer: Customer;
let staff: Customer;
let closed: Promise<void> | undefined;

beforeAll(async () => {
  const created = await createMigratedDatabase();
  if (!created) return;
  database = created;
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const run = (text: string, values?: readonly unknown[]) => owner.query(text, values ? [...values] : undefined);
  await run(
    `insert into public.studios (id, name, hourly_rate) values ('${STUDIO_A}', 'Studio A', 49) on conflict do nothing`,
  );
  await fillBookings(run, AMOUNTS);
  await fillRelated(run, { ...AMOUNTS, bookings: RELATED_ROWS });
  server = await startTestServer({ databaseUrl: database.url, env: { PGRST_DB_PLAN_ENABLED: 'true' } });
  [customer, staff] = [await server.addCustomer(), await server.addCustomer()];
  await run(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [staff.id]);
  await run('set session_replication_role = replica');
  await run(`update private.booking set user_id = $1 where user_id = $2`, [customer.id, accountId(1)]);
  await run('reset session_replication_role');
}, 120_000);
afterAll(async () => {
  await close();
  await owner?.end();
  await database?.drop();
});

/** Closes the server once. */
async function close(): Promise<void> {
  closed ??= server?.close();
  await closed;
}

/** Sends a query as a page does, and returns the text of the answer. `accept` is the media type of the answer. */
async function send(query: ProductQuery, accept = 'application/json'): Promise<string> {
  const bearer: Readonly<Record<Sender, string>> = {
    guest: server.app.keys.anonKey,
    customer: customer.token,
    staff: staff.token,
  };
  const answer = await fetch(`${server.url}/${query.api ?? 'rest'}/v1/${query.path}`, {
    method: query.body ? 'POST' : 'GET',
    headers: {
      accept,
      apikey: server.app.keys.anonKey,
      authorization: `Bearer ${bearer[query.sender]}`,
      'content-type': 'application/json',
    },
    ...(query.body ? { body: JSON.stringify(query.body) } : {}),
  });
  const text = await answer.text();
  expect(answer.ok, `${query.name}: ${text}`).toBe(true);
  return text;
}

/** Returns the tables of which at least as many rows were read sequentially as they have, with that number. */
async function readSequentially(): Promise<Record<string, number>> {
  const { rows } = await owner.query<{ name: string; read: number }>(
    `select schemaname || '.' || s.relname as name, seq_tup_read::int as read from pg_stat_user_tables s join pg_class c on c.oid = s.relid
     where schemaname || '.' || s.relname = any($1::text[]) and seq_tup_read >= c.reltuples`,
    [LARGE],
  );
  return Object.fromEntries(rows.map(({ name, read }) => [name, read]));
}

/** Signs in, refreshes the session, reads the account and signs out. */
async function signInAndOut(): Promise<void> {
  const account = { email: 'scale@example.com', password: 'correct horse battery' };
  const apikey = server.app.keys.anonKey;
  const post = async (path: string, bearer: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${server.url}/auth/v1/${path}`, {
      method: 'POST',
      headers: { apikey, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.ok, path).toBe(true);
    return answer.status === 204 ? {} : Object.fromEntries(Object.entries((await answer.json()) ?? {}));
  };
  await post('admin/users', server.app.keys.serviceRoleKey, { ...account, email_confirm: true });
  const { refresh_token } = await post('token?grant_type=password', apikey, account);
  const { access_token } = await post('token?grant_type=refresh_token', apikey, { refresh_token });
  const bearer = String(access_token);
  const user = await fetch(`${server.url}/auth/v1/user`, { headers: { apikey, authorization: `Bearer ${bearer}` } });
  expect(user.ok).toBe(true);
  await post('logout', bearer, {});
}

/** Holds an hour and releases it. */
async function holdAndRelease(): Promise<void> {
  const held = await server.call('create-payment', checkout(span(new Date(), 24 * 30), {}, STUDIO_B), customer.token);
  expect(held.status).toBe(200);
  const released = await server.call('release-hold', { bookingId: held.body['bookingId'] }, customer.token);
  expect(released.body).toMatchObject({ released: true });
}

test.runIf(postgresUrl)('PostgreSQL compiles no statement, neither of the server nor of a caller', async () => {
  const statement = `select current_setting('jit') as jit`;
  const own = await server.app.db.query(statement);
  const ofCaller = await server.app.db.as({ role: 'anon', claims: '{}' }, statement);
  expect([own.rows, ofCaller.rows]).toEqual([[{ jit: 'off' }], [{ jit: 'off' }]]);
});

test.runIf(postgresUrl)('twelve hundred studios come in two pages that say how many there are', async () => {
  const read = (from: number) =>
    server
      .client()
      .from('studios')
      .select('id', { count: 'exact' })
      .order('name')
      .order('id')
      .range(from, from + 1_999);
  const [first, second] = [await read(0), await read(1_000)];
  expect([first.data?.length, first.count, second.data?.length, second.count]).toEqual([1_000, 1_200, 200, 1_200]);
  const ids = new Set([...(first.data ?? []), ...(second.data ?? [])].map(({ id }) => id));
  expect(ids.size).toBe(1_200);
});

test.runIf(postgresUrl)(
  'no query of a page, no sign-in, no hold, no job and no metric reads a large table from beginning to end',
  async () => {
    const queries = productQueries({ customerId: customer.id, studioId: STUDIO_A, now: new Date() });
    const read = queries.filter((query) => query.body === undefined);
    for (const query of read) {
      const plan = await send(query, 'application/vnd.pgrst.plan+text');
      expect(plan, query.name).not.toMatch(
        /Seq Scan on (booking|closed_span|payment|outbox|webhook_inbox|audit_logs|booking_access_codes|profiles|users)\b/,
      );
    }
    await owner.query('select pg_stat_force_next_flush()');
    await owner.query('select pg_stat_reset()');
    for (const query of queries) await send(query);
    await signInAndOut();
    await holdAndRelease();
    expect((await fetch(`${server.url}/metrics`)).ok).toBe(true);
    await server.settle();
    // A connection reports the rows that it read when it closes, at the latest.
    await close();
    expect(await readSequentially()).toEqual({});
  },
  120_000,
);

test.runIf(postgresUrl)('a sequential read of a large table is noticed', async () => {
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query(`select count(*) from private.booking where notes = 'none'`);
  await other.end();
  await expect.poll(async () => Object.keys(await readSequentially())).toEqual(['private.booking']);
});
