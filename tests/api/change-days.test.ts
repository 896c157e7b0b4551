import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkout, startTestServer, mailsTo, moveTo, until, type TestServer } from '#tests/support/test-server.ts';

const firstSunday = (year: number, month: number): number => {
  const first = new Date(Date.UTC(year, month, 1));
  return first.setUTCDate(1 + ((7 - first.getUTCDay()) % 7));
};
const thisYear = new Date().getUTCFullYear();
/** The next year whose first Sunday in April is at least five days ahead, to leave time for booking; October is in the same year. */
const YEAR = firstSunday(thisYear, 3) - 5 * 86_400_000 > Date.now() ? thisYear : thisYear + 1;
/** An hour of the day before, in UTC. The clocks change at 16:00 UTC: from 3 am to 2 am in April, from 2 am to 3 am in October. */
const before = (sunday: number, hour: number): string => new Date(sunday + (hour - 24) * 3_600_000).toISOString();
const [APRIL, OCTOBER] = [firstSunday(YEAR, 3), firstSunday(YEAR, 9)];

/** The two nights on which Sydney's clocks change, with a clock that the test sets. */
describe('on the days when the clocks change', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    // Stripe opens no sessions so far ahead, so these bookings are free.
    await server.app.db.query(
      `insert into public.discount_codes (code, discount_type, discount_value) values ('FREE', 'percentage', 100)`,
    );
  }, 60_000);
  afterAll(() => server.close());

  it.each([
    {
      night: 'the second 2 AM of April is free',
      from: before(APRIL, 15),
      to: before(APRIL, 17),
      hours: 1,
      labels: ['2 AM'],
      says: '2 am to 3 am',
    },
    {
      night: 'October has no 2 AM',
      from: before(OCTOBER, 15),
      to: before(OCTOBER, 17),
      hours: 2,
      labels: ['1 AM', '3 AM'],
      says: '1 am to 4 am',
    },
  ])('$night', { timeout: 60_000 }, async ({ from, to, hours, labels, says }) => {
    const start = Date.parse(from);
    await moveTo(server, start - 3 * 86_400_000);
    const customer = await server.addCustomer();
    const held = await server.call(
      'create-payment',
      checkout({ startTime: from, endTime: to }, { couponCode: 'FREE' }),
      customer.token,
    );
    expect(held).toMatchObject({ status: 200, body: { total: 0 } });
    const { data } = await server
      .client(customer.token)
      .from('bookings')
      .select('status, total_hours, slots')
      .eq('id', String(held.body['bookingId']))
      .single();
    expect(data).toMatchObject({ status: 'confirmed', total_hours: hours, slots: labels.map((label) => ({ label })) });
    await server.settle();
    expect((await mailsTo(server, customer.email, 'Booking confirmed'))[0]?.text).toContain(says);

    await moveTo(server, start - 16 * 60_000);
    await server.settle();
    expect(await mailsTo(server, customer.email, 'access code')).toHaveLength(0);
    await moveTo(server, start - 14 * 60_000);
    await until(async () => {
      await server.settle();
      return (await mailsTo(server, customer.email, 'access code')).length > 0;
    }, 20_000);
    const pin = /^PIN: (\d+)$/m.exec((await mailsTo(server, customer.email, 'access code'))[0]?.text ?? '')?.[1];
    const door = async (at: number): Promise<unknown> => {
      await moveTo(server, at);
      return server.sandbox('/api/doors/SPA1X0001/keypad', { pin });
    };
    expect(await door(start - 6 * 60_000)).toMatchObject({ opened: false });
    expect(await door(Date.parse(to) - 60_000)).toMatchObject({ opened: true });
    expect(await door(Date.parse(to) + 60_000)).toMatchObject({ opened: false });
  });
});
