import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { type Customer, span, STUDIO_A, type TestServer } from '#tests/support/test-server.ts';

describe.each(engines)('hours held while an ID is verified, on $name', ({ open }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await open();
  }, 180_000);
  afterAll(() => server.close());

  const newcomer = async (): Promise<Customer> => {
    const customer = await server.addCustomer();
    await server.app.db.query('delete from public.id_verifications where user_id = $1::uuid', [customer.id]);
    return customer;
  };
  const holders = async (token: string | undefined, { startTime }: { startTime: string }) => {
    const { data, error } = await server
      .client(token)
      .from('bookings')
      .select('status,user_id')
      .eq('studio_id', STUDIO_A)
      .eq('start_time', startTime)
      .neq('status', 'cancelled');
    expect(error).toBeNull();
    return data;
  };

  it('show as taken to everybody else, and are in no list of own bookings', async () => {
    const customer = await newcomer();
    const time = span(server.now(), 40, 2);
    const held = await server.call('hold-hours', { studioId: STUDIO_A, ...time }, customer.token);
    expect(held.status).toBe(200);
    const remaining = Date.parse(String(held.body['heldUntil'])) - server.now().getTime();
    expect(remaining).toBeGreaterThan(9 * 60_000);
    expect(remaining).toBeLessThanOrEqual(10 * 60_000);
    expect((await server.client(customer.token).rpc('own_bookings')).data).toEqual([]);
    expect(await holders(undefined, time)).toEqual([{ status: 'pending', user_id: null }]);
    expect(await holders(customer.token, time)).toEqual([{ status: 'pending', user_id: customer.id }]);
  });

  it('cannot be held by guests, without a time, or once they have begun', async () => {
    const customer = await newcomer();
    const time = span(server.now(), 50);
    expect(await server.call('hold-hours', { studioId: STUDIO_A, ...time })).toMatchObject({ status: 401 });
    expect(await server.call('hold-hours', { studioId: STUDIO_A }, customer.token)).toMatchObject({ status: 400 });
    const past = span(server.now(), -2);
    expect(await server.call('hold-hours', { studioId: STUDIO_A, ...past }, customer.token)).toMatchObject({
      status: 409,
      body: { error: { code: 'too_late' } },
    });
  });
});
