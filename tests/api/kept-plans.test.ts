import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import { STUDIO_A, type TestServer } from '#tests/support/test-server.ts';

const BOOKINGS = 6_000;
/** The data API's query for the availability on the booking page. */
const AVAILABILITY = `
select coalesce(json_agg(x.*), '[]')::text as body, count(*) as count from (
  select t1.studio_id, t1.start_time, t1.end_time, t1.status from public.bookings as t1
  where t1.studio_id = $1 and t1.status <> $2 and t1.start_time >= $3 and t1.start_time < $4 and t1.end_time > $5 limit 1000
) x`;
const VALUES = `'${STUDIO_A}', 'cancelled', '2031-03-08T00:00:00Z', '2031-03-11T00:00:00Z', '2031-03-09T00:00:00Z'`;

type Plan = {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
};

/** Returns how a plan reads a table: its node types and indexes. */
function getReads(plan: Plan, table: string): string[] {
  const own = plan['Relation Name'] === table ? [`${plan['Node Type']} ${plan['Index Name'] ?? ''}`.trim()] : [];
  return [...own, ...(plan.Plans ?? []).flatMap((child) => getReads(child, table))];
}

describe.each(engines)('plans that a connection keeps and reads that guests share, on $name', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await engine.open();
    await runScript(
      server,
      `set session_replication_role = replica;

      insert into private.booking (reference, studio_id, studio_name, start_time, end_time, status, total_hours, base_cost_cents, final_cost_cents)
      select upper(substr(md5(n::text), 1, 4) || '-' || substr(md5(n::text || 'x'), 1, 4)), s.id, s.name,
        timestamptz '2031-04-01Z' - (n / 3 + 1) * interval '1 hour', timestamptz '2031-04-01Z' - (n / 3) * interval '1 hour', 'confirmed', 1, 4900, 4900
      from generate_series(0, ${BOOKINGS}) n
      join (select id, name, row_number() over (order by name) - 1 as at from public.studios) s on s.at = n % 3 on conflict do nothing;

      reset session_replication_role;

      create view public.kept_probe with (security_invoker = true) as
        select 1 as a, 2 as b, current_setting('plan_cache_mode') as mode;

      grant select on public.kept_probe to anon;

      create table public.shared_counter (value int not null);

      insert into public.shared_counter values (0);

      create view public.shared_probe as select value, coalesce(current_setting('request.headers', true), '') || coalesce(current_setting('request.ip', true), '') as who
        from public.shared_counter, pg_sleep(0.05);

      grant select on public.shared_probe to anon, authenticated;

      insert into rest.shared_read values ('public.shared_probe');

      insert into rest.kept_plan values ('public.kept_probe', '{a,b}');

      notify pgrst, 'reload schema';

      analyze;`,
    );
    // After a vacuum, the index alone can answer, as on a server, where autovacuum runs. It must run outside a transaction.
    await runScript(server, 'vacuum analyze private.booking');
  }, 180_000);
  afterAll(() => server.close());

  test.each(['guest', 'customer', 'staff'])(
    'availability for a %s reads only the index of studio and time, whatever the values',
    async (who) => {
      const { id } = await server.addCustomer();
      if (who === 'staff')
        await server.app.db.query(
          `insert into public.user_roles (user_id, role) values ($1::uuid, 'admin') on conflict (user_id) do update set role = 'admin'`,
          [id],
        );
      const role = who === 'guest' ? 'anon' : 'authenticated';
      const claims = JSON.stringify(who === 'guest' ? { role } : { role, sub: id });
      const settings = { search_path: 'public', plan_cache_mode: 'force_generic_plan' };
      const reads = await server.app.db.transactionAs({ role, claims, settings }, async ({ query }) => {
        await query(`prepare availability (uuid, text, timestamptz, timestamptz, timestamptz) as ${AVAILABILITY}`);
        const { rows } = await query<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
          `explain (format json) execute availability (${VALUES})`,
        );
        await query('deallocate availability');
        return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan: plan }) => getReads(plan, 'booking')));
      });
      // One branch reads the own bookings, the other all others.
      expect(reads).toEqual(['Index Only Scan booking_availability', 'Index Only Scan booking_availability']);
    },
  );

  test.each([
    ['a=eq.1&b=gt.1', 'force_generic_plan'],
    ['b=in.(2,3)&a=lt.2', 'force_generic_plan'],
    ['a=eq.1', 'auto'],
    ['a=eq.1&b=not.gt.5', 'auto'],
    ['a=eq.1&or=(b.gt.1,b.lt.0)', 'auto'],
    ['a=eq.1&b=is.not_null', 'auto'],
  ])('a read of a listed relation filtered by %s runs with plan_cache_mode %s', async (filter, mode) => {
    const response = await fetch(`${server.url}/rest/v1/kept_probe?select=mode&${filter}`);
    expect(await response.json()).toEqual([{ mode }]);
  });

  test('guests who read the same at once share executions, and each sees what was changed before their request', async () => {
    const read = async (): Promise<unknown> =>
      (
        await fetch(`${server.url}/rest/v1/shared_probe?select=value`, { headers: { apikey: server.app.keys.anonKey } })
      ).json();
    for (let value = 1; value <= 5; value += 1) {
      const before = Array.from({ length: 6 }, read);
      // The reads in `before` begin while the update runs, so their snapshots precede its end; they finish after it.
      await server.app.db.query('update public.shared_counter set value = $1::int from pg_sleep(0.02)', [value]);
      const after = await Promise.all(Array.from({ length: 6 }, read));
      expect(after).toEqual(after.map(() => [{ value }]));
      await Promise.all(before);
    }
  });

  test('a shared read shows nothing of the request to policies and views, and a customer shares none', async () => {
    const { token } = await server.addCustomer();
    const seen = async (bearer: string): Promise<unknown> =>
      (
        await fetch(`${server.url}/rest/v1/shared_probe?select=who`, {
          headers: { apikey: server.app.keys.anonKey, authorization: `Bearer ${bearer}`, 'x-client-info': 'a browser' },
        })
      ).json();
    expect(await seen(server.app.keys.anonKey)).toEqual([{ who: '' }]);
    expect(JSON.stringify(await seen(token))).toContain('a browser');
  });
});
