import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

/**
 * Number of generated requests. They are short but expensive, come from a guest and from a customer, and must be refused with 400 or
 * answered within limits.
 */
const MADE = process.env['TEST_LONG'] === '1' ? 200 : 40;
const GUEST_BYTES = 200_000;
const USER_BYTES = 400_000;

/** Two tables with a lot of text that refer to each other. Statements are separated by empty lines. */
const SCHEMA = `create table public.books (id int primary key, title text not null, body text not null, facts jsonb not null default '{}');

create table public.pages (id int primary key, book int not null references public.books (id), twin int references public.pages (id), line text not null);

create index on public.pages (book);

create function public.twice(one public.pages) returns text language sql immutable as 'select repeat(one.line, 50)';

insert into public.books select n, 'Book ' || n, repeat('a', 3000), '{"a": {"b": 1}}' from generate_series(1, 300) n;

insert into public.pages select n, 1 + n % 300, (n + 1) % 3000, repeat('line ', 20) from generate_series(0, 2999) n;

grant select on public.books, public.pages to anon, authenticated, service_role;

grant insert on public.books to authenticated;

grant execute on function public.twice(public.pages) to anon, authenticated, service_role;

analyze public.books;

analyze public.pages;

notify pgrst, 'reload schema';`;

const NESTED = 'studios?select=*,bookings(*,studios(*,bookings(*,studios(*,bookings(*)))))';
const STOPPING = 'studios?select=id&description=match.(?:(?:a{0,255}){0,255}){0,5}b';
/** PostgreSQL needs more than 20 seconds to compile this. */
const SLOW_PATTERN = '(?:(^|$|a|)(^|$|a|)(^|$|a|)){11}';
const copies = (column: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `c${index}:${column}`).join(',');
const embeds = (count: number, inside: string): string =>
  Array.from({ length: count }, (_, index) => `e${index}:pages(${inside})`).join(',');

const PATTERN = 'pattern_too_costly';
const REQUEST = 'request_too_costly';
const ANSWER = 'answer_too_large';

