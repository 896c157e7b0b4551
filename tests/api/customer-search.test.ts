import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { checkout, type Customer, paymentOf, span, type TestServer } from '#tests/support/test-server.ts';

describe.each(engines)('the search of customers on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  let zoe: Customer;
  beforeAll(async () => {
    server = await open();
    [staff, zoe] = [await server.addCustomer(), await server.addCustomer()];
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff.id]);
    await server.app.db.query(
      `update public.profiles set full_name = 'Zoë 100%_Quartz', phone = '+61477123987' where user_id = $1::uuid`,
      [zoe.id],
    );
    // The change of name has ended the verification.
    await server.app.db.query(
      `update public.id_verifications set verification_status = 'verified' where user_id = $1::uuid`,
      [zoe.id],
    );
  }, 180_000);
  afterAll(() => server.close());

  const search = async (words: string, most?: number) => {
    const { data, error } = await server.client(staff.token).rpc('search_customers', { words, most: most ?? 50 });
    expect(error).toBeNull();
    return data ?? [];
  };
  const finds = async (words: string): Promise<boolean> => (await search(words)).some((one) => one.user_id === zoe.id);

  it('every word may be a part of the name, the address or the phone number, also as it is dialled in Australia', async () => {
    const [local = ''] = zoe.email.split('@');
    for (const words of [
      'ZOË',
      'quartz',
      `quartz ${local.slice(0, 6)}`,
      '0477123987',
      '0477 123 987',
      '+61477',
      '100%_',
    ])
      expect([words, await finds(words)]).toEqual([words, true]);
    for (const words of ['quartz nobody', '0478123987', '100_Q', '%uartz'])
      expect([words, await finds(words)]).toEqual([words, false]);
  });

  it('without words the newest customers come first, at most as many as asked for', async () => {
    expect((await search('', 1)).map((one) => one.user_id)).toEqual([zoe.id]);
    expect((await search('', 2)).map((one) => one.user_id)).toEqual([zoe.id, staff.id]);
  });

  it('a customer has the bookings, the money paid and refunded, the ID and the block', async () => {
    const held = await server.call('create-payment', checkout(span(server.now(), 50, 2)), zoe.token);
    const { id, amount_total: cents } = await paymentOf(server, held.body['bookingId']);
    await server.sandbox(`/api/payments/${id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: id }, zoe.token);
    const until = new Date(server.now().getTime() + 86_400_000).toISOString();
    await server.call('staff-block-customer', { userId: zoe.id, reason: 'Noise', until }, staff.token);
    const [found] = await search('quartz');
    expect(found).toMatchObject({ bookings: 1, paid: cents / 100, refunded: 0, block_reason: 'Noise' });
    expect(new Date(found?.blocked_until ?? '').toISOString()).toBe(until);
    expect(Date.parse(found?.verified_until ?? '')).toBeGreaterThan(server.now().getTime());
    await server.call('staff-unblock-customer', { userId: zoe.id }, staff.token);
    expect((await search('quartz'))[0]).toMatchObject({ block_reason: null, blocked_until: null });
  });

  it('customers, guests and staff without the permission cannot search', async () => {
    const colleague = await server.addCustomer();
    await server.call('staff-set-permissions', { userId: colleague.id, permissions: ['money'] }, staff.token);
    for (const token of [zoe.token, colleague.token, undefined])
      expect((await server.client(token).rpc('search_customers', { words: '' })).error?.code).toBe('42501');
  });
});
