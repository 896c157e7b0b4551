import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkout, createWorld, mailsTo, moveTo, until, type World } from '#tests/support/world.ts';

/** The two nights on which Sydney's clocks change, lived through with a clock handed in by compose. */
describe('on the days the clocks change', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    // No card company knows the future: these sessions cost nothing.
    await world.house.db.query(
      `insert into public.discount_codes (code, discount_type, discount_value) values ('FREE', 'percentage', 100)`,
    );
  }, 60_000);
  afterAll(() => world.close());

  it.each([
    {
      night: 'the second 2 AM of April is free',
      from: '2027-04-03T15:00:00Z',
      to: '2027-04-03T17:00:00Z',
      hours: 1,
      labels: ['2 AM'],
      says: '2 am to 3 am',
    },
    {
      night: 'October has no 2 AM',
      from: '2027-10-02T15:00:00Z',
      to: '2027-10-02T17:00:00Z',
      hours: 2,
      labels: ['1 AM', '3 AM'],
      says: '1 am to 4 am',
    },
  ])('$night', { timeout: 60_000 }, async ({ from, to, hours, labels, says }) => {
    const start = Date.parse(from);
    await moveTo(world, start - 3 * 86_400_000);
    const customer = await world.addCustomer();
    const held = await world.call(
      'create-payment',
      checkout({ startTime: from, endTime: to }, { couponCode: 'FREE' }),
      customer.token,
    );
    expect(held).toMatchObject({ status: 200, body: { total: 0 } });
    const { data } = await world
      .client(customer.token)
      .from('bookings')
      .select('status, total_hours, slots')
      .eq('id', held.body['bookingId'])
      .single();
    expect(data).toMatchObject({ status: 'confirmed', total_hours: hours, slots: labels.map((label) => ({ label })) });
    await world.settle();
    expect((await mailsTo(world, customer.email, 'Booking confirmed'))[0]?.text).toContain(says);

    await moveTo(world, start - 16 * 60_000);
    await world.settle();
    expect(await mailsTo(world, customer.email, 'access code')).toHaveLength(0);
    await moveTo(world, start - 14 * 60_000);
    await until(async () => {
      await world.settle();
      return (await mailsTo(world, customer.email, 'access code')).length > 0;
    }, 20_000);
    const pin = /^PIN: (\d+)$/m.exec((await mailsTo(world, customer.email, 'access code'))[0]?.text ?? '')?.[1];
    const door = async (at: number): Promise<unknown> => {
      await moveTo(world, at);
      return world.sandbox('/api/doors/SPA1X0001/keypad', { pin });
    };
    expect(await door(start - 6 * 60_000)).toMatchObject({ opened: false });
    expect(await door(Date.parse(to) - 60_000)).toMatchObject({ opened: true });
    expect(await door(Date.parse(to) + 60_000)).toMatchObject({ opened: false });
  });
});