/** Requests that are refused to every caller except the service, with their error code. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ['the pattern that stopped the server', STOPPING, PATTERN],
  ['the lists inside lists that filled the memory', NESTED, REQUEST],
  ['a pattern that only compiles slowly', `books?select=id&body=imatch.${encodeURIComponent(SLOW_PATTERN)}`, PATTERN],
  ['a refused pattern under not', 'books?select=id&body=not.match.(a*)*b', PATTERN],
  ['a refused pattern in a tree', 'books?select=id&or=(id.eq.1,and(id.eq.2,body.match."(a*)*b"))', PATTERN],
  ['a refused pattern in a denied tree', 'books?select=id&not.or=(id.eq.1,body.not.imatch."(a*)*b")', PATTERN],
  ['a refused pattern in a list of any', 'books?select=id&body=match(any).{x,"(a)\\\\1"}', PATTERN],
  ['a refused pattern in a list of all', 'books?select=id&body=imatch(all).{"(a*)*b"}', PATTERN],
  ['a list with bounds, which is read nowhere else', 'books?select=id&body=match(any).[1:1]={"(a*)*b"}', PATTERN],
  ['a refused pattern on an embedded list', 'books?select=id,pages(id)&pages.line=match.(a*)*b', PATTERN],
  [
    'a refused pattern in a tree on an embedded list',
    'books?select=id,pages(id)&pages.or=(line.match."(a*)*b")',
    PATTERN,
  ],
  ['a refused pattern on a path into JSON', 'books?select=id&facts->>a=match.(a*)*b', PATTERN],
  ['a refused pattern on a computed column', 'pages?select=id&twice=match.(a*)*b', PATTERN],
  ['a long LIKE', `books?select=id&body=like.${'*a'.repeat(51)}`, PATTERN],
  ['a long ILIKE in a list', `books?select=id&body=ilike(any).{x,${'*a'.repeat(51)}}`, PATTERN],
  ['a long text search', `books?select=id&body=fts.${'a|'.repeat(50)}a`, PATTERN],
  ['a long web search', `books?select=id&body=wfts(english).${'a '.repeat(51)}`, PATTERN],
  ['many patterns', `books?select=id&${Array.from({ length: 11 }, () => 'body=like.*a*').join('&')}`, REQUEST],
  [
    'many patterns in one list',
    `books?select=id&body=like(any).{${Array.from({ length: 11 }, () => 'a').join()}}`,
    REQUEST,
  ],
  ['many conditions', `books?select=id&${Array.from({ length: 101 }, () => 'id=gt.1').join('&')}`, REQUEST],
  ['many members of lists', `books?select=id&id=in.(${Array.from({ length: 2_001 }, () => 1).join()})`, REQUEST],
  ['a long order', `books?select=id&order=${Array.from({ length: 21 }, () => 'body').join()}`, REQUEST],
  ['a long path into JSON', `books?select=x:facts${'->a'.repeat(11)}`, REQUEST],
  ['a long path into JSON to filter by', `books?select=id&facts${'->a'.repeat(11)}=eq.1`, REQUEST],
  ['a long path into JSON to order by', `books?select=id&order=facts${'->a'.repeat(11)}`, REQUEST],
  ['many copies of a column', `books?select=${copies('body', 5)}`, REQUEST],
  ['many copies of a column by the star', `books?select=*,*,*,*,*`, REQUEST],
  ['many copies of a computed column', `pages?select=${copies('twice', 5)}`, REQUEST],
  ['many copies inside an embedded list', `books?select=id,pages(${copies('line', 5)})`, REQUEST],
  ['many embedded lists', `books?select=${embeds(17, 'id')}`, REQUEST],
  ['deep single rows', `pages?select=${'twin('.repeat(5)}id${')'.repeat(5)}`, REQUEST],
  ['deep lists', 'books?select=id,pages(id,books(id,pages(id)))&limit=1000', REQUEST],
  ['lists that are only filtered by', 'books?select=id,pages!inner(books!inner(pages!inner(id)))', REQUEST],
  ['a large answer', 'books?select=*', ANSWER],
  ['a large answer as CSV', 'books?select=*&limit=300', ANSWER],
  ['a large embedded list', `books?select=id,pages(${copies('twice', 4)})`, ANSWER],
  ['a large spread list', 'books?select=id,...pages(line,twice)', ANSWER],
];

/** Requests that look expensive but are cheap. */
const ANSWERED: readonly (readonly [string, string])[] = [
  ['a list as the page requests it', 'studios?select=*'],
  ['a list in order', 'books?select=id,title&order=id'],
  ['an embedded list of one row', 'books?select=id,pages(id)&id=eq.1'],
  [
    'lists inside lists of one row, with a limit',
    'books?select=id,pages(id,books(id,pages(id)))&id=eq.1&pages.limit=5',
  ],
  ['single rows inside a list inside a list', 'books?select=id,pages(id,books(id))&limit=20'],
  ['a regular expression', 'books?select=id&body=match.a%2Bb'],
  ['a pattern', 'books?select=id&body=ilike.*b*'],
  ['a list of patterns', 'books?select=id&body=like(any).{x,y}'],
  ['a text search', 'books?select=id&body=fts.nothing'],
  ['a pattern on a computed column', 'pages?select=id&twice=like.*nothing'],
  ['a long list of keys', `books?select=id&id=in.(${Array.from({ length: 900 }, (_, index) => index).join()})`],
];

/** Generates the same requests in every run, from pieces that can each be expensive. */
function makeRequests(count: number): string[] {
  let seed = 20_301_117;
  const pick = <T>(list: readonly T[]): T => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return list[seed % list.length] as T; // the list is never empty
  };
  const inside = (depth: number): string => {
    const columns = pick(['id', '*', 'line', 'twice', 'id,line,twice', copies('line', 3), copies('line', 9)]);
    if (depth === 0) return columns;
    const next = pick([`books(id,pages(${inside(depth - 1)}))`, `twin(${inside(depth - 1)})`, `books(body)`]);
    return `${columns},${next}`;
  };
  const pattern = (): string =>
    Array.from({ length: 1 + (seed % 9) }, () =>
      pick(['a', '.', '(a|b)', '(?:a*)', '*', '+', '{0,20}', '{200}', '^', '$', '\\m', '[a-z]', '(', ')', '|', '\\1']),
    ).join('');
  const filter = (): string =>
    pick([
      () => `&body=match.${encodeURIComponent(pattern())}`,
      () => `&title=imatch(any).${encodeURIComponent(`{"${pattern().replaceAll('\\', '\\\\')}"}`)}`,
      () => `&body=like.${'*a_'.repeat(1 + (seed % 40))}`,
      () => `&body=fts.${'a%26'.repeat(1 + (seed % 40))}a`,
      () => `&order=${Array.from({ length: 1 + (seed % 15) }, () => 'body').join()}`,
      () => '',
    ])();
  return Array.from({ length: count }, () => {
    const lists = Array.from(
      { length: pick([0, 1, 2, 5, 9]) },
      (_, index) => `,e${index}:pages(${inside(pick([0, 0, 1, 2]))})`,
    );
    return `books?select=${pick(['id', '*', copies('body', 2), copies('body', 9)])}${lists.join('')}${filter()}${filter()}${pick(['', '&limit=3', '&id=eq.7'])}`;
  });
}

