import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { type RestFixture, openRestFixture, soon } from './rest-test-server.ts';

/** `OPTIONS` and unavailable media types, on the schema of rest.sql (PostgREST docs: "OPTIONS method", "Media Type Handlers"). */
describe.each(engines)('OPTIONS of /rest on $name', (engine) => {
  let fixture: RestFixture;
  beforeAll(async () => {
    fixture = await openRestFixture(engine);
    await fixture.script(`
create view public.crowds as select land_id, sum(people) as people from public.towns group by land_id;

create materialized view public.crowds_kept as select land_id, sum(people) as people from public.towns group by land_id;

create table public.keyless (word text);

create function public.measure(side text) returns int language sql volatile as 'select length(side)';

grant select on public.crowds, public.crowds_kept, public.keyless to anon;

notify pgrst;`);
    await soon(async () => expect((await fixture.raw('/keyless?limit=0')).status).toBe(200));
  }, 120_000);
  afterAll(() => fixture.server.close());

  const ask = async (path: string, headers: Record<string, string> = {}, token?: string) => {
    const { status, headers: answered, text } = await fixture.raw(path, { method: 'OPTIONS', headers }, token);
    return { status, allow: answered.get('allow'), text };
  };
  const refused = async (path: string, headers: Record<string, string> = {}, token?: string) => {
    const { status, allow, text } = await ask(path, headers, token);
    const body: Record<string, unknown> = JSON.parse(text);
    return [status, allow, body['code']];
  };

  test.each([
    ['a table', '/towns', 'POST,PUT,PATCH,DELETE'],
    ['a table that this caller has no right to', '/hidden', 'POST,PUT,PATCH,DELETE'],
    ['a table without a key', '/keyless', 'POST,PATCH,DELETE'],
    ['a view that passes everything on', '/town_cards', 'POST,PUT,PATCH,DELETE'],
    ['a view with triggers for two verbs', '/visits', 'POST,PUT,PATCH'],
    ['a view of two branches with triggers', '/bookings', 'POST,PUT,PATCH'],
    ['a view of sums', '/crowds', null],
    ['a materialized view', '/crowds_kept', null],
    ['a table, whatever the query', '/towns?select=nope&id=eq.x', 'POST,PUT,PATCH,DELETE'],
    ['a function that changes nothing', '/rpc/add', 'POST'],
    ['the same with its arguments', '/rpc/add?a=1', 'POST'],
    ['a function by the arguments it is given', '/rpc/measure?radius=1', 'POST'],
  ])('%s', async (_, path, more) => {
    const allow = ['OPTIONS,GET,HEAD', ...(more === null ? [] : [more])].join(',');
    expect(await ask(path)).toEqual({ status: 200, allow, text: '' });
  });

  test('volatile functions allow only POST', async () => {
    for (const path of ['/rpc/touch_diary', '/rpc/rename_land', '/rpc/measure?side=a'])
      expect([path, await ask(path)]).toEqual([path, { status: 200, allow: 'OPTIONS,POST', text: '' }]);
  });

  test('the root path, and a table of a named schema', async () => {
    expect((await ask('/')).allow).toBe('OPTIONS,GET,HEAD');
    expect((await ask('')).allow).toBe('OPTIONS,GET,HEAD');
    expect((await ask('/towns', { 'accept-profile': 'public' })).status).toBe(200);
    expect(await refused('/towns', { 'accept-profile': 'private' })).toEqual([406, null, 'PGRST106']);
  });

  test('what does not exist is refused as with GET', async () => {
    for (const path of ['/townz', '/rpc/adds', '/rpc/add?c=1', '/a/b/c']) {
      const { status, text } = await fixture.raw(path);
      expect(await refused(path)).toEqual([status, null, JSON.parse(text).code]);
    }
    expect(await refused('/townz')).toEqual([404, null, 'PGRST205']);
    expect(await refused('/rpc/adds')).toEqual([404, null, 'PGRST202']);
    expect(await refused('/rpc/add?c=1')).toEqual([404, null, 'PGRST202']);
    expect(await refused('/towns', {}, 'not.a.token')).toEqual([401, null, 'PGRST301']);
  });

  test('a CORS preflight is answered without reading the schema or the token', async () => {
    const preflight = { origin: 'https://elsewhere.example', 'access-control-request-method': 'PATCH' };
    for (const path of ['/towns', '/townz']) {
      const { status, headers } = await fixture.raw(path, { method: 'OPTIONS', headers: preflight }, 'not.a.token');
      expect([status, headers.get('allow'), headers.get('access-control-allow-origin')]).toEqual([204, null, '*']);
      expect(headers.get('access-control-allow-methods')).toContain('PATCH');
    }
  });

  test('GeoJSON, which needs PostGIS, is refused, unless another type is acceptable too', async () => {
    const accept = 'application/geo+json';
    const expected = { code: 'PGRST107', message: `None of these media types are available: ${accept}` };
    for (const path of ['/towns', '/rpc/first_town', '/rpc/add?a=1']) {
      const { status, text } = await fixture.raw(path, { headers: { accept } });
      expect([path, status, JSON.parse(text)]).toEqual([path, 406, { ...expected, details: null, hint: null }]);
    }
    const token = fixture.someone.token;
    const write = { method: 'PATCH', body: '{"name":"Gone"}', headers: { accept, prefer: 'return=representation' } };
    expect((await fixture.raw('/towns?id=eq.1', write, token)).status).toBe(406);
    const either = await fixture.raw('/towns?select=name&id=eq.1', {
      headers: { accept: `${accept}, application/json` },
    });
    expect([either.status, either.text]).toEqual([200, '[{"name":"Aberdale"}]']);
    const { error } = await fixture.client().from('towns').select().geojson();
    expect(error).toMatchObject(expected);
  });
});
