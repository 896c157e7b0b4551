import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '#tests/support/postgres.ts';
import { checkout, type Customer, span, startTestServer, type TestServer } from '#tests/support/test-server.ts';

/**
 * Each class's share of the database. On PostgreSQL a table is locked, so that guests who read it occupy every slot that guests may have.
 */
const GUESTS = 12;

let database: TestDatabase;
let owner: pg.Client;
let server: TestServer;
let customer: Customer;

beforeAll(async () => {
  const created = await createMigratedDatabase();
  if (!created) return;
  database = created;
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('create table public.locked (id int); grant select on public.locked to anon, authenticated');
  server = await startTestServer({ databaseUrl: database.url, env: { DATABASE_QUEUE: '4' } });
  customer = await server.addCustomer();
}, 120_000);
afterAll(async () => {
  await server?.close();
  await owner?.end();
  await database?.drop();
});

const askLocked = (token: string): Promise<Response> =>
  fetch(`${server.url}/rest/v1/locked?select=id`, {
    headers: { apikey: server.app.keys.anonKey, authorization: `Bearer ${token}` },
  });

test.runIf(process.env['TEST_POSTGRES_URL'])(
  'while guests have all their slots, one more gets 503 with Retry-After at once, and a hold and a read of a customer are served',
  async () => {
    await (await askLocked(server.app.keys.anonKey)).text();
    await owner.query('begin');
    await owner.query('lock table public.locked in access exclusive mode');
    const answered: number[] = [];
    const guests = Array.from({ length: GUESTS }, async () => {
      const answer = await askLocked(server.app.keys.anonKey);
      answered.push(answer.status);
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.text() };
    });
    await expect.poll(() => answered.length).toBeGreaterThan(0);
    expect(new Set(answered)).toEqual(new Set([503]));

    const held = await server.call('create-payment', checkout(span(server.now(), 30)), customer.token);
    expect(held.status).toBe(200);
    const read = await server.client(customer.token).from('profiles').select('user_id');
    expect(read.data).toEqual([{ user_id: customer.id }]);
    expect(answered.length, 'the other guests still wait').toBeLessThan(GUESTS);

    await owner.query('commit');
    const all = await Promise.all(guests);
    const refused = all.filter(({ status }) => status === 503);
    expect(all.filter(({ status }) => status === 200).length + refused.length).toBe(GUESTS);
    for (const { retryAfter, body } of refused) {
      expect(retryAfter).toBe('1');
      expect(JSON.parse(body)).toMatchObject({ code: 'server_busy' });
    }
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain(`database_refused_total{class="guest"} ${refused.length}`);
    expect(metrics).toContain('database_refused_total{class="urgent"} 0');
  },
  60_000,
);

test('on the embedded engine a hold and an access code are served before the statements of guests who came first', async () => {
  const embedded = await startTestServer();
  const { db } = embedded.app;
  const { token } = await embedded.addCustomer();
  let answered = 0;
  const guests = Array.from({ length: 25 }, async (_, index) => {
    const guest = { role: 'anon', claims: '{}', caller: `ip:192.0.2.${index}` } as const;
    await db.as(guest, 'select count(*)::int as n from generate_series(1, 200000)');
    answered += 1;
  });
  const held = await embedded.call('create-payment', checkout(span(embedded.now(), 30)), token);
  const code = await embedded.call('regenerate-pin', { booking_id: held.body['bookingId'] }, token);
  expect([held.status, code.status, code.body['code']]).toEqual([200, 409, 'not_confirmed']);
  expect(answered, 'guests still wait').toBeLessThan(guests.length);
  await Promise.allSettled(guests);
  await embedded.close();
}, 120_000);
