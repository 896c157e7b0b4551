import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quoteSlots } from '#rules/pricing.ts';
import { addDays, slotEnd, slotStart, studioDate } from '#rules/studio-time.ts';
import { engines } from '#tests/support/engines.ts';
import { specifiedRates } from '#tests/support/rates.ts';
import { checkout, type Customer, STUDIO_A, STUDIO_B, type TestServer } from '#tests/support/test-server.ts';

const slotsAtNoon = (date: string) => [12, 13].map((hour) => ({ date, hour }));
const [specified] = specifiedRates.lists;
const prices = (cents: number, percent = 0) => ({
  hourCents: Array.from({ length: 168 }, () => cents),
  volumePercents: Array.from({ length: 24 }, (_, index) => (index === 0 ? 0 : percent)),
});

describe.each(engines)('prices on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  let customer: Customer;
  beforeAll(async () => {
    server = await open();
    [staff, customer] = [await server.addCustomer(), await server.addCustomer()];
    // There must be an owner, so the first person stays one.
    for (const { id } of [await server.addCustomer(), staff])
      await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [id]);
    await grant('settings');
  }, 180_000);
  afterAll(() => server.close());

  /** Gives staff this permission and no other. */
  const grant = (permission: string) =>
    server.app.db.query('update public.staff_permissions set permission = $2 where user_id = $1::uuid', [
      staff.id,
      permission,
    ]);
  const set = (body: unknown, token = staff.token) => server.call('staff-set-prices', body, token);
  const dayAhead = (days: number): string => addDays(studioDate(server.now()), days);
  const hold = (date: string, shownDollars?: number, hours = 2) => {
    const start = slotStart(date, 12) ?? new Date(0);
    const times = { startTime: start.toISOString(), endTime: slotEnd(date, 11 + hours).toISOString() };
    const body = checkout(times, {}, STUDIO_A);
    return server.call(
      'create-payment',
      { ...body, ...(shownDollars === undefined ? {} : { amount: shownDollars }) },
      customer.token,
    );
  };
  /** The price of two hours from noon according to the specification, in dollars. */
  const ordinary = (date: string): number => quoteSlots(slotsAtNoon(date), specifiedRates).totalCents / 100;
  const readQuote = (bookingId: unknown) =>
    server.app.db.queryRow(
      `select base_cost_cents as base, discount_cents as discount, final_cost_cents as total, slots -> 0 ->> 'priceCents' as first
       from private.booking where id = $1::uuid`,
      [bookingId],
    );

  it('a hold costs what the rows of its day say, and another price shown is answered with the total', async () => {
    const date = dayAhead(30);
    expect(await set({ studioId: STUDIO_A, validFrom: date, prices: prices(3_000, 20) })).toMatchObject({
      status: 200,
    });
    expect(await hold(dayAhead(29), 1)).toMatchObject({ body: { error: { total: ordinary(dayAhead(29)) } } });
    expect(await hold(date, ordinary(date))).toMatchObject({
      status: 409,
      body: { error: { code: 'price_changed', total: 48 } },
    });
    const held = await hold(date, 48);
    expect(held).toMatchObject({ status: 200, body: { total: 48 } });
    expect(await readQuote(held.body['bookingId'])).toEqual({
      base: 6_000,
      discount: 1_200,
      total: 4_800,
      first: '3000',
    });

    // The hold keeps its price when staff change the list, even if it is requested again.
    expect(await set({ studioId: STUDIO_A, validFrom: date, prices: prices(4_000) })).toMatchObject({ status: 200 });
    expect(await hold(date, 48)).toMatchObject({ status: 200, body: { bookingId: held.body['bookingId'], total: 48 } });
    expect(await hold(date, 80)).toMatchObject({ status: 409, body: { error: { code: 'price_changed', total: 48 } } });
  });

  it('special days have their own prices, for all studios when none is named', async () => {
    const [firstDay, lastDay] = [dayAhead(60), dayAhead(61)];
    const days = { name: 'Festival', hourCents: Array.from({ length: 24 }, (_, hour) => 10_000 + hour) };
    const change = { studioId: null, firstDay, lastDay, prices: days };
    expect(await set(change)).toMatchObject({ status: 200, body: change });
    expect(await hold(lastDay, undefined, 1)).toMatchObject({ status: 200, body: { total: 100.12 } });
    expect(await set({ ...change, firstDay: lastDay })).toMatchObject({
      status: 409,
      body: { error: { code: 'days_overlap' } },
    });
    expect(await set({ ...change, prices: null })).toMatchObject({ status: 200 });
    expect(await set({ ...change, prices: null })).toMatchObject({ status: 404 });
  });

  it('everybody reads the prices with the studios in one request', async () => {
    const validFrom = dayAhead(90);
    await set({ studioId: STUDIO_B, validFrom, prices: prices(5_000) });
    const { data, error } = await server
      .client()
      .from('studios')
      .select('id, current_price_lists(valid_from, hour_cents, volume_percents), special_days(first_day)')
      .eq('id', STUDIO_B)
      .single();
    expect(error).toBeNull();
    expect(data?.special_days).toEqual([]);
    expect(
      data?.current_price_lists.toSorted((a, b) => (a.valid_from ?? '').localeCompare(b.valid_from ?? '')),
    ).toEqual([
      { valid_from: '2000-01-01', hour_cents: specified?.hourCents, volume_percents: specified?.volumePercents },
      { valid_from: validFrom, hour_cents: prices(5_000).hourCents, volume_percents: prices(5_000).volumePercents },
    ]);
  });

  it('a list with a hole, a price out of range, a discount that falls and a day that has come are refused', async () => {
    const change = { studioId: STUDIO_A, validFrom: dayAhead(40), prices: prices(5_000) };
    const { hourCents, volumePercents } = change.prices;
    for (const [changed, field] of [
      [{ hourCents: hourCents.slice(1) }, 'prices.hourCents'],
      [{ hourCents: hourCents.with(100, 99) }, 'prices.hourCents.100'],
      [{ hourCents: hourCents.with(3, 100_001) }, 'prices.hourCents.3'],
      [{ hourCents: hourCents.with(3, 4_999.5) }, 'prices.hourCents.3'],
      [{ volumePercents: volumePercents.with(2, 50) }, 'prices.volumePercents'],
      [{ volumePercents: volumePercents.with(23, 91) }, 'prices.volumePercents.23'],
    ] as const)
      expect(await set({ ...change, prices: { ...change.prices, ...changed } })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_request', field } },
      });
    for (const validFrom of ['2031-02-30', '2200-01-01', 'today'])
      expect(await set({ ...change, validFrom })).toMatchObject({
        status: 400,
        body: { error: { field: 'validFrom' } },
      });
    for (const [firstDay, lastDay] of [
      [dayAhead(2), dayAhead(1)],
      [dayAhead(2), dayAhead(369)],
    ])
      expect(await set({ studioId: null, firstDay, lastDay, prices: null })).toMatchObject({
        status: 400,
        body: { error: { field: 'lastDay' } },
      });
    expect(await set({ ...change, validFrom: dayAhead(-1) })).toMatchObject({
      status: 409,
      body: { error: { code: 'too_late' } },
    });
    expect(await set({ ...change, studioId: randomUUID() })).toMatchObject({ status: 404 });
  });

  it('only staff with the permission for settings and the service key set prices, and a removed permission ends it at once', async () => {
    const change = { studioId: STUDIO_B, validFrom: dayAhead(50), prices: prices(5_000) };
    expect((await set(change, customer.token)).status).toBe(403);
    expect((await set(change, server.app.keys.anonKey)).status).toBe(401);
    await grant('money');
    expect(await set(change)).toMatchObject({ status: 403, body: { error: { permission: 'settings' } } });
    await grant('settings');
    expect((await set(change)).status).toBe(200);
    expect((await set({ ...change, prices: null }, server.app.keys.serviceRoleKey)).status).toBe(200);
  });
});
