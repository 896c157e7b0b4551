import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const rolledBack = (work: (rows: Rows) => Promise<void>) => (): Promise<void> => database.rolledBack(work);
const NOW = '2031-03-01T00:00:00Z';
const after = (seconds: number): string => new Date(Date.parse(NOW) + seconds * 1000).toISOString();

test(
  'a limit of 2 in 10 seconds admits two at once and one more every 5 seconds, and returns how long to wait',
  rolledBack(async ({ value }) => {
    const take = (seconds: number, key = 'k', name = 'n') =>
      value('select private.take_limit($1, $2, 2, 10, $3)', [name, key, after(seconds)]);
    expect([await take(0), await take(0), await take(0)]).toEqual([null, null, 5]);
    expect(await take(4.5)).toBe(1);
    expect(await take(0, 'other')).toBeNull();
    expect(await take(0, 'k', 'other')).toBeNull();
    expect([await take(5), await take(5)]).toEqual([null, 5]);
  }),
);

test(
  'a limit grants as many units as are left',
  rolledBack(async ({ query }) => {
    const take = (seconds: number, units: number, key = 'k') =>
      query('select * from private.take_limit_units($1, $2, 4, 8, $3, $4)', ['n', key, after(seconds), units]);
    expect(await take(0, 3)).toEqual([{ granted: 3, wait: null }]);
    expect(await take(0, 3)).toEqual([{ granted: 1, wait: null }]);
    expect(await take(0, 1)).toEqual([{ granted: 0, wait: 2 }]);
    expect(await take(0, 9, 'other')).toEqual([{ granted: 4, wait: null }]);
    expect(await take(2, 5)).toEqual([{ granted: 1, wait: null }]);
  }),
);

test(
  'a lease belongs to one process until the instant it ends',
  rolledBack(async ({ value }) => {
    const take = (name: string, seconds: number) =>
      value(`select private.take_lease($1, $2, interval '10 seconds')`, [name, after(seconds)]);
    expect([
      await take('a', 0),
      await take('a', 9),
      await take('b', 0),
      await take('a', 10),
      await take('a', 19),
    ]).toEqual([true, false, true, true, false]);
  }),
);

test(
  'take_task_leases takes what nobody holds, renews what the server holds, and leaves what another holds until its time has passed',
  rolledBack(async ({ query }) => {
    const take = async (holder: string, names: string[], seconds: number): Promise<string[]> => {
      const taken = await query<{ name: string }>(
        'select take_task_leases as name from private.take_task_leases($1, $2, $3)',
        [holder, names, seconds],
      );
      return taken.map(({ name }) => name).toSorted();
    };
    expect([
      await take('one', ['b', 'a'], 60),
      await take('two', ['a', 'b', 'c'], 60),
      // These leases last zero seconds, so they have ended when the next server takes them.
      await take('one', ['a', 'b', 'c'], 0),
      await take('two', ['a', 'b', 'c'], 60),
      await take('one', ['a', 'b', 'c'], 60),
    ]).toEqual([['a', 'b'], ['c'], ['a', 'b'], ['a', 'b', 'c'], []]);
  }),
);

