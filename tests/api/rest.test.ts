import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';
import { type RestFixture, openRestFixture } from './rest-test-server.ts';

/** The real supabase-js against `/rest/v1`, on the schema of rest.sql. */
const BEN = 'aaaaaaaa-0000-4000-8000-000000000002';

describe.each(engines)('/rest with supabase-js on $name', (engine) => {
  let fixture: RestFixture;
  let raw: RestFixture['raw'];
  let server: TestServer;
  let someone: Customer;
  let guest: SupabaseClient;
  let user: SupabaseClient;
  let other: SupabaseClient;
  let service: SupabaseClient;

  beforeAll(async () => {
    fixture = await openRestFixture(engine);
    ({ server, someone, raw } = fixture);
    guest = server.client();
    user = server.client(someone.token);
    other = server.client((await server.addCustomer()).token);
    service = server.client(server.app.keys.serviceRoleKey);
  }, 120_000);
  afterAll(() => server.close());

  /** Returns the ids of the towns that match a filter. */
  const ids = async (query: PromiseLike<{ data: unknown; error: unknown }>): Promise<unknown> => {
    const { data, error } = await query;
    expect(error).toBeNull();
    return Array.isArray(data) ? data.map((row: { id: unknown }) => row.id) : data;
  };
  const towns = () => guest.from('towns').select('id').order('id');

  describe('reading', () => {
    test('columns, aliases, casts and paths into JSON', async () => {
      const { data, error } = await guest
        .from('towns')
        .select('id, label:name, people::text, mayor:facts->mayor->>name, facts->sizes->0, "odd \\"name"')
        .eq('id', 1)
        .single();
      expect(error).toBeNull();
      expect(data).toEqual({ id: 1, label: 'Aberdale', people: '500', mayor: 'Ada', sizes: 3, 'odd "name': 'first' });
    });

    test('big numbers keep their digits', async () => {
      expect((await raw('/towns?id=eq.2&select=people')).text).toBe('[{"people":12000000000000001}]');
    });

    test('every comparison operator', async () => {
      expect(await ids(towns().eq('name', 'Brook, the "Old"'))).toEqual([2]);
      expect(await ids(towns().neq('id', 2))).toEqual([1, 3, 4]);
      expect(await ids(towns().gt('people', 70).lte('people', 500))).toEqual([1]);
      expect(await ids(towns().gte('founded', '1901-01-01').lt('founded', '2001-01-01'))).toEqual([2, 4]);
      expect(await ids(towns().like('name', '%e'))).toEqual([1, 4]);
      expect(await ids(towns().ilike('name', 'c*'))).toEqual([3]);
      expect(await ids(towns().likeAnyOf('name', ['A%', 'D%']))).toEqual([1, 4]);
      expect(await ids(towns().ilikeAllOf('name', ['%b%', '%o%']))).toEqual([2]);
      expect(await ids(towns().filter('name', 'match', '^[AB]'))).toEqual([1, 2]);
      expect(await ids(towns().filter('name', 'imatch', '^[ab]'))).toEqual([1, 2]);
      expect(await ids(towns().in('name', ['Cliff (east)', 'Dune']))).toEqual([3, 4]);
      expect(await ids(towns().in('id', []))).toEqual([]);
      expect(await ids(towns().not('id', 'in', '(1,2)'))).toEqual([3, 4]);
      expect(await ids(towns().is('land_id', null))).toEqual([4]);
      expect(await ids(towns().not('founded', 'is', null))).toEqual([1, 2, 4]);
      expect(await ids(towns().filter('twin_id', 'isdistinct', 1))).toEqual([1, 4]);
      expect(await ids(towns().eq('mood', 'busy'))).toEqual([2, 3]);
      expect(await ids(towns().filter('id', 'eq(any)', '{1,4}'))).toEqual([1, 4]);
    });

    test('a value longer than its column is not truncated', async () => {
      expect(await ids(towns().eq('code', 'ab   xyz'))).toEqual([]);
    });

    test('arrays, ranges, JSON and text search', async () => {
      expect(await ids(towns().contains('tags', ['sea']))).toEqual([1, 3]);
      expect(await ids(towns().containedBy('tags', ['sea', 'hill']))).toEqual([2, 3, 4]);
      expect(await ids(towns().overlaps('tags', ['port', 'hill']))).toEqual([1, 2]);
      expect(await ids(towns().contains('facts', { open: true }))).toEqual([1]);
      expect(await ids(towns().eq('facts->>open', 'false'))).toEqual([4]);
      expect(await ids(towns().rangeLt('altitude', '[20,30)'))).toEqual([1, 4]);
      expect(await ids(towns().rangeGt('altitude', '[20,30)'))).toEqual([2]);
      expect(await ids(towns().rangeGte('altitude', '[5,7)'))).toEqual([2, 4]);
      expect(await ids(towns().rangeLte('altitude', '[5,20)'))).toEqual([1, 4]);
      expect(await ids(towns().rangeAdjacent('altitude', '[20,50)'))).toEqual([2, 4]);
      expect(await ids(towns().overlaps('altitude', '[8,60)'))).toEqual([1, 2, 4]);
      expect(await ids(towns().textSearch('about', 'boat', { config: 'english' }))).toEqual([1]);
      expect(await ids(towns().textSearch('about', 'climb hill', { config: 'english', type: 'plain' }))).toEqual([2]);
      expect(
        await ids(towns().textSearch('about', '"fishing boats" -hill', { config: 'english', type: 'websearch' })),
      ).toEqual([1]);
    });

    test('and, or and not, nested and quoted', async () => {
      expect(await ids(towns().or('id.eq.1,and(mood.eq.busy,land_id.eq.2)'))).toEqual([1, 3]);
      expect(await ids(towns().or('name.eq."Brook, the \\"Old\\"",name.in.("Cliff (east)")'))).toEqual([2, 3]);
      expect(await ids(towns().or('tags.cs.{port},id.is.null'))).toEqual([1]);
      expect(await ids(towns().or('not.and(id.gt.1,id.lt.4),id.eq.3'))).toEqual([1, 3, 4]);
      expect((await raw('/towns?select=id&not.or=(id.eq.1,id.eq.2)&order=id')).text).toBe('[{"id":3}, \n {"id":4}]');
    });

    test('order, nulls and pages', async () => {
      expect(await ids(guest.from('towns').select('id').order('land_id', { ascending: false }).order('id'))).toEqual([
        4, 3, 1, 2,
      ]);
      expect(
        await ids(
          guest.from('towns').select('id').order('land_id', { ascending: false, nullsFirst: false }).order('id'),
        ),
      ).toEqual([3, 1, 2, 4]);
      expect(
        await ids(guest.from('towns').select('id').order('facts->mayor->>name', { nullsFirst: true }).order('id')),
      ).toEqual([3, 4, 1, 2]);
      expect(await ids(towns().range(1, 2))).toEqual([2, 3]);
      expect(await ids(towns().limit(1))).toEqual([1]);
      const ranged = await raw('/towns?select=id&order=id', { headers: { range: '1-2' } });
      expect([ranged.text, ranged.headers.get('content-range')]).toEqual(['[{"id":2}, \n {"id":3}]', '1-2/*']);
    });

    test('counts', async () => {
      for (const count of ['exact', 'estimated'] as const) {
        const all = await guest.from('towns').select('id', { count }).gt('id', 1).limit(2);
        expect([all.count, all.status, all.data?.length], count).toEqual([3, 206, 2]);
      }
      const planned = await guest.from('towns').select('id', { count: 'planned' });
      expect(planned.count).toBeGreaterThan(0);
      const head = await guest.from('towns').select('*', { count: 'exact', head: true });
      expect([head.count, head.data]).toEqual([4, null]);
      const beyond = await raw('/towns?offset=9', { headers: { prefer: 'count=exact' } });
      expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, '*/4']);
    });

    test('one object: none and too many rows', async () => {
      expect((await guest.from('towns').select('id').eq('id', 1).single()).data).toEqual({ id: 1 });
      expect((await guest.from('towns').select('id').eq('id', 99).maybeSingle()).data).toBeNull();
      const none = await guest.from('towns').select('id').eq('id', 99).single();
      expect(none.status).toBe(406);
      expect(none.error).toMatchObject({
        code: 'PGRST116',
        message: 'Cannot coerce the result to a single JSON object',
        details: 'The result contains 0 rows',
      });
      expect((await guest.from('towns').select('id').single()).error?.details).toBe('The result contains 4 rows');
    });

    test('CSV and stripped nulls', async () => {
      const { data } = await guest.from('towns').select('id,label:name,code').in('id', [2, 3]).order('id').csv();
      expect(data).toBe('id,label,code\n2,"Brook, the ""Old""",br\n3,"Cliff (east)",');
      const stripped = await guest.from('towns').select('id,code').eq('id', 3).stripNulls();
      expect(stripped.data).toEqual([{ id: 3 }]);
      expect((await raw('/towns', { headers: { accept: 'application/xml' } })).status).toBe(406);
    });
  });

  describe('embedding', () => {
    test('many-to-one, one-to-many, many-to-many and recursive', async () => {
      const up = await guest.from('towns').select('name, lands(name)').eq('id', 1).single();
      expect(up.data).toEqual({ name: 'Aberdale', lands: { name: 'North' } });
      const down = await guest
        .from('lands')
        .select('id, towns(id)')
        .order('id')
        .order('id', { referencedTable: 'towns', ascending: false });
      expect(down.data).toEqual([
        { id: 1, towns: [{ id: 2 }, { id: 1 }] },
        { id: 2, towns: [{ id: 3 }] },
        { id: 3, towns: [] },
      ]);
      const across = await guest.from('persons').select('name, towns(name)').eq('id', BEN);
      expect(across.data).toEqual([{ name: 'Ben', towns: [{ name: 'Aberdale' }] }]);
      const twin = await guest
        .from('towns')
        .select('id, twin:twin_id(name), followers:towns!twin_id(id)')
        .in('id', [1, 2])
        .order('id');
      expect(twin.data).toEqual([
        { id: 1, twin: null, followers: [{ id: 2 }, { id: 3 }] },
        { id: 2, twin: { name: 'Aberdale' }, followers: [] },
      ]);
      const toOne = await guest.from('persons').select('name, passports(number)').order('name');
      expect(toOne.data).toEqual([
        { name: 'Ann', passports: { number: 'N1' } },
        { name: 'Ben', passports: null },
      ]);
      const deep = await guest.from('residents').select('towns(name, lands(name)), persons(name)').eq('person_id', BEN);
      expect(deep.data).toEqual([{ towns: { name: 'Aberdale', lands: { name: 'North' } }, persons: { name: 'Ben' } }]);
    });

    test('by hint, and refused when the relation is ambiguous', async () => {
      const sent = await guest
        .from('letters')
        .select('id, from:persons!letters_sender(name), to:persons!receiver(name)');
      expect(sent.data).toEqual([{ id: 1, from: { name: 'Ann' }, to: { name: 'Ben' } }]);
      const both = await guest.from('letters').select('persons(name)');
      expect(both.status).toBe(300);
      expect(both.error?.code).toBe('PGRST201');
      expect(both.error?.details).toContainEqual({
        cardinality: 'many-to-one',
        embedding: 'letters with persons',
        relationship: 'letters_receiver using letters(receiver) and persons(id)',
      });
      const nobody = await guest.from('lands').select('letters(id)');
      expect([nobody.status, nobody.error?.code]).toEqual([400, 'PGRST200']);
    });

    test('through views, even when a column is renamed or the view is a union', async () => {
      const cards = await guest.from('town_cards').select('title, lands(name)').eq('id', 3);
      expect(cards.data).toEqual([{ title: 'Cliff (east)', lands: { name: 'South' } }]);
      const visits = await guest.from('visits').select('guest, towns(name)').eq('place', 3);
      expect(visits.data).toEqual([{ guest: null, towns: { name: 'Cliff (east)' } }]);
      expect((await guest.from('towns').select('id, visits(guest)').eq('id', 1)).data).toEqual([
        { id: 1, visits: [{ guest: 'CY' }] },
      ]);
    });

    test('inner joins, filters and pages inside, and existence', async () => {
      const north = await guest.from('towns').select('id, lands!inner(name)').eq('lands.name', 'North').order('id');
      expect(north.data).toEqual([
        { id: 1, lands: { name: 'North' } },
        { id: 2, lands: { name: 'North' } },
      ]);
      const leftJoin = await guest
        .from('lands')
        .select('id, towns(id)')
        .eq('towns.mood', 'busy')
        .limit(1, { referencedTable: 'towns' })
        .order('id');
      expect(leftJoin.data).toEqual([
        { id: 1, towns: [{ id: 2 }] },
        { id: 2, towns: [{ id: 3 }] },
        { id: 3, towns: [] },
      ]);
      expect(await ids(guest.from('lands').select('id, towns()').is('towns', null))).toEqual([3]);
      expect(await ids(guest.from('lands').select('id, towns()').not('towns', 'is', null).order('id'))).toEqual([1, 2]);
      const counted = await guest.from('towns').select('id, lands!inner()', { count: 'exact' }).eq('lands.id', 2);
      expect(counted).toMatchObject({ count: 1, data: [{ id: 3 }] });
      expect((await guest.from('towns').select('id').eq('lands.name', 'x')).error?.code).toBe('PGRST108');
    });

    test('spread, and order by an embedded column', async () => {
      const flat = await guest
        .from('towns')
        .select('id, ...lands(land:name)')
        .lt('id', 4)
        .order('lands(name)', { ascending: false })
        .order('id');
      expect(flat.data).toEqual([
        { id: 3, land: 'South' },
        { id: 1, land: 'North' },
        { id: 2, land: 'North' },
      ]);
      expect((await guest.from('lands').select('towns(name)').order('towns(name)')).error?.code).toBe('PGRST118');
    });
  });

  describe('writing', () => {
    test('an insert returns only the selected columns', async () => {
      const quiet = await user.from('lands').insert({ id: 10, name: 'Quiet' });
      expect([quiet.status, quiet.data, quiet.error]).toEqual([201, null, null]);
      const loud = await user
        .from('towns')
        .insert({ name: 'Elm', land_id: 10 })
        .select('name, people, lands(name)')
        .single();
      expect(loud.data).toEqual({ name: 'Elm', people: 7, lands: { name: 'Quiet' } });
      const placed = await raw(
        '/lands',
        { method: 'POST', body: '{"id": 11, "name": "Placed"}', headers: { prefer: 'return=headers-only' } },
        someone.token,
      );
      expect([placed.status, placed.headers.get('location')]).toEqual([201, '/lands?id=eq.11']);
    });

    test('many rows at once, with nulls or defaults for missing values', async () => {
      const rows = [{ name: 'Fir', people: 1 }, { name: 'Gum' }];
      const nulls = await user.from('towns').insert(rows);
      expect(nulls.error?.code).toBe('23502');
      const { data } = await user.from('towns').insert(rows, { defaultToNull: false }).select('name, people, mood');
      expect(data).toEqual([
        { name: 'Fir', people: 1, mood: 'calm' },
        { name: 'Gum', people: 7, mood: 'calm' },
      ]);
      expect((await user.from('towns').insert([]).select()).data).toEqual([]);
      const uneven = await raw('/towns', { method: 'POST', body: '[{"name":"a"},{"people":1}]' }, someone.token);
      expect([uneven.status, uneven.text]).toEqual([400, expect.stringContaining('All object keys must match')]);
    });

    test('numbers, arrays and JSON are stored as sent', async () => {
      const body =
        '{"name": "Ash", "people": 9007199254740993, "tags": ["a,b", "c\\"d"], "facts": {"n": 1.10}, "code": "ash"}';
      const { text } = await raw(
        '/towns?select=people,tags,facts',
        { method: 'POST', body, headers: { prefer: 'return=representation' } },
        someone.token,
      );
      expect(text).toBe('[{"people":9007199254740993,"tags":["a,b","c\\"d"],"facts":{"n": 1.10}}]');
    });

    test('upsert by key, by another unique column, merging or ignoring', async () => {
      await user.from('lands').insert([{ id: 20, name: 'Twenty' }]);
      expect((await user.from('lands').upsert({ id: 20, name: 'Score' }).select()).data).toEqual([
        { id: 20, name: 'Score' },
      ]);
      expect(
        (await user.from('lands').upsert({ id: 20, name: 'Other' }, { ignoreDuplicates: true }).select()).data,
      ).toEqual([]);
      expect(
        (await user.from('lands').upsert({ id: 21, name: 'Score' }, { onConflict: 'name' }).select()).data,
      ).toEqual([{ id: 21, name: 'Score' }]);
    });

    test('update and delete change the filtered rows and return them', async () => {
      await user.from('lands').insert([
        { id: 30, name: 'a' },
        { id: 31, name: 'b' },
      ]);
      const moved = await user.from('lands').update({ id: 32 }, { count: 'exact' }).eq('id', 30).select('id');
      expect([moved.data, moved.count]).toEqual([[{ id: 32 }], 1]);
      expect((await user.from('lands').update({ name: 'z' }).eq('id', 999)).status).toBe(204);
      expect((await user.from('lands').update({ name: 'z' }).eq('id', 999).select()).data).toEqual([]);
      expect((await user.from('lands').update({}).eq('id', 31).select()).data).toEqual([]);
      const gone = await user.from('lands').delete({ count: 'exact' }).in('id', [31, 32]);
      expect([gone.status, gone.count]).toEqual([204, 2]);
    });

    test('max-affected rolls back when there are more rows', async () => {
      await user.from('lands').insert([
        { id: 40, name: 'm' },
        { id: 41, name: 'n' },
      ]);
      const many = await user.from('lands').delete().in('id', [40, 41]).select().single();
      expect(many.error?.code).toBe('PGRST116');
      const strict = { prefer: 'handling=strict, max-affected=1' };
      const most = await raw('/lands?id=in.(40,41)', { method: 'DELETE', headers: strict }, someone.token);
      expect([most.status, JSON.parse(most.text).code]).toEqual([400, 'PGRST124']);
      expect((await user.from('lands').select('id', { count: 'exact', head: true }).in('id', [40, 41])).count).toBe(2);
      const remove = async (max: number): Promise<number> => {
        const headers = { prefer: `handling=strict, max-affected=${max}` };
        return (await raw('/lands?id=in.(40,41)', { method: 'DELETE', headers }, someone.token)).status;
      };
      // The exact maximum is accepted; one more is refused.
      expect([await remove(0), await remove(1), await remove(2), await remove(0)]).toEqual([400, 400, 204, 204]);
    });

    test('through an updatable view and through one with a trigger', async () => {
      await user.from('lands').insert({ id: 50, name: 'fifty' });
      const card = await user
        .from('town_cards')
        .insert({ title: 'Card', land_id: 50 })
        .select('title, lands(name)')
        .single();
      expect(card.data).toEqual({ title: 'Card', lands: { name: 'fifty' } });
      const visit = await user.from('visits').insert({ id: 7, place: 2, guest: 'Flo' }).select().single();
      expect(visit.data).toEqual({ id: 7, place: 2, guest: 'Flo' });
      const renamed = await user
        .from('visits')
        .update({ guest: 'Gus' })
        .eq('id', 7)
        .select('guest, towns(id)')
        .single();
      expect(renamed.data).toEqual({ guest: 'Gus', towns: { id: 2 } });
    });

    test('row policies apply to every verb', async () => {
      const mine = await user.from('diary').insert({ line: 'dear diary' }).select().single();
      expect(mine.data).toMatchObject({ owner: someone.id, mark: 3 });
      const id: unknown = mine.data?.id;
      expect((await other.from('diary').select().eq('id', id)).data).toEqual([]);
      expect((await other.from('diary').update({ line: 'mine' }).eq('id', id).select()).data).toEqual([]);
      expect((await other.from('diary').delete().eq('id', id).select()).data).toEqual([]);
      const forged = await other.from('diary').insert({ line: 'x', owner: someone.id });
      expect([forged.status, forged.error?.code]).toEqual([403, '42501']);
      expect((await user.from('diary').select('line').eq('id', id).single()).data).toEqual({ line: 'dear diary' });
      expect((await service.from('diary').select('id').eq('id', id)).data).toEqual([{ id }]);
    });
  });

  describe('functions', () => {
    test('by body and by query, with defaults, arrays and overloads', async () => {
      expect((await guest.rpc('add', { a: 1, b: 2 })).data).toBe(3);
      expect((await guest.rpc('add', { a: 1 })).data).toBe(11);
      expect((await guest.rpc('add', { a: 1, b: 2 }, { get: true })).data).toBe(3);
      expect((await guest.rpc('total', { numbers: [1, 2, 3] })).data).toBe(6);
      expect((await guest.rpc('total', { numbers: [1, 2, 3] }, { get: true })).data).toBe(6);
      expect((await guest.rpc('echo', [1, { a: 2 }])).data).toEqual([1, { a: 2 }]);
      const which = await guest.rpc('pick', { a: 1 });
      expect([which.status, which.error?.code]).toEqual([300, 'PGRST203']);
    });

    test('rows are filtered, ordered, embedded and counted', async () => {
      const found = await guest
        .rpc('towns_like', { part: 'e' }, { count: 'exact' })
        .select('id, lands(name)')
        .gt('id', 1)
        .order('id')
        .limit(1);
      expect(found).toMatchObject({ data: [{ id: 2, lands: { name: 'North' } }], status: 206 });
      expect((await guest.rpc('first_town').select('id, name')).data).toEqual({ id: 1, name: 'Aberdale' });
      expect((await guest.rpc('pairs', { n: 2 }).eq('a', 2)).data).toEqual([{ a: 2, b: 'p2' }]);
      expect((await guest.rpc('names')).data).toContain('Aberdale');
    });

    test('volatile functions cannot be called by GET', async () => {
      expect((await user.rpc('touch_diary', {}, { get: true })).status).toBe(405);
      const done = await user.rpc('touch_diary');
      expect([done.status, done.data]).toEqual([204, null]);
    });

    test('a function sets its own status and headers, and sees the request', async () => {
      const { status, headers, text } = await raw('/rpc/teapot', { headers: { 'x-client-info': 'me' } });
      expect([status, headers.get('x-tea')]).toEqual([418, 'green']);
      expect(JSON.parse(text)).toEqual({ method: 'GET', path: '/rpc/teapot', client: 'me', secret: null });
      const refused = await guest.rpc('refuse', { status: '402' });
      expect(refused.status).toBe(402);
      expect(refused.error).toMatchObject({ code: 'PT402', message: 'no', details: 'because', hint: 'later' });
    });
  });

  describe('refusals', () => {
    test.each([
      ['a table that is not there', '/townz', 404, 'PGRST205'],
      ['a schema that is not shown', '/towns', 406, 'PGRST106'],
      ['a column that is not there', '/towns?select=nope', 400, '42703'],
      ['a filter on one', '/towns?nope=eq.1', 400, '42703'],
      ['a value of another type', '/towns?id=eq.abc', 400, '22P02'],
      ['an unknown operator', '/towns?id=equals.1', 400, 'PGRST100'],
      ['an unknown type', '/towns?select=id::secret', 400, '42704'],
      ['sums', '/towns?select=people.sum()', 400, 'PGRST123'],
      ['a column without the right to see it', '/persons?select=secret', 401, '42501'],
      ['a table without any right', '/hidden', 401, '42501'],
      ['a function that is not there', '/rpc/adds?a=1', 404, 'PGRST202'],
      ['an unknown path', '/a/b/c', 404, 'PGRST125'],
    ])('%s', async (_, path, status, code) => {
      const answer = await raw(path, code === 'PGRST106' ? { headers: { 'accept-profile': 'private' } } : {});
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        status,
        {
          code,
          message: expect.any(String),
          details: answer.text.includes('"details":null') ? null : expect.any(String),
          hint: expect.toBeOneOf([null, expect.any(String)]),
        },
      ]);
    });

    test('a similar name is suggested', async () => {
      expect((await guest.from('townz').select()).error?.hint).toBe("Perhaps you meant the table 'public.towns'");
      expect((await guest.rpc('adds')).error?.hint).toBe('Perhaps you meant to call the function public.add');
    });

    test.each([
      ['a second of something unique', () => user.from('lands').insert({ id: 1, name: 'x' }), 409, '23505'],
      ['something that belongs to nothing', () => user.from('towns').insert({ name: 'x', land_id: 999 }), 409, '23503'],
      ['what a check forbids', () => user.from('diary').insert({ line: 'forbidden' }), 400, '23514'],
      ['a column that is not there', () => user.from('lands').insert({ id: 1, nope: 1 }), 400, 'PGRST204'],
      ['a write without the right', () => user.from('hidden').insert({ id: 2 }), 403, '42501'],
      ["a guest's write", () => guest.from('lands').insert({ id: 2, name: 'x' }), 401, '42501'],
    ])('%s', async (_, write, status, code) => {
      const answer = await write();
      expect([answer.status, answer.error?.code]).toEqual([status, code]);
    });

    test('bodies that are not JSON, and content types that a foreign page could send', async () => {
      const post = (body: string, type: string) =>
        raw('/lands', { method: 'POST', body, headers: { 'content-type': type } }, someone.token);
      expect((await post('{"id":', 'application/json')).status).toBe(400);
      expect((await post('3', 'application/json')).status).toBe(400);
      expect((await post('{"id":60,"name":"x"}', 'text/plain')).status).toBe(415);
      expect((await raw('/lands', { method: 'LINK' }, someone.token)).status).toBe(405);
    });

    test('an invalid token', async () => {
      const { status, text } = await raw('/lands', {}, 'not.a.token');
      expect([status, JSON.parse(text).code]).toEqual([401, 'PGRST301']);
    });
  });
});
