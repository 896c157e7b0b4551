import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import { connectRealtime, type RealtimeClient } from './client.ts';
import { eventText, LEAK_TABLES, type LeakRow, type Random, randomRound, type Round } from './leak-rounds.ts';

/**
 * Number of changes per round. The test uses random policies, privileges, publications, rows, changes and callers. A caller must receive a
 * change exactly when it may read the row, with exactly the columns that it may read. The expectation comes from a select by the same
 * caller before and after the change.
 */
const CHANGES_PER_ROUND = 20;
const SUBSCRIBERS = 6;
const ROUNDS = process.env['TEST_LONG'] ? Math.ceil(10_000 / CHANGES_PER_ROUND / SUBSCRIBERS) : 8;

type Caller = {
  readonly role: 'anon' | 'authenticated' | 'service_role';
  readonly claims: object;
  readonly token: string;
};
type Listener = {
  readonly caller: Caller;
  readonly client: RealtimeClient;
  readonly binding: { readonly filter?: string; readonly select?: readonly string[] };
  readonly wants: (row: LeakRow) => boolean;
  readonly expected: string[];
};

describe.each(engines)('table changes on the $name database', (engine) => {
  let server: TestServer;
  let people: { readonly id: string; readonly token: string }[];
  let callers: Caller[];
  beforeAll(async () => {
    server = await engine.open({ REALTIME_JOINS_PER_SECOND: '1000' });
    await runScript(server, LEAK_TABLES);
    people = await Promise.all([server.addCustomer(), server.addCustomer()]);
    await server.app.db.query(
      'insert into public.leak_member values ($1::uuid, 2), ($2::uuid, 4)',
      people.map(({ id }) => id),
    );
    callers = [
      { token: server.app.keys.serviceRoleKey, role: 'service_role', claims: { role: 'service_role' } },
      { token: server.app.keys.anonKey, role: 'anon', claims: { role: 'anon' } },
      ...people.map(({ token, id }): Caller => ({
        token,
        role: 'authenticated',
        claims: { role: 'authenticated', sub: id },
      })),
    ];
  });
  afterAll(() => server.close());

  /** Makes random changes under one random set of policies. Returns the differences between the events and the expected ones. */
  async function playRound(number: number, random: Random): Promise<{ differences: string[]; events: number }> {
    const round = randomRound(random);
    await runScript(server, round.script);
    // The server caches policies and the publication for a second.
    server.advance(1_100);
    const listeners = await listen(number, round.readable('authenticated') !== null);
    for (let count = 0; count < CHANGES_PER_ROUND; count += 1) await change(round, listeners, random);
    await server.app.db.query('insert into public.leak_end values ($1::int)', [number]);
    const differences: string[] = [];
    for (const { client, caller, expected } of listeners) {
      await client.frame(({ payload }) => Object(payload['data']).table === 'leak_end');
      const got = getEvents(client);
      // Without the right to read the key, a select cannot tell the rows apart, so such events are empty.
      const blind = round.readable(caller.role) === null;
      const same = blind ? got.every((event) => event === '401') : JSON.stringify(got) === JSON.stringify(expected);
      if (!same)
        differences.push(
          `${caller.role}\ngot      ${got.join('; ')}\nexpected ${expected.join('; ')}\n${round.script}`,
        );
      client.close();
    }
    return { differences, events: listeners.reduce((total, { expected }) => total + expected.length, 0) };
  }

  /** Subscribes all callers. Two of them subscribe once more, with a filter and with a list of columns. */
  async function listen(number: number, readsKey: boolean): Promise<Listener[]> {
    const plain = callers.map((caller) => ({ caller, binding: {}, wants: () => true }));
    const [, , first = plain[0], second = plain[0]] = plain;
    if (!first || !second) throw new Error('callers are missing');
    const some = [
      {
        caller: first.caller,
        binding: { filter: 'level=gte.2,level=not.eq.4' },
        wants: ({ level }: LeakRow) => level >= 2 && level !== 4,
      },
      { caller: second.caller, binding: readsKey ? { select: ['level'] } : {}, wants: () => true },
    ];
    return Promise.all(
      [...plain, ...some].map(async ({ caller, binding, wants }) => {
        const client = await connectRealtime(server.url, server.app.keys.anonKey);
        const tables = ['leak', 'leak_end'].map((table) => ({ event: '*', schema: 'public', table }));
        await client.join(
          `leaks ${number}`,
          { postgres_changes: [{ ...tables[0], ...binding }, tables[1]] },
          caller.token,
        );
        const notice = await client.frame(({ event }) => event === 'system');
        expect(notice.payload).toMatchObject({ status: 'ok' });
        return { caller, client, binding, wants, expected: [] };
      }),
    );
  }

  /** Inserts, updates or deletes a row and records what each listener should receive. */
  async function change(round: Round, listeners: readonly Listener[], random: Random): Promise<void> {
    const { db } = server.app;
    const row = randomRow(random, people);
    const before = await db.queryRow<LeakRow>('select * from public.leak where id = $1::int', [row.id]);
    const after = before && random(2) === 0 ? null : row;
    const saw = await visibleTo(row.id);
    if (!(await write(before, after))) return;
    const sees = await visibleTo(row.id);
    for (const { caller, binding, wants, expected } of listeners) {
      const at = callers.indexOf(caller);
      const event = round.expected(
        { before, after },
        {
          role: caller.role,
          sawBefore: saw[at] ?? false,
          seesAfter: sees[at] ?? false,
          select: binding.select ?? null,
          wants,
        },
      );
      if (event !== null) expected.push(event);
    }
    const [service] = listeners;
    if (round.readsItself && service)
      await expect.poll(() => getEvents(service.client).length, { interval: 5 }).toBe(service.expected.length);
  }

  /** Returns false if PostgreSQL refuses the change because the publication needs a replica identity that the table does not have. */
  async function write(before: LeakRow | null, after: LeakRow | null): Promise<boolean> {
    const { db } = server.app;
    const values = [after?.owner, after?.level, after?.hidden];
    try {
      if (!after) await db.query('delete from public.leak where id = $1::int', [before?.id]);
      else if (before)
        await db.query('update public.leak set owner = $2::uuid, level = $3::int, hidden = $4 where id = $1::int', [
          after.id,
          ...values,
        ]);
      else await db.query('insert into public.leak values ($1::int, $2::uuid, $3::int, $4)', [after.id, ...values]);
      return true;
    } catch (error) {
      if (['55000', '42P10'].includes(Object(error).code)) return false;
      throw error;
    }
  }

  /** Returns whether a select by each caller finds the row. A policy that fails shows nothing. */
  function visibleTo(id: number): Promise<boolean[]> {
    const answers = callers.map(async ({ role, claims }) => {
      const principal = { role, claims: JSON.stringify(claims) };
      const answer = await server.app.db
        .as(principal, 'select 1 from public.leak where id = $1::int', [id])
        .catch(() => ({ count: 0 }));
      return answer.count > 0;
    });
    return Promise.all(answers);
  }

  test(
    `${ROUNDS * CHANGES_PER_ROUND * SUBSCRIBERS} times a change reaches a subscriber exactly when a select of the same caller shows the row`,
    { timeout: 1_200_000 },
    async () => {
      const random = randomFrom(7);
      let events = 0;
      for (let number = 0; number < ROUNDS; number += 1) {
        const played = await playRound(number, random);
        expect(played.differences).toEqual([]);
        events += played.events;
      }
      expect(events).toBeGreaterThan(ROUNDS);
    },
  );

  test('the same comparison finds leaks when policies are not judged', async () => {
    await runScript(
      server,
      `create or replace function realtime.policy_condition(p_table regclass, p_role name, p_command "char") returns text
         language sql stable security definer set search_path = '' as $$ select 'true' $$;`,
    );
    const random = randomFrom(11);
    const differences: string[] = [];
    for (let number = 0; number < 4; number += 1)
      differences.push(...(await playRound(ROUNDS + number, random)).differences);
    expect(differences.length).toBeGreaterThan(0);
  });
});

const randomRow = (random: Random, people: readonly { readonly id: string }[]): LeakRow => ({
  id: random(12),
  owner: [null, ...people.map(({ id }) => id)][random(3)] ?? null,
  level: random(6),
  hidden: ['abc', 'Abcd', 'xyz', 'longer text'][random(4)] ?? '',
});

function getEvents(client: RealtimeClient): string[] {
  return client.frames.flatMap(({ event, payload }) => {
    const { table, type, record, old_record: old, errors } = Object(payload['data']);
    if (event !== 'postgres_changes' || table !== 'leak') return [];
    const empty = JSON.stringify([record ?? {}, old ?? {}]) === '[{},{}]';
    return [errors === null ? eventText(type, record, old) : empty ? '401' : `unexpected ${JSON.stringify(payload)}`];
  });
}

/** Returns a source of repeatable numbers below `max`. */
function randomFrom(seed: number): Random {
  let state = seed;
  return (max) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * max);
  };
}
