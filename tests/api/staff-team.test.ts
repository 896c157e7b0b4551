import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contracts from '#contracts/calls.ts';
import { engines } from '#tests/support/engines.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

/** Returns the names of the functions that need a permission. */
const getFunctions = (permission: string): readonly string[] =>
  Object.values(contracts).flatMap((call) =>
    call.callers === 'staff' && call.permission === permission ? [call.name] : [],
  );

type Mail = { subject: string; text: string };

describe.each(engines)('the staff of the business on $name', ({ open }) => {
  let server: TestServer;
  let owner: Customer;
  beforeAll(async () => {
    server = await open();
    owner = await addStaff('owner');
  }, 180_000);
  afterAll(() => server.close());

  const db = () => server.app.db;
  const give = (person: Customer, ...permissions: string[]) =>
    server.call('staff-set-permissions', { userId: person.id, permissions }, server.app.keys.serviceRoleKey);
  async function addStaff(...permissions: string[]): Promise<Customer> {
    const person = await server.addCustomer();
    await give(person, ...permissions);
    return person;
  }
  const held = async ({ id }: Customer): Promise<unknown> =>
    (
      await db().queryRow<{ held: string[] }>(
        `select coalesce(array_agg(permission order by permission), '{}') as held from public.staff_permissions where user_id = $1::uuid`,
        [id],
      )
    )?.held;
  const invite = (email: string, permissions: readonly string[] = ['bookings'], token = owner.token) =>
    server.call('staff-invite', { email, permissions }, token);
  const mailsTo = async (email: string, about = 'Join the staff'): Promise<Mail[]> => {
    await server.settle();
    const found = (await server.sandbox(`/api/mail?to=${encodeURIComponent(email)}`)) as Mail[];
    return found.filter(({ subject }) => subject.startsWith(about));
  };
  /** Returns the token of the invitation that was last mailed to an address. */
  const newestToken = async (email: string): Promise<string> =>
    /staff-invitation#(\S+)/.exec((await mailsTo(email))[0]?.text ?? '')?.[1] ?? '';
  const accept = (person: Customer, token: string) => server.call('accept-staff-invitation', { token }, person.token);
  const audit = async (resource: string, id: unknown) =>
    (
      await db().query<{ action: string; actor: string; details: unknown }>(
        'select action, actor, details from public.audit_logs where resource_type = $1 and resource_id = $2 order by created_at',
        [resource, id],
      )
    ).rows;

  it('an invited person gets a mail, accepts with the invited account and has exactly the permissions; no token is stored', async () => {
    const person = await server.addCustomer();
    const invited = await invite(person.email.toUpperCase(), ['money', 'bookings', 'money']);
    expect(invited.status).toBe(200);
    const { invitationId, expiresAt } = invited.body;
    const week = new Date(String(expiresAt)).getTime() - server.now().getTime();
    expect(Math.abs(week - 7 * 86_400_000)).toBeLessThan(60_000);
    const [mail, ...more] = await mailsTo(person.email);
    expect(more).toEqual([]);
    expect(mail?.text).toContain('Bookings, Money');
    const token = await newestToken(person.email);
    for (const table of ['private.staff_invitation', 'private.outbox', 'public.audit_logs'])
      expect((await db().query(`select from ${table} t where t::text like '%' || $1 || '%'`, [token])).rows).toEqual(
        [],
      );
    expect(await accept(person, token)).toMatchObject({ status: 200, body: { permissions: ['bookings', 'money'] } });
    expect(await held(person)).toEqual(['bookings', 'money']);
    expect((await audit('staff_invitation', invitationId)).map(({ action, actor }) => [action, actor])).toEqual([
      ['create', owner.id],
      ['update', person.id],
    ]);
    expect(await audit('staff_permissions', person.id)).toMatchObject([
      { actor: owner.id, details: { before: [], after: ['bookings', 'money'] } },
    ]);
    // The answer may have been lost, so the same account may repeat the call; no other account may.
    expect((await accept(person, token)).status).toBe(200);
    await server.call('staff-remove', { userId: person.id }, owner.token);
    expect(await accept(person, token)).toMatchObject({ status: 410, body: { error: { code: 'invitation_ended' } } });
    expect(await held(person)).toEqual([]);
  });

  it('another account, a guest, a false token and an account without a confirmed address accept nothing', async () => {
    const [person, other] = [await server.addCustomer(), await server.addCustomer()];
    await invite(person.email);
    const token = await newestToken(person.email);
    expect(await accept(other, token)).toMatchObject({ status: 403, body: { error: { code: 'not_yours' } } });
    expect((await server.call('accept-staff-invitation', { token })).status).toBe(401);
    for (const forged of ['x', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`])
      expect((await accept(person, forged)).status).toBe(404);
    await db().query('update auth.users set email_confirmed_at = null where id = $1::uuid', [person.id]);
    expect(await accept(person, token)).toMatchObject({ status: 403, body: { error: { code: 'mail_unconfirmed' } } });
    expect([await held(person), await held(other)]).toEqual([[], []]);
  });

  it('a revoked, an expired, a renewed and a replaced link are worth nothing', async () => {
    const [revoked, expired, renewed, replaced] = await Promise.all([1, 2, 3, 4].map(() => server.addCustomer()));
    const ended = { status: 410, body: { error: { code: 'invitation_ended' } } };
    const tokens: string[] = [];
    const ids: unknown[] = [];
    for (const person of [revoked, expired, renewed, replaced]) {
      ids.push((await invite(person?.email ?? '')).body['invitationId']);
      tokens.push(await newestToken(person?.email ?? ''));
    }
    for (const _ of [1, 2])
      expect(await server.call('staff-revoke-invitation', { invitationId: ids[0] }, owner.token)).toMatchObject({
        status: 200,
        body: { revoked: true },
      });
    expect(await accept(revoked as Customer, tokens[0] ?? '')).toMatchObject(ended);
    expect((await server.call('staff-resend-invitation', { invitationId: ids[0] }, owner.token)).status).toBe(409);

    // The same address is invited with other permissions.
    await invite(replaced?.email ?? '', ['identity']);
    expect(await accept(replaced as Customer, tokens[3] ?? '')).toMatchObject(ended);
    expect((await accept(replaced as Customer, await newestToken(replaced?.email ?? ''))).status).toBe(200);
    expect(await held(replaced as Customer)).toEqual(['identity']);

    server.advance(2_000);
    expect((await server.call('staff-resend-invitation', { invitationId: ids[2] }, owner.token)).status).toBe(200);
    expect((await accept(renewed as Customer, tokens[2] ?? '')).status).toBe(404);
    const fresh = await newestToken(renewed?.email ?? '');

    await db().query(`update private.staff_invitation set expires_at = $2::timestamptz where id = $1::uuid`, [
      ids[1],
      server.now(),
    ]);
    expect(await accept(expired as Customer, tokens[1] ?? '')).toMatchObject(ended);
    expect((await accept(renewed as Customer, fresh)).status).toBe(200);
    expect((await server.call('staff-revoke-invitation', { invitationId: ids[2] }, owner.token)).status).toBe(409);
    expect((await server.call('staff-revoke-invitation', { invitationId: randomUUID() }, owner.token)).status).toBe(
      404,
    );
  });

  it('the same invitation again sends no second mail; staff are not invited', async () => {
    const person = await server.addCustomer();
    const first = await invite(person.email);
    expect((await invite(person.email)).body).toEqual(first.body);
    expect(await mailsTo(person.email)).toHaveLength(1);
    await give(person, 'settings');
    expect(await invite(person.email)).toMatchObject({ status: 409, body: { error: { code: 'already_done' } } });
    expect((await accept(person, await newestToken(person.email))).status).toBe(409);
    expect(await held(person)).toEqual(['settings']);
    // Otherwise the old link would make the removed person a member of staff again.
    await give(person);
    expect((await accept(person, await newestToken(person.email))).status).toBe(410);
  });

  it('the invitations of an owner end with the permission', async () => {
    const [leaver, friend] = [await addStaff('owner'), await server.addCustomer()];
    await invite(friend.email, ['owner'], leaver.token);
    const token = await newestToken(friend.email);
    await give(leaver, 'bookings');
    expect((await accept(friend, token)).status).toBe(410);
    expect(await held(friend)).toEqual([]);
  });

  it('a removed colleague reads nothing of staff any more with the same token and loses the channel of staff; the last owner cannot be removed', async () => {
    const colleague = await addStaff('bookings', 'identity');
    const reads = async () => (await server.client(colleague.token).rpc('staff_alerts')).error === null;
    expect(await reads()).toBe(true);
    const client = server.client(colleague.token);
    await client.realtime.setAuth(colleague.token);
    const statuses: string[] = [];
    await new Promise<void>((resolve) => {
      client.channel('staff', { config: { private: true } }).subscribe((status) => {
        statuses.push(status);
        resolve();
      });
    });
    expect(statuses).toEqual(['SUBSCRIBED']);
    expect(await server.call('staff-remove', { userId: colleague.id }, owner.token)).toMatchObject({
      status: 200,
      body: { removed: true },
    });
    expect(await reads()).toBe(false);
    await expect.poll(() => statuses).toEqual(['SUBSCRIBED', 'CLOSED']);
    await client.removeAllChannels();
    const { data } = await server.client(owner.token).rpc('staff_team');
    const owners = (data as { staff: { userId: string; permissions: string[] }[] }).staff.filter(
      ({ userId, permissions }) => userId !== owner.id && permissions.includes('owner'),
    );
    for (const { userId } of owners) await server.call('staff-remove', { userId }, owner.token);
    expect(await server.call('staff-remove', { userId: owner.id }, owner.token)).toMatchObject({
      status: 409,
      body: { error: { code: 'last_owner' } },
    });
    expect(await held(owner)).toEqual(['owner']);
  });

  it('owners see the staff with permissions, last sign-in and second factor, and the open invitations; nobody else does', async () => {
    const colleague = await addStaff('bookings', 'money');
    await db().query(
      `insert into auth.mfa_factors (user_id, factor_type, status, secret, created_at, updated_at) values ($1::uuid, 'totp', 'verified', 's', now(), now())`,
      [colleague.id],
    );
    await db().query(`update auth.users set last_sign_in_at = '2031-03-01T00:00:00Z' where id = $1::uuid`, [
      colleague.id,
    ]);
    const invited = await invite('newcomer@example.com', ['identity']);
    const { data } = await server.client(owner.token).rpc('staff_team', { at: server.now().toISOString() });
    const team = data as { staff: { userId: string }[]; invitations: { email: string }[] };
    expect(team.staff.find(({ userId }) => userId === colleague.id)).toMatchObject({
      email: colleague.email,
      permissions: ['bookings', 'money'],
      secondFactor: true,
      lastSignInAt: '2031-03-01T00:00:00+00:00',
    });
    expect(team.staff.find(({ userId }) => userId === owner.id)).toMatchObject({
      permissions: ['owner'],
      secondFactor: false,
    });
    expect(team.invitations.filter(({ email }) => email === 'newcomer@example.com')).toMatchObject([
      { id: invited.body['invitationId'], permissions: ['identity'], expired: false },
    ]);
    expect(JSON.stringify(data)).not.toMatch(/token/);
    expect((await server.client(colleague.token).rpc('staff_team')).error?.code).toBe('42501');
  });

  /** Enrols a second factor and, by default, raises the sessions of `person` to it. */
  const enrol = async ({ id }: Customer, level = 'aal2') => {
    await db().query(
      `insert into auth.mfa_factors (user_id, factor_type, status, secret, created_at, updated_at) values ($1::uuid, 'totp', 'verified', 's', now(), now())`,
      [id],
    );
    await db().query('update auth.sessions set aal = $2 where user_id = $1::uuid', [id, level]);
  };
  const require = (permissions: readonly string[], token: string) =>
    server.call('staff-set-second-factor', { permissions, graceDays: 0 }, token);
  const needsStep = { status: 403, body: { error: { code: 'second_factor_required' } } };

  it('a session without the second factor that one of its permissions needs is refused everything, by functions and SQL; staff without such a permission and the service key are not', async () => {
    const [guarded, colleague] = [await addStaff('owner'), await addStaff('bookings', 'money')];
    const free = await addStaff('bookings');
    await enrol(guarded);
    await enrol(colleague, 'aal1');
    const calls = async (name: string, token: string) => (await server.call(name, {}, token)).body['error'];
    const numbers = { first_day: '2031-03-01', last_day: '2031-03-02' };
    const rpc = (token: string) => server.client(token).rpc('business_numbers', numbers);
    expect(await require(['money'], guarded.token)).toEqual({ status: 200, body: { permissions: ['money'] } });
    expect(await calls('staff-refund', colleague.token)).toMatchObject({
      code: 'second_factor_required',
      permission: 'money',
      message: expect.stringMatching('account settings'),
    });
    expect((await rpc(colleague.token)).error).toMatchObject({
      code: '42501',
      hint: expect.stringMatching('second factor'),
    });
    for (const permission of ['money', 'bookings'] as const)
      for (const name of getFunctions(permission))
        expect(await calls(name, colleague.token), name).toMatchObject({ code: 'second_factor_required', permission });
    // The bodies are bad, but the calls are admitted.
    expect(await calls('staff-close', free.token)).toMatchObject({ code: 'invalid_request' });
    expect(await calls('staff-refund', server.app.keys.serviceRoleKey)).toMatchObject({ code: 'invalid_request' });
    expect(await calls('staff-refund', guarded.token)).toMatchObject({ code: 'invalid_request' });
    expect((await server.client(colleague.token).rpc('second_factor_rules')).data).toEqual({
      permissions: ['money'],
      shown: false,
      due: null,
    });
    // Otherwise an owner without a second factor could switch the rule off.
    expect(await require([], owner.token)).toMatchObject(needsStep);
    expect(await invite('thief@example.com', ['owner'])).toMatchObject(needsStep);
    expect((await server.client(owner.token).from('audit_logs').select('id').limit(1)).data).toEqual([]);

    await db().query(`update auth.sessions set aal = 'aal2' where user_id = $1::uuid`, [colleague.id]);
    for (const name of ['staff-refund', 'staff-close'])
      expect(await calls(name, colleague.token)).toMatchObject({ code: 'invalid_request' });
    expect((await rpc(colleague.token)).error).toBeNull();
    expect((await require([], guarded.token)).status).toBe(200);
    expect((await require([], guarded.token)).status).toBe(200);
    const { rows } = await db().query(
      `select actor, details from public.audit_logs where resource_type = 'second_factor_rule' order by created_at`,
    );
    expect(rows).toEqual([
      { actor: guarded.id, details: { before: [], after: ['money'] } },
      { actor: guarded.id, details: { before: ['money'], after: [] } },
    ]);
  });

  it('staff without a second factor are mailed and can go on until the rule counts for them; who has one shows it at once', async () => {
    const [guarded, without, withFactor] = [
      await addStaff('owner'),
      await addStaff('bookings'),
      await addStaff('bookings'),
    ];
    const [other, late] = [await addStaff('settings'), await addStaff('bookings')];
    await enrol(guarded);
    await enrol(withFactor, 'aal1');
    const acts = async ({ token }: Customer) => (await server.client(token).rpc('is_staff')).data;
    const due = async ({ token }: Customer) =>
      ((await server.client(token).rpc('second_factor_rules')).data as { due: string | null }).due;
    const days = (instant: string | null) => Math.round((Date.parse(instant ?? '') - Date.now()) / 86_400_000);
    const set = (permissions: readonly string[], more: object = {}) =>
      server.call('staff-set-second-factor', { permissions, ...more }, guarded.token);
    const mails = async ({ email }: Customer) => (await mailsTo(email, 'Add two-step sign-in')).map(({ text }) => text);
    expect(await set(['bookings'], { graceDays: 31 })).toMatchObject({ status: 400 });
    expect(await set(['bookings'])).toEqual({ status: 200, body: { permissions: ['bookings'] } });
    expect([await acts(without), await acts(withFactor), await acts(other)]).toEqual([true, false, true]);
    expect([days(await due(without)), await due(withFactor), await due(other)]).toEqual([7, null, null]);
    await server.settle();
    expect(await mails(without)).toEqual([expect.stringMatching(/Add it by .* \(Sydney time\)/)]);
    expect([await mails(withFactor), await mails(other)]).toEqual([[], []]);
    // Idempotent: an unchanged rule extends no deadline and sends no email.
    expect((await set(['bookings'], { graceDays: 30 })).status).toBe(200);
    expect(days(await due(without))).toBe(7);
    await db().query(`update private.second_factor_rule set required_from = now()`);
    expect([await acts(without), await due(without)]).toEqual([false, null]);
    // A day before the deadline a reminder is sent, except to staff who have a factor by then.
    await db().query(`update private.second_factor_rule set required_from = now() + interval '7 days'`);
    await enrol(late, 'aal1');
    server.advance(6 * 86_400_000);
    expect([(await mails(without)).length, (await mails(late)).length]).toEqual([2, 1]);
    expect((await require([], server.app.keys.serviceRoleKey)).status).toBe(200);
  });

  it('an owner without a second factor, or who has not shown it, cannot require one; the service key can', async () => {
    const own = await addStaff('owner');
    expect(await require(['money'], own.token)).toMatchObject(needsStep);
    await enrol(own, 'aal1');
    expect(await require(['money'], own.token)).toMatchObject(needsStep);
    const manager = await addStaff('bookings', 'identity', 'money', 'settings');
    expect((await require(['money'], manager.token)).status).toBe(403);
    expect((await require(['money'], server.app.keys.serviceRoleKey)).status).toBe(200);
    expect((await require([], server.app.keys.serviceRoleKey)).status).toBe(200);
    expect((await require(['everything'], server.app.keys.serviceRoleKey)).status).toBe(400);
  });
});