describe.each(engines)('costly requests to /rest on $name', (engine) => {
  let server: TestServer;
  let someone: Customer;
  let service: string;

  beforeAll(async () => {
    server = await engine.open({
      REST_GUEST_MAX_BYTES: String(GUEST_BYTES),
      REST_USER_MAX_BYTES: String(USER_BYTES),
    });
    service = server.app.keys.serviceRoleKey;
    await runScript(server, SCHEMA);
    someone = await server.addCustomer();
    await vi.waitFor(async () => expect((await get('books?select=id&limit=1', null)).status).toBe(200), 20_000);
  }, 120_000);
  afterAll(() => server.close());

  async function get(path: string, token: string | null, headers: Record<string, string> = {}) {
    const response = await fetch(`${server.url}/rest/v1/${path}`, {
      headers: {
        apikey: server.app.keys.anonKey,
        authorization: `Bearer ${token ?? server.app.keys.anonKey}`,
        ...headers,
      },
    });
    const text = await response.text();
    return { status: response.status, text, code: readCode(text) };
  }

  /** Posts a body as the customer. */
  async function send(path: string, body: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${server.url}/rest/v1/${path}`, {
      method: 'POST',
      headers: {
        apikey: server.app.keys.anonKey,
        authorization: `Bearer ${someone.token}`,
        'content-type': 'application/json',
        ...headers,
      },
      body,
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, code: readCode(await response.text()) };
  }

  test.each(REFUSED)('%s is refused to a guest and to a customer', async (_, path, code) => {
    for (const token of [null, someone.token]) {
      const answer = await get(path, token, path.endsWith('=300') ? { accept: 'text/csv' } : {});
      expect([answer.status, answer.code]).toEqual([400, code]);
      expect(JSON.parse(answer.text)).toEqual({
        code,
        message: expect.any(String),
        details: null,
        hint: expect.any(String),
      });
    }
  });

  test.each(ANSWERED)('%s is answered', async (_, path) => {
    for (const token of [null, someone.token]) expect((await get(path, token)).status).toBe(200);
  });

  test(`${MADE} generated requests are refused with 400 or answered within the size limit of their caller`, async () => {
    const seen = new Map<number, number>();
    for (const path of makeRequests(MADE)) {
      for (const [token, most] of [
        [null, GUEST_BYTES],
        [someone.token, USER_BYTES],
      ] as const) {
        const { status, text } = await get(path, token);
        seen.set(status, (seen.get(status) ?? 0) + 1);
        expect([path, [200, 400].includes(status)]).toEqual([path, true]);
        expect(Buffer.byteLength(text), path).toBeLessThanOrEqual(most);
      }
    }
    // Both statuses must occur; otherwise the generated requests test nothing.
    expect(new Set(seen.keys())).toEqual(new Set([200, 400]));
  }, 120_000);

  test('the service key has only the limit on the size of its answers', async () => {
    expect((await get(NESTED, service)).status).toBe(200);
    expect((await get('books?select=id,pages(id,books(id,pages(id)))&limit=10', service)).status).toBe(200);
    const large = await get(`books?select=${copies('body', 9)}`, service);
    expect([large.status, large.text.length > USER_BYTES]).toEqual([200, true]);
  });

  test.runIf(engine.name === 'PostgreSQL')(
    'without the limit a pattern runs until the statement times out',
    async () => {
      const path = `books?select=id&body=imatch.${encodeURIComponent(SLOW_PATTERN)}`;
      expect((await get(path, service)).code).toBe('57014');
    },
  );

  test('a write whose answer would be too large is rolled back', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      id: 10_000 + index,
      title: 'x',
      body: 'y'.repeat(5_000),
    }));
    const sent = await send('books', JSON.stringify(rows), { prefer: 'return=representation' });
    expect(sent).toEqual({ status: 400, code: ANSWER });
    expect((await get('books?select=id&id=gte.10000', null)).text).toBe('[]');
  });

  test('a body of more than a thousand rows is refused to a customer, with or without named columns', async () => {
    const post = async (query: string, count: number) =>
      (await send(`books${query}`, JSON.stringify(Array.from({ length: count }, () => ({ id: 1 }))))).code;
    expect(await post('', 1_001)).toBe(REQUEST);
    expect(await post('?columns=id', 1_001)).toBe(REQUEST);
    expect(await post('?columns=id', 1_000)).toBe('23502');
  });

  test.each([
    ['numbers that are stored with 131,072 digits each', `[${Array.from({ length: 5_000 }, () => '1e131071').join()}]`],
    ['numbers with as many decimals', '{"a":{"b":[1E-16383]}}'],
    ['a hundred thousand brackets', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a hundred thousand objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('%s in a draft are refused before the database reads them', async (_, data) => {
    const answer = await send('booking_drafts', `{"data":${data}}`);
    expect([answer.status, answer.code]).toEqual([400, 'PGRST102']);
  });

  test('a draft with ordinary numbers, brackets in a text and words like 1e999 is stored', async () => {
    const data = { a: [1e20, -2.5e-7], text: `${'['.repeat(200)} "1e999" \\`, deep: { er: [[[{}]]] } };
    const answer = await send('booking_drafts', JSON.stringify({ data }));
    expect(answer.status).toBe(201);
    expect(JSON.parse((await get('booking_drafts?select=data', someone.token)).text)).toEqual([{ data }]);
  });

  test('a row of twenty thousand keys is refused without comparing each pair of keys, and one of sixty thousand before it is parsed', async () => {
    const row = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 1]));
    expect(await send('books', JSON.stringify([row(20_000)]))).toEqual({ status: 400, code: 'PGRST204' });
    expect(await send('books', JSON.stringify([row(60_000)]))).toEqual({ status: 400, code: 'PGRST102' });
  });
});

describe.each(engines)('how often a guest may call /rest on $name', (engine) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await engine.open({ REST_GUEST_PER_MINUTE: '30', RATE_LIMIT_FACTOR: '1', TRUSTED_PROXIES: '1' });
  }, 120_000);
  afterAll(() => server.close());

  const ask = (address: string, init: RequestInit = {}, token = server.app.keys.anonKey, path = 'studios?select=id') =>
    fetch(`${server.url}/rest/v1/${path}`, {
      ...init,
      headers: {
        apikey: server.app.keys.anonKey,
        authorization: `Bearer ${token}`,
        'x-forwarded-for': address,
        'content-type': 'application/json',
      },
    });

  test('the 31st request from an address in a minute is refused with 429, in PostgREST’s format, with the time to wait', async () => {
    const answers = await Promise.all(Array.from({ length: 45 }, () => ask('203.0.113.1')));
    const refused = answers.filter(({ status }) => status === 429);
    // Units come back one by one, so a slow run may be granted a few more.
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(30);
    expect(refused.length).toBeGreaterThan(0);
    const [first] = refused;
    expect(await first?.json()).toEqual({
      code: 'over_request_rate_limit',
      message: expect.any(String),
      details: null,
      hint: null,
    });
    expect(Number(first?.headers.get('retry-after'))).toBeGreaterThan(0);
    // The limit does not apply to other addresses, signed-in callers or the service.
    expect((await ask('203.0.113.2')).status).toBe(200);
    const someone = await server.addCustomer();
    expect((await ask('203.0.113.1', {}, someone.token)).status).toBe(200);
    expect((await ask('203.0.113.1', {}, server.app.keys.serviceRoleKey)).status).toBe(200);
  });

  test('the addresses of one IPv6 network count as one, and every kind of request counts', async () => {
    const kinds: RequestInit[] = [
      {},
      { method: 'HEAD' },
      { method: 'OPTIONS' },
      { method: 'POST', body: '{}' },
      { method: 'DELETE' },
    ];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => ask(`2001:db8:1:1::${index + 1}`, kinds[index % kinds.length])),
    );
    expect(answers.some(({ status }) => status === 429)).toBe(true);
    expect((await ask('2001:db8:1:1:9::1', {}, undefined, '')).status).toBe(429);
    expect((await ask('2001:db8:1:2::1')).status).toBe(200);
  });
});

function readCode(text: string): unknown {
  try {
    return JSON.parse(text)?.code;
  } catch {
    return null; // CSV, or empty
  }
}
