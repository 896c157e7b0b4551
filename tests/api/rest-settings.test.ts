import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { type RestFixture, openRestFixture, soon } from './rest-test-server.ts';

/** Settings of `/rest/v1` that an operator can change, in the environment and in the database. */
const ENV = {
  PGRST_DB_SCHEMAS: 'public, second',
  PGRST_DB_AGGREGATES_ENABLED: 'true',
  PGRST_DB_PLAN_ENABLED: 'true',
  PGRST_DB_TX_END: 'commit-allow-override',
};

describe.each(engines)('the settings of /rest on $name', (engine) => {
  let fixture: RestFixture;
  let guest: SupabaseClient;
  let user: SupabaseClient;
  let token: string;

  beforeAll(async () => {
    fixture = await openRestFixture(engine, ENV);
    guest = fixture.server.client();
    token = fixture.someone.token;
    user = fixture.server.client(token);
  }, 120_000);
  afterAll(() => fixture.server.close());

  /** Sets a role's parameter in this database only, because roles belong to the whole PostgreSQL server. */
  const set = (role: string, name: string, value: string | null) =>
    fixture.script(
      `do $do$ begin execute format('alter role ${role} in database %I ${value === null ? `reset ${name}` : `set ${name} = %L', current_database(), '${value}`}'${value === null ? ', current_database()' : ''}); end $do$;\n\nnotify pgrst, 'reload config';`,
    );

  describe('several schemas', () => {
    test('are selected by profile, for reading, writing and calling', async () => {
      const second = fixture.client(token).schema('second');
      expect((await second.from('notes').select('id, feeling').order('id')).data).toEqual([
        { id: 1, feeling: 'odd' },
        { id: 2, feeling: 'even' },
      ]);
      const created = await second.from('notes').insert({ id: 3, feeling: 'even' }).select('feeling::text').single();
      expect(created.data).toEqual({ feeling: 'even' });
      expect((await second.rpc('which')).data).toMatch(/^second \d$/);
      expect((await second.from('notes').select('id').eq('feeling', 'odd')).data).toEqual([{ id: 1 }]);
    });

    test('the first is the default, and a refusal lists them all', async () => {
      expect((await guest.from('towns').select('id').eq('id', 1)).data).toEqual([{ id: 1 }]);
      expect((await guest.schema('second').from('towns').select()).error?.code).toBe('PGRST205');
      expect((await guest.schema('auth').from('users').select()).error).toMatchObject({
        code: 'PGRST106',
        hint: 'Only the following schemas are exposed: public, second',
      });
      const { text } = await fixture.raw('/', { headers: { 'accept-profile': 'second' } });
      expect(Object.keys(JSON.parse(text).paths)).toContain('/notes');
    });
  });

  describe('aggregates', () => {
    test('of all rows, of groups, with aliases and casts', async () => {
      const all = await guest
        .from('towns')
        .select('count(), people.max(), total:people.sum()::text')
        .lt('id', 2)
        .single();
      expect(all.data).toEqual({ count: 1, max: 500, total: '500' });
      const groups = await guest.from('towns').select('mood, id.count()').order('mood');
      expect(groups.data).toEqual([
        { mood: 'calm', count: 2 },
        { mood: 'busy', count: 2 },
      ]);
      const paths = await guest.from('crops').select('line, low:id::float8.avg()::int');
      expect(paths.data).toEqual([{ line: 1, low: 2 }]);
      const counted = await guest.from('towns').select('mood, count()', { count: 'exact' });
      expect(counted.count).toBe(2);
    });

    test('of embedded and of spread relations', async () => {
      const inside = await guest.from('lands').select('id, towns(people.min(), count())').order('id');
      expect(inside.data).toEqual([
        { id: 1, towns: [{ min: 500, count: 2 }] },
        { id: 2, towns: [{ min: 70, count: 1 }] },
        { id: 3, towns: [{ min: null, count: 0 }] },
      ]);
      const by = await guest
        .from('towns')
        .select('count(), ...lands(name)')
        .not('land_id', 'is', null)
        .order('lands(name)');
      expect(by.error).toBeNull();
      expect(by.data).toEqual([
        { count: 2, name: 'North' },
        { count: 1, name: 'South' },
      ]);
      const hoisted = await guest
        .from('residents')
        .select('person_id, ...towns(people.max()::text)')
        .order('person_id');
      expect(hoisted.data?.map((row) => row['max'])).toEqual(['12000000000000001', '500']);
    });
  });

  describe('query plans', () => {
    test('as JSON and text, with options, also of writes and calls', async () => {
      const json = await guest.from('towns').select('id').eq('id', 1).explain({ format: 'json', analyze: true });
      expect(json.data).toEqual([expect.objectContaining({ Plan: expect.objectContaining({ 'Actual Rows': 1 }) })]);
      const text = await guest.from('towns').select('id').explain({ verbose: true });
      expect(text.data).toMatch(/Aggregate[\s\S]*Output:/);
      const plan = await fixture.raw('/towns', {
        headers: { accept: 'application/vnd.pgrst.plan+json; for="text/csv"; options=verbose;' },
      });
      expect(plan.headers.get('content-type')).toBe(
        'application/vnd.pgrst.plan+json; for="text/csv"; options=verbose; charset=utf-8',
      );
      const called = await fixture.raw('/rpc/add?a=1', { headers: { accept: 'application/vnd.pgrst.plan+text' } });
      expect(called.status).toBe(200);
      const written = await user.from('lands').insert({ id: 60, name: 'thought' }).explain();
      expect(written.data).toMatch(/Insert on/);
      expect((await guest.from('lands').select('id').eq('id', 60)).data).toEqual([]);
    });
  });

  describe('tx=rollback', () => {
    test('rolls back where the setting allows it', async () => {
      const tried = await user.from('lands').insert({ id: 61, name: 'tried' }).select('id').rollback();
      expect(tried.data).toEqual([{ id: 61 }]);
      const single = await user.from('lands').upsert({ id: 62, name: 'tried too' }).select('id').rollback().single();
      expect(single.data).toEqual({ id: 62 });
      expect((await guest.from('lands').select('id').in('id', [61, 62])).data).toEqual([]);
      const applied = await fixture.raw(
        '/lands?id=eq.999',
        { method: 'DELETE', headers: { prefer: 'tx=rollback' } },
        token,
      );
      expect(applied.headers.get('preference-applied')).toBe('tx=rollback');
    });
  });

  describe('in the database', () => {
    test('a row limit overrides the environment after a reload, and can be reset', async () => {
      await set('authenticator', 'pgrst.db_max_rows', '2');
      await soon(async () => expect((await guest.from('towns').select('id')).data).toHaveLength(2));
      expect((await guest.from('towns').select('id').limit(3)).data).toHaveLength(2);
      expect((await guest.from('lands').select('towns(id)').eq('id', 1)).data?.[0]?.towns).toHaveLength(2);
      expect((await guest.rpc('sevens', { n: 9 })).data).toEqual([7, 7]);
      const estimated = await guest.from('towns').select('id', { count: 'estimated' });
      expect(estimated.count).toBeGreaterThan(2);
      await set('authenticator', 'pgrst.db_max_rows', null);
      await soon(async () => expect((await guest.from('towns').select('id')).data).toHaveLength(4));
    });

    test('an invalid setting is ignored', async () => {
      await set('authenticator', 'pgrst.db_tx_end', 'sometimes');
      await set('authenticator', 'pgrst.db_aggregates_enabled', 'false');
      await soon(async () => expect((await guest.from('towns').select('count()')).error?.code).toBe('PGRST123'));
      await set('authenticator', 'pgrst.db_aggregates_enabled', null);
      await set('authenticator', 'pgrst.db_tx_end', null);
      await soon(async () => expect((await guest.from('towns').select('count()')).error).toBeNull());
    });

    test.runIf(engine.name === 'PostgreSQL')(
      'a lost database connection is opened again, with the changes made meanwhile',
      async () => {
        await fixture.script(
          `create table public.reefs (id int primary key);\n\ngrant select on public.reefs to anon;\n\nselect pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen %';`,
        );
        await soon(async () => expect((await guest.from('reefs').select()).error).toBeNull());
      },
    );

    test('new tables, columns and functions are known after the notification', async () => {
      expect((await guest.from('islands').select()).error?.code).toBe('PGRST205');
      await fixture.script(
        `create table public.islands (id int primary key);\n\ngrant select on public.islands to anon;\n\nnotify pgrst, 'reload schema';`,
      );
      await soon(async () => expect((await guest.from('islands').select()).data).toEqual([]));
      await fixture.script(`alter table public.islands add size int;\n\nnotify pgrst;`);
      await soon(async () => expect((await guest.from('islands').select('size')).error).toBeNull());
    });

    test('a pre-request function runs before every request; it can refuse it and add headers', async () => {
      await set('authenticator', 'pgrst.db_pre_request', 'second.look');
      await soon(async () => {
        const { headers } = await fixture.raw('/towns?select=id', { method: 'GET' });
        expect(headers.get('x-looked')).toBe('yes');
      });
      const refused = await fixture.raw('/towns', { headers: { 'x-forbid': '1' } });
      expect([refused.status, JSON.parse(refused.text)]).toEqual([
        403,
        { code: 'PT403', message: 'not today', details: null, hint: null },
      ]);
      for (const accept of ['application/vnd.pgrst.plan+json', 'application/json']) {
        const { status } = await fixture.raw(accept.includes('plan') ? '/towns' : '/', {
          headers: { 'x-forbid': '1', accept },
        });
        expect([accept, status]).toEqual([accept, 403]);
      }
      const planned = await guest.from('towns').select('id', { count: 'planned' });
      expect(planned.count).toBeGreaterThan(0);
      const tried = await user.from('lands').insert({ id: 63, name: 'looked' }).select('id').rollback();
      expect(tried.data).toEqual([{ id: 63 }]);
      expect((await guest.from('lands').select('id').eq('id', 63)).data).toEqual([]);
      await set('authenticator', 'pgrst.db_pre_request', null);
    });

    test('a function can replace the OpenAPI description, or it can be disabled', async () => {
      await set('authenticator', 'pgrst.db_schemas', 'second, public');
      await set('authenticator', 'pgrst.db_root_spec', 'description');
      await soon(async () => expect((await fixture.raw('/')).text).toBe('{"own" : true}'));
      await set('authenticator', 'pgrst.db_root_spec', null);
      await set('authenticator', 'pgrst.openapi_mode', 'disabled');
      await soon(async () => {
        const { status, text } = await fixture.raw('/');
        expect([status, JSON.parse(text)]).toEqual([
          404,
          { code: 'PGRST126', message: 'Root endpoint metadata is disabled', details: null, hint: null },
        ]);
      });
      await set('authenticator', 'pgrst.openapi_mode', 'ignore-privileges');
      await set('authenticator', 'pgrst.db_schemas', null);
      await soon(async () => {
        const { text } = await fixture.raw('/');
        expect(Object.keys(JSON.parse(text).paths ?? {})).toContain('/hidden');
      });
      await set('authenticator', 'pgrst.openapi_mode', null);
    });

    test("a role's own settings apply to its requests", async () => {
      await set('anon', 'default_statistics_target', '42');
      await fixture.script(
        `create function public.target() returns text language sql stable as 'select current_setting(''default_statistics_target'')';\n\ngrant execute on function public.target() to anon, authenticated;\n\nnotify pgrst;`,
      );
      await soon(async () => expect((await guest.rpc('target')).data).toBe('42'));
      expect((await user.rpc('target')).data).toBe('100');
    });

    test.runIf(engine.name === 'PostgreSQL')('a statement timeout of a role cancels its requests', async () => {
      await fixture.script(
        `create function public.nap() returns int language sql volatile as 'select 1 from pg_sleep(3)';\n\ngrant execute on function public.nap() to anon;\n\nnotify pgrst;`,
      );
      await set('anon', 'statement_timeout', '200ms');
      await soon(async () => expect((await guest.rpc('nap')).error?.code).toBe('57014'));
      await set('anon', 'statement_timeout', null);
    });
  });
});
