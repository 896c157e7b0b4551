import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasPooler, pooledEngine } from '#tests/operating/pooler.ts';
import { engines } from '#tests/support/engines.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

const CUSTOMERS = 5;
const AT_ONCE = 40;
const REQUESTS = process.env['TEST_LONG'] ? 20_000 : 360;

const TABLES = `
create table public.own_note (id bigint generated always as identity primary key, owner uuid not null default auth.uid(), line text);
alter table public.own_note enable row level security;
create policy own on public.own_note to authenticated using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
grant select, insert on public.own_note to authenticated;
create function public.own_name(seconds float8, fault text) returns table (id uuid, role text, header text) language plpgsql stable as $$
begin
  perform pg_sleep(seconds);
  if fault <> '' then raise exception '%', fault; end if;
  return query select auth.uid(), current_user::text, current_setting('request.headers')::json ->> 'x-caller';
end $$;
grant execute on function public.own_name to anon, authenticated;
notify pgrst, 'reload schema';
`;

type Caller = { readonly id: string | null; readonly headers: Record<string, string> };
type Answer = { readonly status: number; readonly body: unknown };

// Only PostgreSQL runs the transactions of several callers in one write.
const tested = [...engines.filter(({ name }) => name === 'PostgreSQL'), ...(hasPooler ? [pooledEngine] : [])];
describe.each(tested)('many callers at once on $name', ({ open }) => {
  let server: TestServer;
  let callers: Caller[] = [];
  beforeAll(async () => {
    server = await open();
    const owner = new pg.Client({ connectionString: server.ownerUrl ?? '' });
    await owner.connect();
    await owner.query(TABLES);
    const customers: Customer[] = [];
    while (customers.length < CUSTOMERS) customers.push(await server.addCustomer());
    for (const { id } of customers)
      await owner.query(`insert into public.own_note (owner, line) values ($1, 'first')`, [id]);
    await owner.end();
    const apikey = server.app.keys.anonKey;
    callers = [
      ...customers.map(({ id, token }) => ({ id, headers: { apikey, authorization: `Bearer ${token}` } })),
      { id: null, headers: { apikey } },
    ];
  }, 120_000);
  afterAll(() => server.close());

  const send = async (caller: Caller, path: string, init: RequestInit = {}): Promise<Answer> => {
    const more = {
      'x-caller': caller.id ?? 'guest',
      'content-type': 'application/json',
      prefer: 'return=representation',
    };
    const headers = { ...caller.headers, ...more };
    const answer = await fetch(`${server.url}/rest/v1/${path}`, { ...init, headers });
    // The machine is busy: the request was refused before anything ran.
    if (answer.status === 503) {
      await answer.arrayBuffer();
      await wait(100);
      return send(caller, path, init);
    }
    return { status: answer.status, body: await answer.json() };
  };
  const getExpected = ({ id }: Caller): unknown => [
    { id, role: id === null ? 'anon' : 'authenticated', header: id ?? 'guest' },
  ];

  /** Each kind of request, with the answer it must get. */
  const kinds: ((caller: Caller) => Promise<void>)[] = [
    async (caller) =>
      expect(await send(caller, 'rpc/own_name?seconds=0&fault=')).toEqual({ status: 200, body: getExpected(caller) }),
    async (caller) => {
      const { status, body } = await send(caller, 'own_note?select=owner&line=eq.first');
      if (caller.id === null) expect(status).toBe(401);
      else expect([status, body]).toEqual([200, [{ owner: caller.id }]]);
    },
    async (caller) => {
      const { status, body } = await send(caller, 'own_note?select=owner', { method: 'POST', body: '{"line":"more"}' });
      if (caller.id === null) expect(status).toBe(401);
      else expect([status, body]).toEqual([201, [{ owner: caller.id }]]);
    },
    async (caller) => expect((await send(caller, 'own_note?id=eq.word')).status).toBe(400),
    async (caller) =>
      expect(await send(caller, 'rpc/own_name?seconds=0&fault=own%20fault')).toMatchObject({
        status: 400,
        body: { message: 'own fault' },
      }),
    async (caller) => {
      const stop = new AbortController();
      const sent = send(caller, 'rpc/own_name?seconds=0.01&fault=', { signal: stop.signal });
      setTimeout(() => stop.abort(), 2);
      await sent.then(({ body }) => expect(body).toEqual(getExpected(caller))).catch(onlyAborted);
    },
  ];

  test(
    'each answer is for its caller, whatever fails, is stopped or is cancelled beside it',
    { timeout: 120_000 },
    async () => {
      let at = 0;
      const work = async (): Promise<void> => {
        while (at < REQUESTS) {
          const [caller, kind] = [callers[at % callers.length], kinds[Math.floor(at / callers.length) % kinds.length]];
          at += 1;
          if (caller && kind) await kind(caller);
        }
      };
      // This takes longer than a statement is given at first, so it is stopped and runs again.
      const stopped = callers.map(async (caller) =>
        expect(await send(caller, 'rpc/own_name?seconds=0.15&fault=')).toEqual({
          status: 200,
          body: getExpected(caller),
        }),
      );
      await Promise.all([...stopped, ...Array.from({ length: AT_ONCE }, work)]);
    },
  );
});

function onlyAborted(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}
