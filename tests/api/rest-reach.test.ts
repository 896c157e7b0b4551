import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { type RestFixture, openRestFixture } from './rest-test-server.ts';

/** The less common features of `/rest/v1`, on the schema of rest.sql with default settings. */
describe.each(engines)('less common features of /rest on $name', (engine) => {
  let fixture: RestFixture;
  let guest: SupabaseClient;
  let user: SupabaseClient;
  let token: string;

  beforeAll(async () => {
    fixture = await openRestFixture(engine);
    guest = fixture.server.client();
    token = fixture.someone.token;
    user = fixture.server.client(token);
  }, 120_000);
  afterAll(() => fixture.server.close());

  const readError = async (answer: Promise<{ status: number; text: string }>): Promise<unknown[]> => {
    const { status, text } = await answer;
    const body: Record<string, unknown> = JSON.parse(text);
    return [status, body['code'], body['message'], body['details'], body['hint']];
  };

  describe('computed columns', () => {
    test('are returned only when selected by name', async () => {
      const named = await guest
        .from('towns')
        .select('id, shout, loudly:shout, card->name, card->land::text')
        .eq('id', 1);
      expect(named.data).toEqual([{ id: 1, shout: 'ABERDALE', loudly: 'ABERDALE', name: 'Aberdale', land: '1' }]);
      const all = await guest.from('towns').select('*').eq('id', 1).single();
      expect(Object.keys(all.data ?? {})).not.toContain('shout');
    });

    test('filter, order and can be embedded', async () => {
      const found = await guest.from('towns').select('id').like('shout', '%D%').order('shout', { ascending: false });
      expect(found.data).toEqual([{ id: 4 }, { id: 2 }, { id: 1 }]);
      const lands = await guest.from('lands').select('towns(shout)').eq('id', 2);
      expect(lands.data).toEqual([{ towns: [{ shout: 'CLIFF (EAST)' }] }]);
      const either = await guest.from('towns').select('id').or('shout.eq.DUNE,card->>name.eq.Aberdale').order('id');
      expect(either.data).toEqual([{ id: 1 }, { id: 4 }]);
    });

    test('are returned by writes and functions', async () => {
      const created = await user
        .from('towns')
        .insert({ name: 'Elm', land_id: 3 })
        .select('name, shout, neighbours(id)')
        .single();
      expect(created.data).toEqual({ name: 'Elm', shout: 'ELM', neighbours: [] });
      const changed = await user.from('towns').update({ name: 'Oak' }).eq('shout', 'ELM').select('shout, home(name)');
      expect(changed.data).toEqual([{ shout: 'OAK', home: { name: 'Empty' } }]);
      await user.from('towns').delete().eq('name', 'Oak');
      const called = await guest.rpc('towns_like', { part: 'dune' }).select('shout, lands(name)');
      expect(called.data).toEqual([{ shout: 'DUNE', lands: null }]);
    });
  });

  describe('computed relationships', () => {
    test('lead to many rows, to one, and to a single row', async () => {
      const { data, error } = await guest
        .from('towns')
        .select('id, neighbours(id, lands(name)), home(name)')
        .in('id', [1, 4])
        .order('id');
      expect(error).toBeNull();
      expect(data).toEqual([
        { id: 1, neighbours: [{ id: 2, lands: { name: 'North' } }], home: { name: 'North' } },
        { id: 4, neighbours: [], home: null },
      ]);
      const lands = await guest.from('lands').select('id, oldest(name)').order('id');
      expect(lands.data).toEqual([
        { id: 1, oldest: { name: 'Aberdale' } },
        { id: 2, oldest: { name: 'Cliff (east)' } },
        { id: 3, oldest: { name: null } },
      ]);
    });

    test('can be filtered, paged, spread, ordered by, and required', async () => {
      const inner = await guest.from('towns').select('id, near:neighbours!inner(id)').eq('near.mood', 'busy');
      expect(inner.data).toEqual([{ id: 1, near: [{ id: 2 }] }]);
      const flat = await guest.from('towns').select('id, ...home(land:name)').order('home(name)').order('id').limit(2);
      expect(flat.data).toEqual([
        { id: 1, land: 'North' },
        { id: 2, land: 'North' },
      ]);
      const none = await guest.from('lands').select('id, oldest()').is('oldest', null);
      expect(none.data).toEqual([{ id: 3 }]);
    });
  });

  describe('embedding', () => {
    test('by a key of two columns, also through a view', async () => {
      const down = await guest.from('plots').select('place, code, crops(name)').order('place');
      expect(down.data).toEqual([
        { place: 1, code: '2000', crops: [{ name: 'oats' }, { name: 'rye' }] },
        { place: 2, code: '2010', crops: [{ name: 'corn' }] },
      ]);
      const up = await guest.from('crops').select('name, plots!crops_plot(code), plot_cards(spot)').eq('id', 3);
      expect(up.data).toEqual([{ name: 'corn', plots: { code: '2010' }, plot_cards: { spot: 2 } }]);
    });

    test('across a join table that is not exposed, with the rights of the caller', async () => {
      const across = await guest.from('persons').select('name, lands(name)').order('name');
      expect(across.data).toEqual([
        { name: 'Ann', lands: [] },
        { name: 'Ben', lands: [{ name: 'South' }] },
      ]);
      expect((await user.from('persons').select('name, lands(name)')).error?.code).toBe('42501');
      expect((await guest.from('patrons').select()).error?.code).toBe('PGRST205');
    });

    test('many rows spread into one list per column', async () => {
      const { data, error } = await guest
        .from('lands')
        .select('id, ...towns(ids:id, names:name)')
        .order('id')
        .order('id', { referencedTable: 'towns', ascending: false });
      expect(error).toBeNull();
      expect(data).toEqual([
        { id: 1, ids: [2, 1], names: ['Brook, the "Old"', 'Aberdale'] },
        { id: 2, ids: [3], names: ['Cliff (east)'] },
        { id: 3, ids: [], names: [] },
      ]);
      const across = await guest
        .from('persons')
        .select('name, ...towns(places:name)')
        .order('name')
        .limit(1, { referencedTable: 'towns' });
      expect(across.data?.map((row) => row['places'])).toEqual([[expect.any(String)], ['Aberdale']]);
      const deep = await guest.from('lands').select('...towns(id, ...residents(since))').eq('id', 2);
      expect(deep.data).toEqual([{ id: [3], since: [[]] }]);
    });

    test('filters inside brackets, nested filters, and or of an embedded relation', async () => {
      const found = await guest
        .from('lands')
        .select('id, towns(id, residents(person_id))')
        .or('mood.eq.busy,name.eq.Aberdale', { referencedTable: 'towns' })
        .eq('towns.residents.person_id', 'aaaaaaaa-0000-4000-8000-000000000002')
        .eq('id', 1);
      expect(found.data).toEqual([
        {
          id: 1,
          towns: [
            { id: 1, residents: [{ person_id: 'aaaaaaaa-0000-4000-8000-000000000002' }] },
            { id: 2, residents: [] },
          ],
        },
      ]);
    });
  });

  describe('PUT of a row', () => {
    const put = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fixture.raw(path, { method: 'PUT', body: JSON.stringify(body), headers }, token);

    test('inserts it, or replaces the existing row', async () => {
      const created = await put('/lands?id=eq.70', { id: 70, name: 'Put' });
      expect([created.status, created.text]).toEqual([201, '']);
      const repeated = await put('/lands?id=eq.70', { id: 70, name: 'Put again' });
      expect(repeated.status).toBe(204);
      const shown = await put('/lands?id=eq.70', { id: 70, name: 'Third' }, { prefer: 'return=representation' });
      expect([shown.status, JSON.parse(shown.text)]).toEqual([200, [{ id: 70, name: 'Third' }]]);
      const plot = await put('/plots?line=eq.9&place=eq.8', { line: 9, place: 8, code: '3000' });
      expect(plot.status).toBe(201);
    });

    test('is refused unless the filter is the whole key and matches the body', async () => {
      const filters = [
        405,
        'PGRST105',
        "Filters must include all and only primary key columns with 'eq' operators",
        null,
        null,
      ];
      expect(await readError(put('/lands', { id: 71, name: 'x' }))).toEqual(filters);
      expect(await readError(put('/lands?id=gt.71', { id: 71, name: 'x' }))).toEqual(filters);
      expect(await readError(put('/lands?id=eq.71&name=eq.x', { id: 71, name: 'x' }))).toEqual(filters);
      expect(await readError(put('/plots?line=eq.1', { line: 1, place: 1 }))).toEqual(filters);
      expect(await readError(put('/lands?id=eq.71&limit=1', { id: 71, name: 'x' }))).toEqual([
        400,
        'PGRST114',
        'limit/offset querystring parameters are not allowed for PUT',
        null,
        null,
      ]);
      const key = [400, 'PGRST115', 'Payload values do not match URL in primary key column(s)', null, null];
      expect(await readError(put('/lands?id=eq.71', { id: 72, name: 'x' }))).toEqual(key);
      expect(await readError(put('/lands?id=eq.71', { name: 'x' }))).toEqual(key);
      expect((await guest.from('lands').select('id').in('id', [71, 72])).data).toEqual([]);
    });

    test('an upsert answers 201 only when it inserted a row', async () => {
      const first = await user.from('lands').upsert({ id: 73, name: 'New' });
      const second = await user.from('lands').upsert({ id: 73, name: 'Old' });
      const mixed = await user.from('lands').upsert([
        { id: 73, name: 'Older' },
        { id: 74, name: 'Newer' },
      ]);
      expect([first.status, second.status, mixed.status]).toEqual([201, 200, 201]);
      const card = await user
        .from('plots')
        .upsert({ line: 1, place: 1, code: '2001' }, { onConflict: 'line,place' })
        .select('code');
      expect([card.status, card.data]).toEqual([200, [{ code: '2001' }]]);
    });
  });

  describe('CSV', () => {
    test('is accepted as rows', async () => {
      const body = 'id,name\n80,"Comma, and ""quote"""\n81,Plain\n';
      const sent = await fixture.raw(
        '/lands?select=id,name',
        { method: 'POST', body, headers: { 'content-type': 'text/csv', prefer: 'return=representation' } },
        token,
      );
      expect([sent.status, JSON.parse(sent.text)]).toEqual([
        201,
        [
          { id: 80, name: 'Comma, and "quote"' },
          { id: 81, name: 'Plain' },
        ],
      ]);
      const uneven = await fixture.raw(
        '/lands',
        { method: 'POST', body: 'id,name\n82', headers: { 'content-type': 'text/csv' } },
        token,
      );
      expect(uneven.status).toBe(400);
    });
  });

  describe('functions', () => {
    test('take a row of a table, whole or as text', async () => {
      const { data, error } = await guest.rpc('praise', { town: { id: 1, name: 'Elm' }, word: 'green' });
      expect([data, error]).toEqual(['green Elm', null]);
      expect((await guest.rpc('praise', { town: { name: 'Elm' } })).data).toBe('fair Elm');
    });

    test('take a raw body: JSON, text and bytes', async () => {
      const post = (name: string, type: string, body: string | Uint8Array<ArrayBuffer>) =>
        fixture.raw(`/rpc/${name}`, { method: 'POST', body, headers: { 'content-type': type } });
      expect((await post('echo', 'application/json', '{"a": [1]}')).text).toBe('{"a": [1]}');
      expect((await post('both', 'application/json', '[1, 2]')).text).toBe('"array"');
      expect((await post('loud', 'text/plain', 'a, b')).text).toBe('"A, B"');
      expect((await post('weigh', 'application/octet-stream', new Uint8Array([0, 1, 2]))).text).toBe('3');
      expect(await readError(post('weigh', 'text/plain', 'abc'))).toEqual([
        404,
        'PGRST202',
        'Could not find the function public.weigh in the schema cache',
        'Searched for the function public.weigh with a single unnamed text parameter, but no matches were found in the schema cache.',
        null,
      ]);
    });

    test('overloads are chosen by their arguments', async () => {
      expect((await guest.rpc('measure', { width: 2, height: 3 })).data).toBe(6);
      expect((await guest.rpc('measure', { radius: 2 })).data).toBe(12);
      expect(await readError(fixture.raw('/rpc/measure?width=1'))).toEqual([
        404,
        'PGRST202',
        'Could not find the function public.measure(width) in the schema cache',
        'Searched for the function public.measure with parameter width, but no matches were found in the schema cache.',
        'Perhaps you meant to call the function public.measure(height, width)',
      ]);
      const which = await guest.rpc('pick', { a: 1 });
      expect(which.error).toEqual({
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: public.pick(a => integer), public.pick(a => text)',
        details: null,
        hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
      });
    });

    test('variadic arguments can be repeated in a query', async () => {
      expect((await fixture.raw('/rpc/total?numbers=1&numbers=2&numbers=4')).text).toBe('7');
      expect((await fixture.raw('/rpc/total?numbers=5')).text).toBe('5');
    });

    test('out columns make a row, a table of one column a list of rows', async () => {
      expect((await guest.rpc('one_out', { a: 4 })).data).toEqual({ doubled: 8 });
      expect((await guest.rpc('one_column', { n: 3 }).gt('square', 1)).data).toEqual([{ square: 4 }, { square: 9 }]);
    });

    test('a table of one row or one column is still a table', async () => {
      const csv = { headers: { accept: 'text/csv' } };
      expect((await fixture.raw('/rpc/first_town?select=id,name', csv)).text).toBe('id,name\n1,Aberdale');
      expect((await fixture.raw('/rpc/one_column?n=2', csv)).text).toBe('square\n1\n4');
      expect((await fixture.raw('/rpc/sevens?n=2', csv)).text).toBe('pgrst_scalar\n7\n7');
      expect((await fixture.raw('/rpc/add?a=1', csv)).text).toBe('pgrst_scalar\n11');
    });

    test('rows can omit their nulls or be a single object', async () => {
      const stripped = { headers: { accept: 'application/vnd.pgrst.array+json;nulls=stripped' } };
      expect(JSON.parse((await fixture.raw('/rpc/towns_like?part=cliff&select=id,code', stripped)).text)).toEqual([
        { id: 3 },
      ]);
      expect((await guest.rpc('towns_like', { part: 'dune' }).select('id').single()).data).toEqual({ id: 4 });
      expect((await guest.rpc('towns_like', { part: 'e' }).single()).error?.code).toBe('PGRST116');
      const head = await fixture.raw('/rpc/towns_like?part=e', { method: 'HEAD', headers: { prefer: 'count=exact' } });
      expect([head.text, head.headers.get('content-range')]).toEqual(['', '0-3/4']);
    });

    test('lists of scalars are paged and counted', async () => {
      const page = await guest.rpc('sevens', { n: 5 }, { count: 'exact' }).range(1, 2);
      expect([page.data, page.count]).toEqual([[7, 7], 5]);
    });

    test('answer in their own media type', async () => {
      const page = await fixture.raw('/rpc/page', { headers: { accept: 'text/html' } });
      expect([page.status, page.headers.get('content-type'), page.text]).toEqual([
        200,
        'text/html; charset=utf-8',
        '<h1>Towns</h1>',
      ]);
      const plain = await fixture.raw('/rpc/page', { headers: { accept: 'application/json' } });
      expect(plain.text).toBe('"<h1>Towns</h1>"');
      const response = await fetch(`${fixture.server.url}/rest/v1/rpc/picture`, {
        headers: { apikey: fixture.server.app.keys.anonKey, accept: 'image/png' },
      });
      expect([response.headers.get('content-type'), Buffer.from(await response.arrayBuffer()).toString('hex')]).toEqual(
        ['image/png', '89504e47'],
      );
      const other = await fixture.raw('/rpc/page', { headers: { accept: 'image/png' } });
      expect([other.status, JSON.parse(other.text).code]).toEqual([406, 'PGRST107']);
    });

    test('a stable function cannot write, whatever it calls', async () => {
      expect((await user.rpc('calm')).status).toBe(405);
      expect((await user.rpc('calm')).error?.code).toBe('25006');
    });

    test('max-affected needs a set of rows, and rolls back when there are more', async () => {
      await user.from('lands').insert([
        { id: 90, name: 'same 1' },
        { id: 91, name: 'same 2' },
      ]);
      const strict = { prefer: 'handling=strict, max-affected=1' };
      const call = (name: string, body: unknown) =>
        fixture.raw(`/rpc/${name}`, { method: 'POST', body: JSON.stringify(body), headers: strict }, token);
      expect(await readError(call('rename_land', { old: 'same %', new: 'x' }))).toEqual([
        400,
        'PGRST124',
        'Query result exceeds max-affected preference constraint',
        'The query affects 2 rows',
        null,
      ]);
      expect((await guest.from('lands').select('name').eq('id', 90).single()).data?.name).toBe('same 1');
      expect(await readError(call('add', { a: 1 }))).toEqual([
        400,
        'PGRST128',
        'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
        null,
        null,
      ]);
    });

    test('see the settings of the request, including its time zone', async () => {
      const seen = await fixture.raw('/rpc/settings_seen', { headers: { prefer: 'timezone=Australia/Sydney' } });
      expect(JSON.parse(seen.text)).toEqual({
        zone: 'Australia/Sydney',
        path: '"public", "extensions"',
        noon: '2020-01-01T23:00:00+11:00',
      });
      expect(seen.headers.get('preference-applied')).toBe('timezone=Australia/Sydney');
      expect(
        JSON.parse((await fixture.raw('/rpc/settings_seen', { headers: { prefer: 'timezone=Nowhere' } })).text),
      ).toMatchObject({ zone: 'UTC' });
      // Node's library has this time zone, but PostgreSQL does not.
      expect(
        JSON.parse((await fixture.raw('/rpc/settings_seen', { headers: { prefer: 'timezone=JST' } })).text),
      ).toMatchObject({ zone: 'UTC' });
    });

    test('raise their own errors', async () => {
      const message = JSON.stringify({ code: 'own', message: 'mine', details: 'd', hint: 'h' });
      const detail = JSON.stringify({ status: 418, headers: { 'x-pot': 'tea' } });
      const raised = await fixture.raw('/rpc/raise_own', { method: 'POST', body: JSON.stringify({ message, detail }) });
      expect([raised.status, raised.headers.get('x-pot'), JSON.parse(raised.text)]).toEqual([
        418,
        'tea',
        { code: 'own', message: 'mine', details: 'd', hint: 'h' },
      ]);
      const wrong = fixture.raw('/rpc/raise_own', { method: 'POST', body: JSON.stringify({ message: 'no', detail }) });
      expect(await readError(wrong)).toEqual([
        500,
        'PGRST121',
        `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
        "Invalid JSON value for MESSAGE: 'no'",
        "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
      ]);
    });

    test.runIf(engine.name === 'PostgreSQL')('that take too long are cancelled with 57014', async () => {
      const slow = await guest.rpc('slow');
      expect([slow.status, slow.error]).toEqual([
        500,
        { code: '57014', message: 'canceling statement due to statement timeout', details: null, hint: null },
      ]);
    });
  });

  describe('error messages', () => {
    test.each<[string, string, RequestInit, unknown[]]>([
      [
        'a column almost named',
        '/towns?select=nam',
        {},
        [
          400,
          '42703',
          'column towns.nam does not exist',
          null,
          'Perhaps you meant to reference the column "towns.name".',
        ],
      ],
      [
        'a table almost named',
        '/town',
        {},
        [
          404,
          'PGRST205',
          "Could not find the table 'public.town' in the schema cache",
          null,
          "Perhaps you meant the table 'public.towns'",
        ],
      ],
      [
        'a relation almost named',
        '/lands?select=id,town(id)',
        {},
        [
          400,
          'PGRST200',
          "Could not find a relationship between 'lands' and 'town' in the schema cache",
          "Searched for a foreign key relationship between 'lands' and 'town' in the schema 'public', but no matches were found.",
          "Perhaps you meant 'towns' instead of 'town'.",
        ],
      ],
      [
        'a select that ends too soon',
        '/lands?select=id,towns(id',
        {},
        [
          400,
          'PGRST100',
          '"failed to parse select parameter (id,towns(id)" (line 1, column 12)',
          'unexpected end of input',
          null,
        ],
      ],
      [
        'an unknown operator',
        '/lands?id=equals.1',
        {},
        [400, 'PGRST100', '"failed to parse filter (equals.1)" (line 1, column 1)', 'unexpected "e"', null],
      ],
      [
        'a logic tree that does not close',
        '/lands?or=(id.eq.1',
        {},
        [
          400,
          'PGRST100',
          '"failed to parse logic tree ((id.eq.1)" (line 1, column 9)',
          'unexpected end of input',
          null,
        ],
      ],
      [
        'sums where they are off',
        '/towns?select=people.sum()',
        {},
        [400, 'PGRST123', 'Use of aggregate functions is not allowed', null, null],
      ],
      [
        'geography without its extension',
        '/towns',
        { headers: { accept: 'application/geo+json' } },
        [406, 'PGRST107', 'None of these media types are available: application/geo+json', null, null],
      ],
      [
        'the plan where it is off',
        '/towns',
        { headers: { accept: 'application/vnd.pgrst.plan+json' } },
        [406, 'PGRST107', 'None of these media types are available: application/vnd.pgrst.plan+json', null, null],
      ],
      [
        'a schema that is not shown',
        '/notes',
        { headers: { 'accept-profile': 'second' } },
        [406, 'PGRST106', 'Invalid schema: second', null, 'Only the following schemas are exposed: public'],
      ],
      [
        'an unknown preference, with handling=strict',
        '/lands',
        { headers: { prefer: 'handling=strict, speed=high' } },
        [400, 'PGRST122', 'Invalid preferences given with handling=strict', 'Invalid preferences: speed=high', null],
      ],
      [
        'a function by another method',
        '/rpc/add',
        { method: 'PATCH', body: '{}' },
        [405, 'PGRST101', 'Cannot use the PATCH method on RPC', null, null],
      ],
      [
        'a filter of something not embedded',
        '/lands?towns.id=eq.1',
        {},
        [
          400,
          'PGRST108',
          "'towns' is not an embedded resource in this request",
          null,
          "Verify that 'towns' is included in the 'select' query parameter.",
        ],
      ],
      [
        'an order by many rows',
        '/lands?select=towns(id)&order=towns(id)',
        {},
        [
          400,
          'PGRST118',
          "A related order on 'towns' is not possible",
          "'lands' and 'towns' do not form a many-to-one or one-to-one relationship",
          null,
        ],
      ],
      [
        'a comparison with an embedded relation',
        '/lands?select=towns(id)&towns=eq.1',
        {},
        [
          400,
          'PGRST120',
          "Bad operator on the 'towns' embedded resource",
          'Only is null or not is null filters are allowed on embedded resources',
          null,
        ],
      ],
      [
        'one relation twice by one name',
        '/lands?select=towns(id),towns(name)',
        {},
        [400, '42712', 'table name "lands_towns_1" specified more than once', null, null],
      ],
      [
        'less than nothing',
        '/lands?limit=-1',
        {},
        [416, 'PGRST103', 'Requested range not satisfiable', 'Limit should be greater than or equal to zero.', null],
      ],
      [
        'more than one value where one is needed',
        '/rpc/too_many',
        {},
        [500, '21000', 'more than one row returned by a subquery used as an expression', null, null],
      ],
      [
        'a page beyond the end',
        '/towns?offset=9',
        { headers: { prefer: 'count=exact' } },
        [
          416,
          'PGRST103',
          'Requested range not satisfiable',
          'An offset of 9 was requested, but there are only 4 rows.',
          null,
        ],
      ],
    ])('%s', async (_, path, init, expected) => {
      expect(await readError(fixture.raw(path, init))).toEqual(expected);
    });

    test('a guest gets WWW-Authenticate', async () => {
      const { status, headers } = await fixture.raw('/hidden');
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    });

    test('an ambiguous relation lists the name of each relationship', async () => {
      const { error } = await guest.from('letters').select('persons(name)');
      expect(error).toMatchObject({
        message: "Could not embed because more than one relationship was found for 'letters' and 'persons'",
        hint: "Try changing 'persons' to one of the following: 'persons!letters_receiver', 'persons!letters_sender'. Find the desired relationship in the 'details' key.",
      });
    });
  });

  test('the root describes what its caller may use', async () => {
    const guests = await fixture.raw('/');
    expect(guests.headers.get('content-type')).toBe('application/openapi+json; charset=utf-8');
    const doc = JSON.parse(guests.text);
    expect(doc).toMatchObject({
      swagger: '2.0',
      info: { title: 'Towns and lands' },
      basePath: '/rest/v1',
      paths: {
        '/towns': { get: { tags: ['towns'], summary: 'Where people live' } },
        '/rpc/add': { get: { summary: 'Adds', description: 'Two numbers.' }, post: {} },
      },
      definitions: {
        towns: {
          description: 'Where people live',
          required: expect.arrayContaining(['id', 'name']),
          properties: {
            id: { type: 'integer', format: 'integer', description: 'Note:\nThis is a Primary Key.<pk/>' },
            land_id: { description: "Note:\nThis is a Foreign Key to `lands.id`.<fk table='lands' column='id'/>" },
            people: { type: 'integer', format: 'bigint', default: 7, description: 'how many' },
            tags: { type: 'array', items: { type: 'string' } },
            mood: { type: 'string', enum: ['calm', 'busy'], default: 'calm' },
            code: { maxLength: 5 },
          },
        },
      },
    });
    const named: string[] = [];
    JSON.parse(guests.text, (key, value: unknown) => {
      if (key === '$ref') named.push(String(value));
      return value;
    });
    expect(named.length).toBeGreaterThan(50);
    const defined = ['definitions', 'parameters'].flatMap((kind) =>
      Object.keys(doc[kind]).map((name) => `#/${kind}/${name}`),
    );
    expect(named.filter((name) => !defined.includes(name))).toEqual([]);
    expect(Object.keys(doc.paths)).not.toContain('/hidden');
    expect(Object.keys(doc.paths['/rpc/touch_diary'])).toEqual(['post']);
    const service = JSON.parse((await fixture.raw('/', {}, fixture.server.app.keys.serviceRoleKey)).text);
    expect(Object.keys(service.paths)).toContain('/hidden');
    expect((await fixture.raw('/', { method: 'HEAD' })).text).toBe('');
    expect((await fixture.raw('/', { headers: { accept: 'text/html' } })).status).toBe(406);
  });
});
