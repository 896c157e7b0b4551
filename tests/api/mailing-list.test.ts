import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import type { TestServer } from '#tests/support/test-server.ts';

describe.each(engines)('the mailing list on $name', ({ open }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await open();
  }, 60_000);
  afterAll(() => server.close());

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
