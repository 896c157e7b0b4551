import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { connectRealtime, type RealtimeClient } from './client.ts';
import { runScript } from '#tests/support/schema.ts';
import type { TestServer } from '#tests/support/test-server.ts';

/**
 * Random policies, rows, changes and callers: whoever gets a change could read the row, and whoever could read it gets the change. The
 * expectation comes from a select of the same caller, before a delete and after an insert or update.
 */
const ROUNDS = process.env['TEST_LONG'] ? 100 : 8;
const CHANGES_PER_ROUND = 20;

const POLICIES = [
  'true',
  'false',
  'owner = (select auth.uid())',
  'owner = auth.uid()',
  'owner is null',
  'level > 3',
  'level <= 2 or owner = auth.uid()',
  `(select auth.jwt() ->> 'role') = 'authenticated'`,
  'exists (select from public.leak_member m where m.person = auth.uid() and m.grade >= level)',
];

describe.each(engines)('table changes on the $name database', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await engine.open();
    await runScript(
      server,
      `create table public.leak (id int primary key, owner uuid, level int);

       create table public.leak_member (person uuid, grade int);

       insert into public.leak_member select null, 0;

       alter table public.leak enable row level security;

       grant select on public.leak, public.leak_member to anon, authenticated;

       grant all on public.leak, public.leak_member to service_role, backend;

       alter publication supabase_realtime add table public.leak;`,
    );
  });
  afterAll(() => server.close());

  test(`${ROUNDS * CHANGES_PER_ROUND * 4} random changes reach exactly the callers who may see the row`, async () => {
    const people = await Promise.all([server.addCustomer(), server.addCustomer()]);
    await server.app.db.query(
      'insert into public.leak_member values ($1::uuid, 2), ($2::uuid, 4)',
      people.map(({ id }) => id),
    );
    const callers = [
      { token: server.app.keys.anonKey, role: 'anon', claims: { role: 'anon' } },
      { token: server.app.keys.serviceRoleKey, role: 'service_role', claims: { role: 'service_role' } },
      ...people.map(({ token, id }) => ({ token, role: 'authenticated', claims: { role: 'authenticated', sub: id } })),
    ];
    const random = randomFrom(7);
    let delivered = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      await runScript(server, policiesOf(random));
      // The cache of policies is a second old at most.
      await new Promise((done) => setTimeout(done, 1_100));
      const clients = await Promise.all(callers.map(({ token }) => subscribe(server, token)));
      const expected = callers.map((): string[] => []);
      for (let change = 0; change < CHANGES_PER_ROUND; change += 1) {
        const kind = await changeRow(
          server,
          random,
          people.map(({ id }) => id),
          callers,
          expected,
        );
        delivered += kind;
      }
      await server.app.db.query(`insert into public.leak_member values (null, -1)`);
      for (const [at, client] of clients.entries()) {
        await expect.poll(() => changesOf(client), { timeout: 5_000 }).toEqual(expected[at]);
        client.close();
      }
    }
    expect(delivered).toBeGreaterThan(ROUNDS);
  });
});

/** One to three random policies, permissive or restrictive. */
function policiesOf(random: (max: number) => number): string {
  const drops = [0, 1, 2].map((n) => `drop policy if exists p${n} on public.leak`);
  const creates = Array.from({ length: 1 + random(3) }, (_, n) => {
    const kind = n > 0 && random(3) === 0 ? 'as restrictive' : '';
    const role = ['', 'to anon', 'to authenticated', 'to anon, authenticated'][random(4)];
    return `create policy p${n} on public.leak ${kind} for ${random(2) ? 'select' : 'all'} ${role} using (${POLICIES[random(POLICIES.length)]})`;
  });
  return [...drops, ...creates].join(';\n\n');
}

type Caller = { readonly role: string; readonly claims: Record<string, unknown> };

/** Inserts, updates or deletes a row and notes who may see it. Returns how many may. */
async function changeRow(
  server: TestServer,
  random: (max: number) => number,
  people: readonly string[],
  callers: readonly Caller[],
  expected: readonly string[][],
): Promise<number> {
  const { db } = server.app;
  const id = random(12);
  const owner = [null, ...people][random(3)] ?? null;
  const exists = (await db.one('select 1 from public.leak where id = $1::int', [id])) !== null;
  const kind = !exists ? 'INSERT' : random(2) ? 'UPDATE' : 'DELETE';
  const before = await visibleTo(server, callers, id);
  if (kind === 'INSERT')
    await db.query('insert into public.leak values ($1::int, $2::uuid, $3::int)', [id, owner, random(6)]);
  if (kind === 'UPDATE')
    await db.query('update public.leak set owner = $2::uuid, level = $3::int where id = $1::int', [
      id,
      owner,
      random(6),
    ]);
  if (kind === 'DELETE') await db.query('delete from public.leak where id = $1::int', [id]);
  const sees = kind === 'DELETE' ? before : await visibleTo(server, callers, id);
  for (const [at, may] of sees.entries()) if (may) expected[at]?.push(`${kind} ${id}`);
  return sees.filter(Boolean).length;
}

async function visibleTo(server: TestServer, callers: readonly Caller[], id: number): Promise<boolean[]> {
  const answers = callers.map(async ({ role, claims }) => {
    const principal = { role, claims: JSON.stringify(claims) };
    return (await server.app.db.as(principal, 'select 1 from public.leak where id = $1::int', [id])).count > 0;
  });
  return Promise.all(answers);
}

async function subscribe(server: TestServer, token: string): Promise<RealtimeClient> {
  const client = await connectRealtime(server.url, server.app.keys.anonKey);
  await client.join('leaks', { postgres_changes: [{ event: '*', schema: 'public', table: 'leak' }] }, token);
  const told = await client.frame(({ event }) => event === 'system');
  expect(told.payload).toMatchObject({ status: 'ok' });
  return client;
}

function changesOf(client: RealtimeClient): string[] {
  return client.frames.flatMap(({ event, payload }) => {
    if (event !== 'postgres_changes') return [];
    const { type, record, old_record: old } = Object(payload['data']);
    return [`${type} ${(record ?? old).id}`];
  });
}

/** Repeatable numbers below `max`. */
function randomFrom(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * max);
  };
}
