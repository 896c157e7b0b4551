import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PERCENT_WITHOUT_MONEY } from '#rules/coupons.ts';
import type { Permission } from '#rules/permissions.ts';
import { engines } from '#tests/support/engines.ts';
import { type Customer, span, STUDIO_A, type TestServer } from '#tests/support/test-server.ts';

describe.each(engines)('permissions of staff on $name', ({ name, open }) => {
  let server: TestServer;
  let owner: Customer;
  let colleague: Customer;
  beforeAll(async () => {
    server = await open();
    owner = await server.addCustomer();
    await makeAdmin(owner);
  }, 180_000);
  afterAll(() => server.close());
  beforeEach(async () => {
    colleague = await server.addCustomer();
  });

  const db = () => server.app.db;
  const makeAdmin = ({ id }: Customer) =>
    db().query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [id]);
  const held = async ({ id }: Customer): Promise<readonly string[]> => {
    const { rows } = await db().query<{ permission: string }>(
      'select permission from public.staff_permissions where user_id = $1::uuid order by permission',
      [id],
    );
    return rows.map((row) => row.permission);
  };
  const set = (person: { id: string }, permissions: readonly string[], token = owner.token) =>
    server.call('staff-set-permissions', { userId: person.id, permissions }, token);

  it('a plain write to user_roles makes an owner, and the end of the role ends every permission', async () => {
    await makeAdmin(colleague);
    expect(await held(colleague)).toEqual(['owner']);
    await db().query(`update public.user_roles set role = 'user' where user_id = $1::uuid`, [colleague.id]);
    expect(await held(colleague)).toEqual([]);
    const service = server.client(server.app.keys.serviceRoleKey);
    await service.from('user_roles').upsert({ user_id: colleague.id, role: 'admin' });
    expect(await held(colleague)).toEqual(['owner']);
    await service.from('user_roles').delete().eq('user_id', colleague.id);
    expect(await held(colleague)).toEqual([]);
  });

  it('staff_rights tells each account its own permissions, and that it may read the audit log exactly when it may', async () => {
    const rights = async ({ token }: Customer) => (await server.client(token).rpc('staff_rights')).data;
    const entries = async ({ token }: Customer) => (await server.client(token).from('audit_logs').select('id')).data;
    expect([await rights(colleague), await entries(colleague)]).toEqual([[], []]);
    await set(colleague, ['settings', 'bookings']);
    expect([await rights(colleague), await entries(colleague)]).toEqual([['bookings', 'settings'], []]);
    expect(await rights(owner)).toEqual(['owner', 'audit_log']);
    expect(await entries(owner)).not.toEqual([]);
  });

  it('the first permission makes an account staff, an empty list ends it, and each change is in the audit log', async () => {
    const isStaff = async () => (await server.client(colleague.token).rpc('is_staff')).data;
    expect(await isStaff()).toBe(false);
    expect(await set(colleague, ['settings', 'bookings', 'bookings'])).toMatchObject({
      status: 200,
      body: { userId: colleague.id, permissions: ['bookings', 'settings'] },
    });
    expect([await isStaff(), await held(colleague)]).toEqual([true, ['bookings', 'settings']]);
    await set(colleague, ['bookings', 'settings']);
    await set(colleague, ['identity']);
    expect(await held(colleague)).toEqual(['identity']);
    await set(colleague, []);
    expect([await isStaff(), await held(colleague)]).toEqual([false, []]);
    const { rows } = await db().query(
      `select actor, details from public.audit_logs where resource_type = 'staff_permissions' and resource_id = $1 order by created_at`,
      [colleague.id],
    );
    expect(rows).toEqual(
      [
        { before: [], after: ['bookings', 'settings'] },
        { before: ['bookings', 'settings'], after: ['identity'] },
        { before: ['identity'], after: [] },
      ].map((details) => ({ actor: owner.id, details })),
    );
  });

  /** Returns the current rights of a colleague, by permission. */
  const rights = async (): Promise<Record<Permission, readonly boolean[]>> => {
    const client = server.client(colleague.token);
    const reads = async (table: 'id_verifications' | 'audit_logs' | 'discount_codes' | 'scheduled_emails') =>
      ((await client.from(table).select('id').limit(1)).data?.length ?? 0) > 0;
    const calls = async (name: string, body: unknown) =>
      (await server.call(name, body, colleague.token)).status !== 403;
    const code = { code: randomUUID().slice(0, 8), discount_type: 'percentage', discount_value: 5 };
    const created = await client.from('discount_codes').insert(code);
    return {
      bookings: [
        await calls('staff-reopen', { closureId: randomUUID() }),
        await calls('process-scheduled-emails', {}),
        await reads('scheduled_emails'),
        (await client.rpc('close_job', { job: randomUUID(), reason: 'tried' })).error === null,
      ],
      identity: [await reads('id_verifications')],
      money: [(await client.rpc('close_job', { job: refundJob, reason: 'tried' })).error === null],
      settings: [
        created.error === null,
        await reads('discount_codes'),
        await calls('test-igloohome-config', {}),
        await calls('staff-set-prices', { studioId: randomUUID(), validFrom: '2031-01-01', prices: null }),
      ],
      owner: [
        await reads('audit_logs'),
        await calls('staff-set-permissions', { userId: randomUUID(), permissions: [] }),
      ],
    };
  };
  const refundJob = randomUUID();
  it('each permission opens its own calls and tables and no others, and an owner has all', async () => {
    const { id } = (await db().queryRow<{ id: string }>(
      `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status, total_hours, base_cost_cents, final_cost_cents, notes)
       values (private.new_reference(), $1::uuid, $2::uuid, 'A', $3::timestamptz, $4::timestamptz, 'confirmed', 1, 0, 0, 'test') returning id`,
      [owner.id, STUDIO_A, ...Object.values(span(server.now(), 500))],
    )) ?? { id: '' };
    await db().query(
      `insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for)
       values ($1::uuid, 'x', 'access_code', 'cancelled', now())`,
      [id],
    );
    await db().query(
      `insert into public.discount_codes (code, discount_type, discount_value) values ('SEEN', 'fixed', 5)`,
    );
    await db().query('delete from public.id_verifications where user_id = $1::uuid', [colleague.id]);
    await db().query(
      `insert into private.outbox (id, kind, subject_id, due_at) values ($1::uuid, 'payment.refund', $1::uuid, 'infinity')`,
      [refundJob],
    );
    const none = Object.fromEntries(
      Object.entries(await rights()).map(([permission, each]) => [permission, each.map(() => false)]),
    );
    expect(await rights()).toEqual(none);
    for (const permission of ['bookings', 'identity', 'money', 'settings'] as const) {
      await set(colleague, [permission]);
      expect(await rights()).toEqual({ ...none, [permission]: none[permission]?.map(() => true) });
    }
    await set(colleague, ['owner']);
    expect(Object.values(await rights()).flat()).toEqual(Object.values(none).flatMap((each) => each.map(() => true)));
  });

  it('codes of more than half, or in dollars, are made, changed and turned on with the permission for money only, one by one and as gifts', async () => {
    const client = server.client(colleague.token);
    const missing = {
      code: '42501',
      message: expect.stringContaining('You need the “Money” permission'),
      details: 'money',
    };
    const make = async (discount_type: string, discount_value: number) => {
      const code = randomUUID().slice(0, 8).toUpperCase();
      return { code, ...(await client.from('discount_codes').insert({ code, discount_type, discount_value })) };
    };
    const gifts = (terms: object) =>
      client.rpc('make_gift_codes', { batch: randomUUID(), amount: 2, prefix: 'GIFT', terms: { ...terms } });
    const change = (code: string, changes: object) =>
      client.from('discount_codes').update(changes).eq('code', code).select('code');
    await set(colleague, ['settings', 'money']);
    const large = await make('percentage', 100);
    expect([large.error, (await make('fixed', 5)).error]).toEqual([null, null]);
    expect((await gifts({ discount_type: 'fixed', discount_value: 59 })).data).toBe(2);
    await set(colleague, ['settings', 'bookings', 'identity']);
    const half = await make('percentage', PERCENT_WITHOUT_MONEY);
    expect(half.error).toBe(null);
    expect((await gifts({ discount_type: 'percentage', discount_value: PERCENT_WITHOUT_MONEY })).data).toBe(2);
    for (const [type, value] of [
      ['percentage', PERCENT_WITHOUT_MONEY + 0.01],
      ['percentage', 100],
      ['fixed', 0.01],
    ] as const) {
      expect((await make(type, value)).error).toMatchObject(missing);
      expect((await gifts({ discount_type: type, discount_value: value })).error).toMatchObject(missing);
      expect((await change(half.code, { discount_type: type, discount_value: value })).error).toMatchObject(missing);
    }
    for (const changes of [{ max_uses: 1_000 }, { discount_value: 1 }, { customer_email: 'me@example.com' }])
      expect((await change(large.code, changes)).error).toMatchObject(missing);
    expect((await change(large.code, { active: false, description: 'Off' })).data).toEqual([{ code: large.code }]);
    expect((await change(large.code, { active: true })).error).toMatchObject(missing);
    expect((await change(half.code, { max_uses: 7 })).data).toEqual([{ code: half.code }]);
  });

  it('only owners set permissions, also not their own; the service key may', async () => {
    const customer = await server.addCustomer();
    await set(colleague, ['bookings', 'identity', 'money', 'settings']);
    for (const token of [colleague.token, customer.token])
      expect((await set(colleague, ['owner'], token)).status).toBe(403);
    expect((await set(colleague, ['owner'], server.app.keys.anonKey)).status).toBe(401);
    expect(await held(colleague)).toEqual(['bookings', 'identity', 'money', 'settings']);
    expect((await set(colleague, ['owner'], server.app.keys.serviceRoleKey)).status).toBe(200);
    expect(await held(colleague)).toEqual(['owner']);
  });

  it('staff read their own permissions and owners everybody’s; the service key does not write them', async () => {
    await set(colleague, ['money']);
    const seen = async (token: string) =>
      (await server.client(token).from('staff_permissions').select('user_id').in('user_id', [owner.id, colleague.id]))
        .data?.length;
    expect([await seen(colleague.token), await seen(owner.token)]).toEqual([1, 2]);
    const service = server.client(server.app.keys.serviceRoleKey);
    const row = { user_id: colleague.id, permission: 'owner' };
    expect((await service.from('staff_permissions').insert(row)).error?.code).toBe('42501');
  });

  it.each([
    ['a permission that does not exist', () => ({ id: owner.id }), ['everything'], 400],
    ['an account that does not exist', () => ({ id: randomUUID() }), ['money'], 404],
  ])('%s is refused', async (_name, person, permissions, status) => {
    expect((await set(person(), permissions)).status).toBe(status);
  });

  it('an account that has not confirmed its address cannot become staff', async () => {
    await db().query('update auth.users set email_confirmed_at = null where id = $1::uuid', [colleague.id]);
    expect(await set(colleague, ['money'])).toMatchObject({
      status: 403,
      body: { error: { code: 'mail_unconfirmed' } },
    });
    expect(await held(colleague)).toEqual([]);
  });

  /** Makes `person` the only owner. */
  const onlyOwner = async (person: Customer) => {
    await set(person, ['owner'], server.app.keys.serviceRoleKey);
    const { rows } = await db().query<{ id: string }>(
      `select user_id as id from public.staff_permissions where permission = 'owner' and user_id <> $1::uuid`,
      [person.id],
    );
    for (const other of rows) await set(other, [], server.app.keys.serviceRoleKey);
  };

  it('the last owner stays an owner while there are staff: by the owner, the service key and SQL', async () => {
    await onlyOwner(owner);
    await set(colleague, ['money']);
    for (const permissions of [[], ['money']])
      for (const token of [owner.token, server.app.keys.serviceRoleKey])
        expect(await set(owner, permissions, token)).toMatchObject({
          status: 409,
          body: { error: { code: 'last_owner' } },
        });
    for (const statement of [
      'delete from public.user_roles where user_id = $1::uuid',
      `update public.user_roles set role = 'user' where user_id = $1::uuid`,
      'delete from auth.users where id = $1::uuid',
    ])
      await expect(db().query(statement, [owner.id])).rejects.toMatchObject({ constraint: 'staff_permissions_owner' });
    expect(await held(owner)).toEqual(['owner']);
  });

  it('of two owners who remove each other at the same moment, the second is refused', async () => {
    await onlyOwner(owner);
    await set(colleague, ['owner']);
    let second: ReturnType<typeof set> | undefined;
    await db().transaction(async (tx) => {
      await tx.queryRow(`select private.set_permissions($1::uuid, '{}', $2::uuid)`, [colleague.id, owner.id]);
      second = set(owner, [], colleague.token);
      // The embedded database runs one transaction at a time, so the call has not begun there.
      while (name === 'PostgreSQL' && !(await waits(tx))) await nextTurn();
    });
    expect(await second).toMatchObject({ status: 403, body: { error: { code: 'not_yours' } } });
    expect([await held(owner), await held(colleague)]).toEqual([['owner'], []]);
  });
  const waits = async (tx: Pick<TestServer['app']['db'], 'queryRow'>): Promise<boolean> =>
    (await tx.queryRow(
      `select from pg_locks where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`,
    )) !== null;
});
