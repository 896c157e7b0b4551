import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import { connectRealtime, type RealtimeClient } from './client.ts';

type SystemMessage = { readonly status: unknown; readonly message: unknown };
type Change = Record<string, unknown>;

describe.each(engines)('table subscriptions on the $name database', (engine) => {
  let server: TestServer;
  const clients: RealtimeClient[] = [];
  let names = 0;
  beforeAll(async () => {
    server = await engine.open({ REALTIME_JOINS_PER_SECOND: '1000' });
    await runScript(
      server,
      `create type public.mood as enum ('calm', 'wild');

       create table public.item (
         id int primary key, name text, amount numeric, big bigint, ok boolean, at timestamptz, tags text[], doc jsonb, mood public.mood, bytes bytea
       );

       create table public.secret (id int primary key, open text, hidden text);

       create table public.keyless (n int);

       create table public.unpublished (id int primary key);

       create table public.stock (id int primary key, amount int);

       alter table public.stock replica identity full;

       grant select on public.item, public.keyless, public.unpublished, public.stock to anon;

       grant select (id, open) on public.secret to anon;

       grant all on public.item, public.secret, public.keyless, public.stock to backend, service_role;

       alter publication supabase_realtime add table public.item, public.secret, public.keyless;

       alter publication supabase_realtime add table public.stock where (amount > 0);`,
    );
    // The server caches the publication for a second.
    server.advance(1_100);
  });
  afterAll(() => server.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    // A truncate is not sent to subscribers.
    await server.app.db.query('truncate public.item');
  });

  /** Joins with bindings. Returns the server's messages about them and a list that fills with the changes. */
  async function subscribe(
    bindings: readonly object[],
    options: { token?: string; vsn?: '1.0.0' | '2.0.0'; config?: object } = {},
  ): Promise<{
    notice: SystemMessage;
    changes: () => Change[];
    reply: Record<string, unknown>;
    client: RealtimeClient;
  }> {
    const client = await connectRealtime(server.url, server.app.keys.anonKey, options.vsn ?? '2.0.0');
    clients.push(client);
    const reply = await client.join(
      `c${(names += 1)}`,
      { postgres_changes: bindings, ...options.config },
      options.token,
    );
    const { payload } = await client.frame(({ event }) => event === 'system');
    const changes = (): Change[] =>
      client.frames.flatMap((frame) => (frame.event === 'postgres_changes' ? [Object(frame.payload['data'])] : []));
    return {
      notice: { status: payload['status'], message: payload['message'] },
      changes,
      reply: reply.payload,
      client,
    };
  }
  const item = (filter?: string): object => ({
    event: '*',
    schema: 'public',
    table: 'item',
    ...(filter === undefined ? {} : { filter }),
  });
  const insert = (values: string): Promise<unknown> =>
    server.app.db.query(`insert into public.item (id, name, amount, ok) values ${values}`);

  test.each([
    ['eq', 'name=eq.b', [2]],
    ['eq on a number', 'amount=eq.2.50', [2]],
    ['neq', 'name=neq.b', [1, 3]],
    ['lt', 'amount=lt.2.5', [1]],
    ['lte', 'amount=lte.2.5', [1, 2]],
    ['gt', 'amount=gt.2.5', [3]],
    ['gte', 'amount=gte.2.5', [2, 3]],
    ['in', 'name=in.(a,"c,d")', [1, 3]],
    ['in without values', 'name=in.()', []],
    ['like', 'name=like.c%', [3]],
    ['ilike', 'name=ilike.C%', [3]],
    ['match', 'name=match.^[ab]$', [1, 2]],
    ['imatch', 'name=imatch.^[AB]$', [1, 2]],
    ['is null', 'name=is.null', [4]],
    ['is true', 'ok=is.true', [1]],
    ['is unknown', 'ok=is.unknown', [3, 4]],
    ['isdistinct', 'name=isdistinct.b', [1, 3, 4]],
    ['not.eq', 'name=not.eq.b', [1, 3]],
    ['not.in', 'name=not.in.(a,b)', [3]],
    ['not.is.null', 'name=not.is.null', [1, 2, 3]],
    ['not.isdistinct', 'name=not.isdistinct.b', [2]],
    ['not.like', 'name=not.like.c%', [1, 2]],
    ['several conditions', 'amount=gte.1,amount=lt.9,name=not.eq.b', [1]],
    ['a quoted value', 'name=eq."c,d"', [3]],
    ['a blank filter', ' ', [1, 2, 3, 4]],
  ])('the filter %s lets through what PostgreSQL lets through: %s', async (_name, filter, expected) => {
    const { notice, changes } = await subscribe([item(filter)]);
    expect(notice).toEqual({ status: 'ok', message: 'Subscribed to PostgreSQL' });
    const all = await subscribe([item()]);
    await insert(`(1, 'a', 1, true), (2, 'b', 2.50, false), (3, 'c,d', 9, null), (4, null, null, null)`);
    await expect.poll(() => all.changes().length).toBe(4);
    await expect.poll(() => changes().map(({ record }) => Object(record).id)).toEqual(expected);
  });

  const exception = (filters: string, text: string, select = 'nil', table = 'item'): string =>
    'Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: ' +
    `[event: *, schema: public, table: ${table}, filters: ${filters}, select: ${select}]. Exception: ${text}`;
  test.each([
    ['an unknown column', item('wrong=eq.1'), exception('[{"wrong", "eq", "1"}]', 'invalid column for filter wrong')],
    [
      'a column that the role may not read',
      { event: '*', schema: 'public', table: 'secret', filter: 'hidden=eq.x' },
      exception('[{"hidden", "eq", "x"}]', 'invalid column for filter hidden', 'nil', 'secret'),
    ],
    ['a value of another type', item('id=eq.x'), /Exception: invalid input syntax for type integer: "x"$/],
    ['is.true on a text', item('name=is.true'), /Exception: argument of IS TRUE must be type boolean, not type text$/],
    ['like on a number', item('id=like.1%'), /Exception: operator does not exist: integer ~~ /],
    [
      'a broken regular expression',
      item('name=match.('),
      /Exception: invalid regular expression: parentheses \(\) not balanced$/,
    ],
    [
      'a pattern that ends in an escape',
      item('name=like.a\\'),
      /Exception: LIKE pattern must not end with escape character$/,
    ],
    [
      'over 100 values',
      item(`id=in.(${Array.from({ length: 101 }, (_, n) => n).join(',')})`),
      /too many values for `in` filter. Maximum 100$/,
    ],
    ['an unknown operator', item('id=foo.hey'), 'Error parsing `filter` params: ["id", "foo.hey"]'],
    ['no condition', item('wrong'), 'Error parsing `filter` params: ["wrong"]'],
    [
      'in without parentheses',
      item('id=in.1'),
      'Error parsing `filter` params: `in` filter value must be wrapped by parentheses',
    ],
    [
      'an empty segment',
      item('id=eq.1,'),
      'Error parsing `filter` params: filter must not contain empty segments (check for extra commas)',
    ],
    ['a null character', item('name=eq.\0'), 'Error parsing `filter` params: filter must not contain a null character'],
    [
      'an unknown column in select',
      { ...item(), select: ['id', 'wrong'] },
      exception('[]', 'invalid column for select wrong', '["id", "wrong"]'),
    ],
    [
      'an unreadable column in select',
      { event: '*', schema: 'public', table: 'secret', select: ['hidden'] },
      exception('[]', 'invalid column for select hidden', '["hidden"]', 'secret'),
    ],
    [
      'select on a wildcard',
      { event: '*', schema: 'public', select: ['id'] },
      'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
    ],
    [
      'select that is no list',
      { ...item(), select: [1] },
      'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
    ],
    [
      'neither schema nor table',
      { event: '*' },
      /^No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: /,
    ],
    [
      'a table outside the publication',
      { event: '*', schema: 'public', table: 'unpublished' },
      'Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: unpublished, filters: [], select: nil]',
    ],
  ])('refused without refusing the join: %s', async (_name, binding, message) => {
    const { notice, reply } = await subscribe([item(), binding]);
    expect(reply['status']).toBe('ok');
    expect(notice).toEqual({
      status: 'error',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  test('with wait, the join itself is refused, and accepted only when changes are captured', async () => {
    const client = await connectRealtime(server.url, server.app.keys.anonKey);
    clients.push(client);
    const options = { postgres_changes_options: { wait: true, timeout: 9_000 } };
    const refused = await client.join('w', { postgres_changes: [item('wrong')], ...options });
    expect(refused.payload).toEqual({
      status: 'error',
      response: { reason: 'RealtimeDisabledForConfiguration: Error parsing `filter` params: ["wrong"]' },
    });
    expect((await client.join('w', { postgres_changes: [item()], ...options })).payload['status']).toBe('ok');
    await insert(`(1, 'at once', 1, true)`);
    await client.frame(({ event }) => event === 'postgres_changes');
  });

  test.each(['1.0.0', '2.0.0'] as const)(
    'serializer %s: the reply repeats the bindings with ids, and an event names those that match',
    async (vsn) => {
      const bindings = [
        { event: 'insert', schema: 'public', table: 'item', filter: 'name=eq.a' },
        { event: 'DELETE', schema: 'public' },
        { event: 'x', schema: 'public', table: '*' },
      ];
      const { reply, client } = await subscribe(bindings, { vsn });
      const sent: Record<string, unknown>[] = Object(reply['response']).postgres_changes;
      const ids = sent.map(({ id }) => id);
      expect(sent).toEqual(bindings.map((binding, index) => ({ ...binding, id: ids[index] })));
      expect([new Set(ids).size, ids.every((id) => typeof id === 'number' && id > 0)]).toEqual([3, true]);
      await insert(`(1, 'a', 1, true)`);
      await server.app.db.query('delete from public.item');
      await expect
        .poll(() =>
          client.frames
            .filter(({ event }) => event === 'postgres_changes')
            .map((frame) => [frame.joinRef, frame.ref, frame.payload['ids']]),
        )
        .toEqual([
          [null, null, [ids[0], ids[2]]],
          [null, null, [ids[1], ids[2]]],
        ]);
    },
  );

  test('values are the JSON of PostgreSQL in UTC, columns have the names of their types', async () => {
    const { changes } = await subscribe([item()]);
    await server.app.db.query(
      `insert into public.item values (1, 'ü', 1234567890.50, 9007199254740991, null, '2026-01-01 20:00:00+11', '{a,b}', '{"x":[1]}', 'wild', '\\xdeadbeef')`,
    );
    await expect.poll(() => changes().length).toBe(1);
    expect(changes()[0]).toEqual({
      schema: 'public',
      table: 'item',
      type: 'INSERT',
      commit_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      columns: Object.entries({
        id: 'int4',
        name: 'text',
        amount: 'numeric',
        big: 'int8',
        ok: 'bool',
        at: 'timestamptz',
        tags: '_text',
        doc: 'jsonb',
        mood: 'mood',
        bytes: 'bytea',
      }).map(([name, type]) => ({ name, type })),
      record: {
        id: 1,
        name: 'ü',
        amount: 1234567890.5,
        big: 9007199254740991,
        ok: null,
        at: '2026-01-01T09:00:00+00:00',
        tags: ['a', 'b'],
        doc: { x: [1] },
        mood: 'wild',
        bytes: 'deadbeef',
      },
      errors: null,
    });
  });

  test('an update shows the key of the old row, and all of it under full replica identity', async () => {
    const { changes } = await subscribe([{ ...item(), select: ['name'] }]);
    await insert(`(1, 'a', 1, true)`);
    await server.app.db.query(`update public.item set name = 'b'`);
    await expect.poll(() => changes()).toHaveLength(2);
    await runScript(server, 'alter table public.item replica identity full');
    server.advance(1_100);
    await server.app.db.query(`update public.item set name = 'c'`);
    await expect
      .poll(() => changes().map(({ type, record, old_record: old }) => [type, record, old]))
      .toEqual([
        ['INSERT', { id: 1, name: 'a' }, undefined],
        ['UPDATE', { id: 1, name: 'b' }, { id: 1 }],
        ['UPDATE', { id: 1, name: 'c' }, { id: 1, name: 'b' }],
      ]);
    await runScript(server, 'alter table public.item replica identity default');
  });

  test('the row filter of the publication hides rows; an update that makes a row match is an insert, and one that ends the match a delete', async () => {
    const { changes } = await subscribe([{ event: '*', schema: 'public', table: 'stock' }]);
    for (const statement of [
      'insert into public.stock values (1, 0)',
      'update public.stock set amount = null',
      'update public.stock set amount = 5',
      'update public.stock set amount = 6',
      'update public.stock set amount = 0',
      'delete from public.stock',
      'insert into public.stock values (2, 7)',
    ])
      await server.app.db.query(statement);
    await expect
      .poll(() => changes().map(({ type, record, old_record: old }) => [type, record, old]))
      .toEqual([
        ['INSERT', { id: 1, amount: 5 }, undefined],
        ['UPDATE', { id: 1, amount: 6 }, { id: 1, amount: 5 }],
        ['DELETE', undefined, { id: 1, amount: 6 }],
        ['INSERT', { id: 2, amount: 7 }, undefined],
      ]);
  });

  test('columns that the role may not read are left out; without a primary key or the right to read it nothing is shown', async () => {
    const { changes } = await subscribe(
      ['secret', 'keyless'].map((table) => ({ event: 'INSERT', schema: 'public', table })),
    );
    await server.app.db.query(`insert into public.secret values (1, 'seen', 'unseen')`);
    await server.app.db.query('insert into public.keyless values (1)');
    await expect
      .poll(() => changes().map(({ record, errors }) => [record, errors]))
      .toEqual([
        [{ id: 1, open: 'seen' }, null],
        [{}, ['Error 400: Bad Request, no primary key']],
      ]);
    await runScript(
      server,
      'revoke select on public.secret from anon; grant select (open) on public.secret to anon'.replace('; ', ';\n\n'),
    );
    server.advance(1_100);
    await server.app.db.query(`insert into public.secret values (2, 'x', 'y')`);
    await expect
      .poll(() =>
        changes()
          .slice(2)
          .map(({ record, columns, errors }) => [record, columns, errors]),
      )
      .toEqual([[{}, [], ['Error 401: Unauthorized']]]);
    await runScript(server, 'grant select (id, open) on public.secret to anon');
  });

  test('of a change over 1 MiB only the small fields are sent', async () => {
    const { changes } = await subscribe([item()]);
    await server.app.db.query(`insert into public.item (id, name, ok) values (1, repeat('x', 1048577), true)`);
    await expect
      .poll(() => changes().map(({ record, errors }) => [Object(record).id, 'name' in Object(record), errors]))
      .toEqual([[1, false, ['Error 413: Payload Too Large']]]);
  });

  test('a filter that fails for a row keeps no change from other subscribers', async () => {
    const failing = await subscribe([item('name=match.^(a|b)$')]);
    const other = await subscribe([item('amount=gt.0')]);
    await runScript(server, `alter table public.item alter column name type int using null`);
    server.advance(1_100);
    await server.app.db.query('insert into public.item (id, amount) values (1, 5)');
    await expect.poll(() => other.changes().length).toBe(1);
    expect(failing.changes()).toEqual([]);
    await runScript(server, `alter table public.item alter column name type text`);
    server.advance(1_100);
  });

  // An in-memory engine cannot be stopped, because it does not have a watchdog.
  test.runIf(engine.name === 'PostgreSQL')(
    'a filter that takes too long keeps no change from others, is refused for a while, and its subscriber is told to read again',
    async () => {
      const slow = await subscribe([item(String.raw`name=match.^(a*)(a*)(a*)\1\2\3ab$`)]);
      const other = await subscribe([item('amount=gt.0')]);
      await server.app.db.query(`insert into public.item (id, name, amount) values (1, repeat('a', 3000) || 'b', 5)`);
      await expect.poll(() => other.changes().length, { timeout: 25_000 }).toBe(1);
      const ended = await slow.client.frame(({ event }) => event === 'phx_error');
      expect(slow.changes()).toEqual([]);
      expect(ended.payload).toEqual({});
      expect(slow.client.frames.map(({ payload }) => payload['message'])).toContain(
        'A filter of this subscription takes too long: changes may be missing, please read again',
      );
      const second = await subscribe([item(String.raw`name=match.^(a*)(a*)(a*)\1\2\3ab$`)]);
      expect(second.notice.message).toMatch(/the filter takes too long, please try another one or try again later$/);
      await insert(`(2, 'b', 1, true)`);
      await expect.poll(() => other.changes().length).toBe(2);
    },
  );

  test('a new token with fewer rights ends filters by columns that it may not read', async () => {
    const { client, changes, notice } = await subscribe(
      [{ event: '*', schema: 'public', table: 'secret', filter: 'hidden=eq.x' }],
      { token: server.app.keys.serviceRoleKey },
    );
    expect(notice.status).toBe('ok');
    await server.app.db.query(`insert into public.secret values (10, 'o', 'x')`);
    await expect.poll(() => changes().length).toBe(1);
    client.send('1', null, `realtime:c${names}`, 'access_token', { access_token: null });
    const open = await subscribe([{ event: '*', schema: 'public', table: 'secret' }]);
    await server.app.db.query(`insert into public.secret values (11, 'o', 'x')`);
    await expect.poll(() => open.changes().length).toBe(1);
    expect(changes().length).toBe(1);
  });

  test('changes since an instant are sent again, once, and older ones are answered with an error', async () => {
    const first = await subscribe([item()]);
    await insert(`(1, 'a', 1, true)`);
    await expect.poll(() => first.changes().length).toBe(1);
    const since = String(first.changes()[0]?.['commit_timestamp']);
    first.client.close();
    await insert(`(2, 'b', 1, true)`);
    const resumed = await subscribe([item()], { config: { postgres_changes_options: { since } } });
    await insert(`(3, 'c', 1, true)`);
    await expect
      .poll(() =>
        resumed
          .changes()
          .map(({ record }) => Object(record).id)
          .filter((id) => id !== 1),
      )
      .toEqual([2, 3]);
    const old = await subscribe([item()], { config: { postgres_changes_options: { since: '2020-01-01T00:00:00Z' } } });
    expect(old.notice).toEqual({
      status: 'error',
      message: 'The changes since then are no longer kept, please read again',
    });
  });
});