test(
  'jobs are claimed when they are due, open, not leased and not running; those with a deadline first',
  rolledBack(async (rows) => {
    const job = (number: number, more: Row = {}) =>
      rows.add('private.outbox', {
        id: uuid(number),
        kind: 'a',
        subject_id: uuid(number),
        dedupe: '',
        payload: {},
        due_at: NOW,
        lease_until: '-infinity',
        tries: 0,
        created_at: NOW,
        ...more,
      });
    await job(1, { due_at: after(-1) });
    await job(2, { deadline_at: after(60) });
    await job(3, { due_at: after(1) });
    await job(4, { done_at: NOW });
    await job(5, { closed_at: NOW, close_reason: 'no' });
    await job(6, { lease_until: NOW });
    await job(7, { kind: 'b' });
    await job(8);
    await job(9, { lease_until: after(-1), due_at: after(-1), deadline_at: after(30) });
    const claim = async (limit: number): Promise<string[]> => {
      const claimed = await rows.query<{ id: string; tries: number; lease_until: Date; lease_id: string }>(
        `select * from private.claim_jobs('{a}', $1, $2, 30, $3)`,
        [NOW, limit, [uuid(8)]],
      );
      for (const job of claimed)
        expect([job.tries, job.lease_until, job.lease_id !== null]).toEqual([1, new Date(after(30)), true]);
      return claimed.map(({ id }) => id).toSorted();
    };
    expect(await claim(1)).toEqual([uuid(9)]);
    expect(await claim(1)).toEqual([uuid(2)]);
    expect(await claim(9)).toEqual([uuid(1)]);
    expect(await claim(9)).toEqual([]);
  }),
);

test(
  'events are claimed for a minute when they are due and not handled',
  rolledBack(async (rows) => {
    const event = (event_id: string, more: Row = {}) =>
      rows.add('private.webhook_inbox', {
        provider: 'p',
        event_id,
        type: 't',
        object_id: 'o',
        received_at: NOW,
        tries: 0,
        ...more,
      });
    await event('new');
    await event('due', { next_try_at: NOW });
    await event('later', { next_try_at: after(1) });
    await event('handled', { handled_at: NOW });
    const claim = (limit: number) =>
      rows.query(`select event_id, tries, next_try_at from private.claim_webhooks($1, $2)`, [NOW, limit]);
    const next = { tries: 1, next_try_at: new Date(after(60)) };
    expect(await claim(1)).toEqual([{ event_id: 'new', ...next }]);
    expect(await claim(9)).toEqual([{ event_id: 'due', ...next }]);
    expect(await claim(9)).toEqual([]);
  }),
);

test(
  'an account may look up ten codes a minute, an IP address thirty, times the configured factor',
  rolledBack(async ({ query, value }) => {
    const wait = (user: string | null, address: string | null) =>
      value('select private.take_coupon_guess($1, $2)', [user, address]);
    const looks = async (user: string | null, address: string | null, times: number): Promise<boolean[]> => {
      const admitted: boolean[] = [];
      for (let time = 0; time < times; time += 1) admitted.push((await wait(user, address)) === null);
      return admitted;
    };
    const refusedFrom = (admitted: boolean[]): number => admitted.indexOf(false) + 1;
    expect(refusedFrom(await looks(uuid(1), null, 12))).toBe(11);
    expect(refusedFrom(await looks(null, '203.0.113.1', 32))).toBe(31);
    expect(refusedFrom(await looks(uuid(2), '203.0.113.2', 12))).toBe(11);
    expect(await looks(uuid(3), '203.0.113.1', 1)).toEqual([false]);
    expect(await looks(null, null, 1)).toEqual([true]);
    await query(`insert into private.settings values ('limit_factor', '2'), ('other', '0')`);
    expect(refusedFrom(await looks(uuid(4), null, 22))).toBe(21);
    // The seconds until both limits admit the next try: three at twenty per minute, one at sixty.
    expect(await wait(uuid(4), '203.0.113.1')).toBe(3);
    expect(refusedFrom(await looks(null, '203.0.113.3', 62))).toBe(61);
    expect(await wait(null, '203.0.113.3')).toBe(1);
  }),
);

