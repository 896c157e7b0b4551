import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { type Customer, mailsTo, type TestServer } from '#tests/support/test-server.ts';

describe.each(engines)('the mailing list on $name', ({ open }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await open();
  }, 60_000);
  afterAll(() => server.close());

  /** Returns a header of the newest email to an address. */
  async function readHeader(email: string, name: string): Promise<string> {
    const [mail] = await mailsTo(server, email);
    return Object(mail).headers?.[name] ?? '';
  }
  const find = async (email: string) =>
    (
      await server.app.db.query<{ id: string; left: boolean; consented: boolean }>(
        'select id, unsubscribed_at is not null as left, consented_at is not null as consented from public.mailing_list where email = $1',
        [email],
      )
    ).rows;

  it('takes only an address, trims it, and records the consent', async () => {
    expect((await server.client().from('mailing_list').insert({ email: ' Ana@Example.com ' })).error).toBeNull();
    expect(await find('ana@example.com')).toMatchObject([{ left: false, consented: true }]);
    expect((await server.client().from('mailing_list').insert({ email: 'ana@example.com' })).error?.code).toBe('23505');
  });

  it('can be left by the link of a mail, once or twice, and by no other link', async () => {
    const guest = server.client();
    expect((await guest.from('mailing_list').insert({ email: 'ben@example.com' })).error).toBeNull();
    const [ben] = await find('ben@example.com');
    const stray = await guest.rpc('leave_mailing_list', { subscription: crypto.randomUUID() });
    expect([stray.error, stray.data]).toEqual([null, null]);
    expect(await find('ben@example.com')).toMatchObject([{ left: false }]);
    for (let press = 0; press < 2; press += 1)
      expect((await guest.rpc('leave_mailing_list', { subscription: ben?.id ?? '' })).error).toBeNull();
    expect(await find('ben@example.com')).toMatchObject([{ left: true }]);
  });

  it('takes a person back who had left, with a new consent and a new link', async () => {
    const [before] = await find('ben@example.com');
    expect((await server.client().from('mailing_list').insert({ email: 'Ben@example.com' })).error).toBeNull();
    const [after] = await find('ben@example.com');
    expect(after).toMatchObject({ left: false });
    expect(after?.id).not.toBe(before?.id);
  });

  describe('a mail to all', () => {
    let staff: Customer;
    beforeAll(async () => {
      staff = await server.addCustomer();
      await rows(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff.id]);
    });
    const rows = <R>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> =>
      server.app.db.query<R>(text, values).then((result) => result.rows);
    /** Replaces the list by these addresses. */
    async function fill(...emails: string[]): Promise<void> {
      await rows('delete from public.mailing_list');
      await rows('insert into public.mailing_list (email) select unnest($1::text[])', [emails]);
    }
    const mail = { subject: 'We open', body: 'On Friday.\n\nSee [the rooms](https://example.com/studio).' };
    const send = (more: Record<string, unknown> = {}, token = staff.token) =>
      server.call('staff-send-campaign', { campaignId: randomUUID(), ...mail, ...more }, token);
    const stop = (campaignId: string) => server.call('staff-stop-campaign', { campaignId }, staff.token);
    const newest = async () => (await server.client(staff.token).rpc('campaigns', { most: 1 })).data?.[0];
    const countTo = async (email: string) => (await mailsTo(server, email, 'We open')).length;

    it('reaches each address once with a link to leave; one that the mail server refuses is marked, and gets no more', async () => {
      await fill('one@example.com', 'two@example.com', 'three@example.com', 'gone@refused.example');
      const campaignId = randomUUID();
      expect(await send({ campaignId })).toEqual({ status: 200, body: { recipients: 4 } });
      expect(await send({ campaignId })).toEqual({ status: 200, body: { recipients: 4 } });
      expect(await send({ campaignId, subject: 'Other' })).toMatchObject({ status: 409 });
      expect(await send()).toMatchObject({
        status: 409,
        body: { error: { message: expect.stringMatching(/being sent/) } },
      });
      // This address unsubscribes before its email is sent.
      const [unsubscribed] = await rows<{ id: string }>(
        `update public.mailing_list set unsubscribed_at = now() where email = 'three@example.com' returning id`,
      );
      server.advance(10_000);
      await server.settle();
      expect(await newest()).toMatchObject({ id: campaignId, recipients: 4, sent: 2, bounced: 1, skipped: 1 });
      expect((await newest())?.finished_at).not.toBeNull();
      const [mail] = await mailsTo(server, 'one@example.com');
      const [id] = (
        await rows<{ id: string }>(`select id from public.mailing_list where email = 'one@example.com'`)
      ).map((row) => row.id);
      expect(mail?.text).toContain('See the rooms (https://example.com/studio).');
      expect(mail?.html).toContain('<a href="https://example.com/studio"');
      expect(mail?.text).toContain(`/unsubscribe?id=${id}`);
      const header = /<(http[^>]+)>/.exec(await readHeader('one@example.com', 'list-unsubscribe'))?.[1] ?? '';
      expect(await readHeader('one@example.com', 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
      expect((await fetch(header, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status).toBe(200);
      expect(await find('one@example.com')).toMatchObject([{ left: true }]);
      expect([
        await countTo('one@example.com'),
        await countTo('two@example.com'),
        await countTo('three@example.com'),
      ]).toEqual([1, 1, 0]);
      expect((await server.client(staff.token).rpc('search_mailing_list', { words: 'REFUSED' })).data).toMatchObject([
        { email: 'gone@refused.example', bounced_at: expect.any(String), bounce_reason: 'smtp_550_recipient' },
      ]);
      expect((await server.client(staff.token).rpc('mailing_list_counts')).data).toEqual([
        { subscribed: 1, gone: 2, bounced: 1 },
      ]);
      expect(await send({ subject: 'Again' })).toEqual({ status: 200, body: { recipients: 1 } });
      await server.settle();
      expect(unsubscribed).toBeDefined();
    });

    it('keeps its pace, also after an outage, and stops', async () => {
      const emails = Array.from({ length: 30 }, (_, n) => `pace${n}@example.com`);
      await fill(...emails);
      const campaignId = randomUUID();
      expect((await send({ campaignId, perMinute: 60 })).status).toBe(200);
      const sent = async (): Promise<number> => {
        await server.settle();
        return (await newest())?.sent ?? -1;
      };
      const before = await sent();
      expect(before).toBeLessThanOrEqual(3);
      server.advance(5_000);
      const then = await sent();
      expect(then).toBeGreaterThanOrEqual(5);
      expect(then).toBeLessThanOrEqual(9);
      // All jobs are overdue, as after an outage of the server: the emails of ten seconds are sent, and the other jobs get a later time.
      server.advance(60_000);
      const late = await sent();
      expect(late - then).toBeGreaterThanOrEqual(10);
      expect(late - then).toBeLessThanOrEqual(13);
      expect((await stop(campaignId)).status).toBe(200);
      server.advance(120_000);
      expect(await sent()).toBe(late);
      expect(await newest()).toMatchObject({ stopped_at: expect.any(String), finished_at: null, recipients: 30 });
      expect((await stop(campaignId)).status).toBe(200);
      expect((await stop(randomUUID())).status).toBe(404);
      expect(await rows(`select from private.outbox where kind = 'mail.campaign' and done_at is null`)).toEqual([]);
    });

    it('goes to oneself as a test, and to nobody without an address on the list', async () => {
      await fill();
      expect(await send()).toMatchObject({
        status: 400,
        body: { error: { message: 'The mailing list is empty.' } },
      });
      expect((await server.call('staff-test-campaign', mail, staff.token)).status).toBe(202);
      await server.settle();
      expect(await mailsTo(server, staff.email, 'Test: We open')).toHaveLength(1);
      expect((await server.call('staff-test-campaign', mail, server.app.keys.serviceRoleKey)).status).toBe(400);
    });

    it('is for staff with the permission; an address is taken off the list for its owner, and the audit log says so', async () => {
      await fill('dora@example.com');
      const customer = await server.addCustomer();
      expect((await send({}, customer.token)).status).toBe(403);
      const client = server.client(customer.token);
      for (const { error } of [
        await client.rpc('campaigns', {}),
        await client.rpc('search_mailing_list', {}),
        await client.rpc('mailing_list_counts'),
        await client.rpc('remove_from_mailing_list', { address: 'dora@example.com' }),
      ])
        expect(error?.code).toBe('42501');
      const remove = async () =>
        (await server.client(staff.token).rpc('remove_from_mailing_list', { address: ' Dora@example.com' })).data;
      expect([await remove(), await remove()]).toEqual([true, false]);
      expect(await find('dora@example.com')).toMatchObject([{ left: true }]);
      const logged = await rows<{ entry: string }>(
        `select action || ' ' || resource_type as entry from public.audit_logs where actor = $1::uuid order by created_at`,
        [staff.id],
      );
      expect(logged.map(({ entry }) => entry)).toEqual([
        'create campaign',
        'create campaign',
        'create campaign',
        'update campaign',
        'update mailing_list',
      ]);
    });
  });

  it('does not reveal addresses: five sign-ups an hour, known addresses included', async () => {
    const strict = await open({ RATE_LIMIT_FACTOR: '1' });
    const join = async (email: string): Promise<number> =>
      (await strict.client().from('mailing_list').insert({ email })).status;
    const tried: number[] = [];
    for (const email of [
      'cleo@example.com',
      'cleo@example.com',
      'cleo@example.com',
      'dan@example.com',
      'dan@example.com',
    ])
      tried.push(await join(email));
    expect(tried).toEqual([201, 409, 409, 201, 409]);
    const { error, status } = await strict.client().from('mailing_list').insert({ email: 'eve@example.com' });
    expect([status, error?.code]).toEqual([429, 'over_request_rate_limit']);
    expect((await strict.app.db.query('select from public.mailing_list')).rows).toHaveLength(2);
    const service = strict.client(strict.app.keys.serviceRoleKey);
    expect((await service.from('mailing_list').insert({ email: 'eve@example.com' })).error).toBeNull();
    await strict.close();
  }, 60_000);
});
