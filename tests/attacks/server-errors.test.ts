import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { TestServer } from '#tests/support/test-server.ts';

/** Whatever a request contains, its answer must not be a server error. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);
/** Text searches that PostgreSQL cannot parse, or that fill its stack. */
const SEARCHES = [
  ...['!', '! ', '!(', '!!a&', '-', '-"', '(', '((', "'a':*", 'a<->', 'a|!', 'a or -', ':*', '\\', "'"].flatMap(
    (part) => [1, 16, 33, 48].map((count) => part.repeat(count)),
  ),
  `${'!'.repeat(40)}a`,
  `a & (b | ${'!'.repeat(40)}c)`,
  `${'('.repeat(120)}a${')'.repeat(120)}`,
  `${'('.repeat(4_000)}a${')'.repeat(4_000)}`,
  'a'.repeat(2_100),
  'a<99999->b',
];

type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

describe.each(engines)('no answer is a server error on $name', { timeout: 120_000 }, (engine) => {
  let server: TestServer;
  let tokens: readonly string[];
  beforeAll(async () => {
    server = await engine.open();
    const { token } = await server.addCustomer();
    tokens = [server.app.keys.anonKey, token, server.app.keys.serviceRoleKey];
  }, 60_000);
  afterAll(() => server.close());

  /** Sends requests as a guest, a customer and the service, and returns those answered with a status of 500 or above. */
  async function failures(requests: readonly (readonly [string, Init])[]): Promise<string[]> {
    const failed: string[] = [];
    for (const [path, init] of requests)
      for (const token of tokens) {
        const response = await fetch(`${server.url}${path}`, {
          ...init,
          headers: {
            apikey: token,
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            ...init.headers,
          },
        });
        await response.text();
        if (response.status >= 500) failed.push(`${response.status} ${path} ${JSON.stringify(init).slice(0, 80)}`);
      }
    return failed;
  }

  test('when a header, an address or a body has the name of an inherited property', async () => {
    const requests = INHERITED.flatMap((name): (readonly [string, Init])[] => [
      ['/rest/v1/studios?select=id&limit=1', { headers: { prefer: name } }],
      ['/rest/v1/studios?select=id&limit=1', { headers: { prefer: `${name}=exact, count=${name}, timezone=${name}` } }],
      ['/rest/v1/studios?select=id&limit=1', { headers: { accept: `application/${name}` } }],
      ['/rest/v1/studios?select=id&limit=1', { headers: { 'accept-profile': name } }],
      ['/rest/v1/studios', { method: 'POST', body: `{"${name}":1}`, headers: { prefer: name } }],
      ['/rest/v1/studios?id=eq.x', { method: 'PATCH', body: `{"${name}":1}`, headers: { prefer: name } }],
      ['/rest/v1/studios?id=eq.x', { method: 'DELETE', headers: { prefer: name } }],
      [`/rest/v1/studios?select=${name}`, {}],
      [`/rest/v1/studios?select=${name}(id),name::${name},id.${name}()`, {}],
      [`/rest/v1/studios?${name}=eq.1&order=${name}.desc`, {}],
      [`/rest/v1/studios?name=${name}.1`, {}],
      [`/rest/v1/studios?name=fts(${name}).a`, {}],
      [`/rest/v1/${name}`, {}],
      [`/rest/v1/rpc/${name}`, { method: 'POST', body: `{"${name}":1}` }],
      [`/auth/v1/token?grant_type=${name}`, { method: 'POST', body: `{"${name}":1}` }],
      ['/auth/v1/verify', { method: 'POST', body: JSON.stringify({ type: name, token_hash: 'x' }) }],
      [`/auth/v1/authorize?provider=${name}`, { redirect: 'manual' }],
      [`/functions/v1/${name}`, { method: 'POST', body: `{"${name}":1}` }],
      ['/functions/v1/create-payment', { method: 'POST', body: `{"${name}":{"${name}":1}}` }],
      [`/storage/v1/object/${name}/${name}`, {}],
      [`/storage/v1/bucket`, { method: 'POST', body: JSON.stringify({ name, id: name, file_size_limit: name }) }],
      [`/realtime/v1/api/broadcast/${name}/events/${name}`, { method: 'POST', body: `{"${name}":1}` }],
    ]);
    expect(await failures(requests)).toEqual([]);
  });

  test('when a text search has operators, brackets or words that PostgreSQL cannot read', async () => {
    const requests = SEARCHES.flatMap((search) =>
      ['fts', 'plfts', 'phfts', 'wfts'].map((operator): readonly [string, Init] => [
        `/rest/v1/studios?select=id&description=${operator}.${encodeURIComponent(search)}`,
        {},
      ]),
    );
    expect(await failures(requests)).toEqual([]);
  });

  test('when a lenient Prefer names a time zone that only other programs know, which is ignored', async () => {
    const zones = ['JST', 'AET', 'ACT', 'US/Pacific-New', 'SystemV/AST4', 'Nowhere', 'constructor'];
    const ask = (zone: string): Promise<Response> =>
      fetch(`${server.url}/rest/v1/studios?select=id&limit=1`, {
        headers: { apikey: server.app.keys.anonKey, prefer: `timezone=${zone}` },
      });
    const answers = await Promise.all(zones.map(ask));
    expect(answers.map(({ status, headers }) => [status, headers.get('preference-applied')])).toEqual(
      zones.map(() => [200, null]),
    );
    const accepted = await ask('Australia/Sydney');
    expect([accepted.status, accepted.headers.get('preference-applied')]).toEqual([200, 'timezone=Australia/Sydney']);
  });
});