test(
  'coupon_problem returns the reason at each boundary',
  rolledBack(async ({ query, value }) => {
    await query(`insert into public.discount_codes (code, discount_type, discount_value) values ('TEN', 'fixed', 10)`);
    const problem = async (change: string, hours = 2): Promise<unknown> => {
      await query('savepoint one');
      await query(`update public.discount_codes set ${change}`);
      const reason = await value('select private.coupon_problem(d, $1, $2, $3) from public.discount_codes d', [
        uuid(1),
        hours,
        NOW,
      ]);
      await query('rollback to savepoint one');
      return reason;
    };
    expect(await problem('active = true')).toBeNull();
    expect(await problem('active = false')).toBe('Invalid coupon code');
    expect(await problem(`expires_at = '${NOW}'`)).toBe('This code has expired.');
    expect(await problem(`expires_at = '${after(1)}'`)).toBeNull();
    expect(await problem('max_uses = 2, current_uses = 2')).toBe('This code has been fully used.');
    expect(await problem('max_uses = 2, current_uses = 1')).toBeNull();
    expect(await problem('min_hours = 2.5')).toBe('This code needs a booking of at least 2.5 hours.');
    expect(await problem('min_hours = 2')).toBeNull();
    expect(await problem('per_user_limit = 1')).toBeNull();
    expect(await value('select private.coupon_problem(null, $1, 2, $2)', [uuid(1), NOW])).toBe('Invalid coupon code');
  }),
);

test(
  'only staff and the service retry and close jobs, and each is in the audit log',
  rolledBack(async (rows) => {
    await rows.add('auth.users', {
      id: uuid(1),
      aud: 'a',
      role: 'authenticated',
      email: 'a@example.com',
      raw_app_meta_data: {},
      raw_user_meta_data: {},
      created_at: NOW,
      updated_at: NOW,
      email_change_confirm_status: 0,
      is_anonymous: false,
      is_sso_user: false,
    });
    await rows.query(
      `insert into private.outbox (id, kind, subject_id, due_at) values ('${uuid(5)}', 'k', '${uuid(5)}', '2099-01-01'), ('${uuid(6)}', 'l', '${uuid(6)}', '2099-01-01')`,
    );
    const retry = () => rows.value('select public.retry_job($1)', [uuid(5)]);
    const close = (reason: string | null) => rows.value('select public.close_job($1, $2)', [uuid(5), reason]);
    for (const claims of [null, { role: 'anon' }, { role: 'authenticated', sub: uuid(1) }]) {
      await rows.setClaims(claims);
      expect([(await rows.refusal(retry))?.code, (await rows.refusal(() => close('reason')))?.code]).toEqual([
        '42501',
        '42501',
      ]);
    }
    await rows.query(`insert into public.user_roles values ('${uuid(1)}', 'admin')`);
    expect(await rows.value('select count(*) from public.audit_logs')).toBe(0);
    for (const reason of [null, ' ab ', 'x'.repeat(501)])
      expect((await rows.refusal(() => close(reason)))?.code).toBe('22023');
    expect([await close(' abc '), await close('abc')]).toEqual([true, false]);
    const open = `select id, close_reason, closed_by, closed_at is not null as closed, due_at < now() + interval '1 hour' as due from private.outbox order by id`;
    const other = { id: uuid(6), close_reason: null, closed_by: null, closed: false, due: false };
    expect(await rows.query(open)).toEqual([
      { id: uuid(5), close_reason: 'abc', closed_by: uuid(1), closed: true, due: false },
      other,
    ]);
    await rows.setClaims({ role: 'service_role' });
    expect(await retry()).toBe(true);
    expect(await rows.query(open)).toEqual([
      { id: uuid(5), close_reason: null, closed_by: null, closed: false, due: true },
      other,
    ]);
    expect(await close('by a program')).toBe(true);
    const nobody = '00000000-0000-0000-0000-000000000000';
    expect(await rows.query(open)).toMatchObject([{ close_reason: 'by a program', closed_by: nobody }, other]);
    expect(await rows.value(`select string_agg(actor::text, ' ' order by created_at) from public.audit_logs`)).toBe(
      `${uuid(1)} ${nobody} ${nobody}`,
    );
    await rows.query('update private.outbox set done_at = now()');
    expect([await retry(), await close('abc')]).toEqual([false, false]);
    expect(
      await rows.value(`select string_agg(details ->> 'by_hand', ' ' order by created_at) from public.audit_logs`),
    ).toBe('close retry close');
  }),
);
