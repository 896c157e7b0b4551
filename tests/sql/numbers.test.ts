import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import {
  addBooking,
  addPayment,
  addStudiosAndCustomers,
  ALEX,
  force,
  KIM,
  OTHER_STUDIO,
  STUDIO,
} from './booking-rows.ts';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

type Hours = { weekday: number; hour: number; booked: number; open: number };
type Numbers = { occupancy: Hours[]; months: Row[]; totals: Row };

const asOwner = (work: (rows: Rows) => Promise<void>) => (): Promise<void> =>
  database.rolledBack(async (rows) => {
    await addStudiosAndCustomers(rows);
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [ALEX]);
    await rows.query(`insert into public.studios (name, hourly_rate, active) values ('Retired', 49, false)`);
    await work(rows);
  });
async function numbers(rows: Rows, first: string, last: string, studio: string | null = null): Promise<Numbers> {
  await rows.setClaims({ role: 'authenticated', sub: ALEX });
  return (await rows.value('select public.business_numbers($1::date, $2::date, $3::uuid)', [
    first,
    last,
    studio,
  ])) as Numbers;
}
/** Adds a confirmed booking of whole hours. `from` is an hour in summer time. */
const sold = (rows: Rows, number: number, from: string, hours: number, more: Row = {}): Promise<Row> => {
  const start = Date.parse(`${from}:00:00+11:00`);
  return addBooking(rows, number, {
    status: 'confirmed',
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + hours * 3_600_000).toISOString(),
    total_hours: hours,
    ...more,
  });
};
const sum = (list: readonly Hours[], key: 'booked' | 'open'): number =>
  list.reduce((all, hours) => all + hours[key], 0);
const booked = (found: Numbers): readonly string[] =>
  found.occupancy
    .filter((hours) => hours.booked > 0)
    .map((hours) => `${hours.weekday} ${hours.hour}: ${hours.booked}/${hours.open}`);

test(
  'hours are counted by their weekday and hour in Sydney, cut at the ends of the range, for one studio or all active ones',
  asOwner(async (rows) => {
    await sold(rows, 30, '2031-01-04T22', 4);
    await sold(rows, 31, '2031-01-11T23', 1, { studio_id: OTHER_STUDIO });
    await sold(rows, 32, '2031-01-05T12', 2, { notes: 'test' });
    await sold(rows, 33, '2031-01-05T14', 2, { status: 'cancelled', cancel_reason: 'staff' });
    const all = await numbers(rows, '2031-01-04', '2031-01-17');
    expect(booked(all)).toEqual(['6 22: 1/4', '6 23: 2/4', '7 0: 1/4', '7 1: 1/4']);
    expect([all.occupancy.length, sum(all.occupancy, 'open')]).toEqual([168, 14 * 24 * 2]);
    expect(booked(await numbers(rows, '2030-12-29', '2031-01-04'))).toEqual(['6 22: 1/2', '6 23: 1/2']);
    expect(booked(await numbers(rows, '2031-01-05', '2031-01-11'))).toEqual(['6 23: 1/2', '7 0: 1/2', '7 1: 1/2']);
    expect(booked(await numbers(rows, '2031-01-04', '2031-01-17', OTHER_STUDIO))).toEqual(['6 23: 1/2']);
  }),
);

test(
  'closed hours cannot be booked, and overlapping closures count once',
  asOwner(async (rows) => {
    for (const [number, from, to] of [
      [1, '2031-01-06T08:00+11:00', '2031-01-06T10:30+11:00'],
      [2, '2031-01-06T10:00+11:00', '2031-01-06T11:00+11:00'],
      [3, '2031-01-05T20:00+11:00', '2031-01-06T01:00+11:00'],
    ] as const)
      await force(rows, () =>
        rows.add('private.closed_span', {
          closure_id: uuid(number),
          studio_id: STUDIO,
          start_time: from,
          end_time: to,
        }),
      );
    const { occupancy } = await numbers(rows, '2031-01-06', '2031-01-12');
    expect(occupancy.filter((hours) => hours.open !== 2).map((hours) => `${hours.hour}: ${hours.open}`)).toEqual([
      '0: 1',
      '8: 1',
      '9: 1',
      '10: 1',
    ]);
  }),
);

test(
  'the day on which the clocks go back has the hour 2 twice, also in a booking; the other one does not have it',
  asOwner(async (rows) => {
    await sold(rows, 30, '2031-04-06T00', 5);
    const april = await numbers(rows, '2031-04-06', '2031-04-06', STUDIO);
    expect(april.occupancy.filter((hours) => hours.open !== 1).map((hours) => `${hours.hour}: ${hours.open}`)).toEqual([
      '2: 2',
    ]);
    expect(booked(april)).toEqual(['7 0: 1/1', '7 1: 1/1', '7 2: 2/2', '7 3: 1/1']);
    const october = await numbers(rows, '2031-10-05', '2031-10-05', STUDIO);
    expect([october.occupancy.length, october.occupancy.some((hours) => hours.hour === 2)]).toEqual([23, false]);
  }),
);

test(
  'money belongs to the month in Sydney in which it arrived or left, of one studio or of all',
  asOwner(async (rows) => {
    await sold(rows, 30, '2031-01-04T22', 4);
    await sold(rows, 31, '2031-01-11T23', 1, { studio_id: OTHER_STUDIO });
    await addPayment(rows, 30, 'paid', { paid_cents: 10_001, paid_at: '2031-01-31T12:59:59.999999Z' });
    await addPayment(rows, 31, 'paid', { paid_cents: 20_002, paid_at: '2031-01-31T13:00:00Z' });
    for (const [id, status, cents] of [
      ['re_1', 'succeeded', 301],
      ['re_2', 'pending', 999],
    ] as const)
      await force(rows, () =>
        rows.add('private.refund', {
          id,
          payment_id: uuid(3_001),
          amount_cents: cents,
          status,
          ours: true,
          created_at: '2031-02-02T00:00:00Z',
        }),
      );
    const january = { month: '2031-01', paidCents: 10_001, refundedCents: 0, disputedCents: 0 };
    expect((await numbers(rows, '2031-01-01', '2031-02-28')).months).toEqual([
      january,
      { month: '2031-02', paidCents: 20_002, refundedCents: 301, disputedCents: 0 },
    ]);
    expect((await numbers(rows, '2031-01-01', '2031-02-28', STUDIO)).months).toEqual([
      january,
      { month: '2031-02', paidCents: 0, refundedCents: 301, disputedCents: 0 },
    ]);
    expect((await numbers(rows, '2031-01-01', '2031-01-31')).months).toEqual([january]);
  }),
);

test(
  'a dispute takes its money in the month in which it was opened, and gives it back in the one in which it was won; an inquiry moves none',
  asOwner(async (rows) => {
    await sold(rows, 30, '2031-01-04T22', 4);
    await sold(rows, 31, '2031-01-11T23', 1, { studio_id: OTHER_STUDIO });
    await addPayment(rows, 30, 'paid', { paid_cents: 10_000, paid_at: '2031-01-05T00:00:00Z' });
    await addPayment(rows, 31, 'disputed', {
      paid_cents: 5_000,
      paid_at: '2031-01-05T00:00:00Z',
      dispute_id: 'du_2',
      dispute_status: 'open',
    });
    const dispute = (id: string, payment: number, amount: number, more: Record<string, unknown>) =>
      force(rows, () =>
        rows.add('private.dispute', {
          id,
          payment_id: uuid(payment),
          amount_cents: amount,
          status: 'open',
          provider_status: 'under_review',
          needs_response: false,
          opened_at: '2031-01-31T12:59:00Z',
          ...more,
        }),
      );
    await dispute('du_1', 3_001, 4_000, { status: 'won', provider_status: 'won', won_at: '2031-01-31T13:00:00Z' });
    await dispute('du_2', 3_101, 5_000, {});
    await dispute('du_3', 3_001, 700, { provider_status: 'warning_under_review' });
    const january = { month: '2031-01', paidCents: 15_000, refundedCents: 0, disputedCents: 9_000 };
    const february = { month: '2031-02', paidCents: 0, refundedCents: 0, disputedCents: -4_000 };
    const all = async (studio?: string) => (await numbers(rows, '2031-01-01', '2031-02-28', studio)).months;
    expect(await all()).toEqual([january, february]);
    expect(await all(OTHER_STUDIO)).toEqual([{ ...january, paidCents: 5_000, disputedCents: 5_000 }]);
    expect(
      await rows.query(`select id, cents from private.dispute_money('2031-01-01', '2031-03-01') order by at, id`),
    ).toEqual([
      { id: 'du_1', cents: -4_000 },
      { id: 'du_2', cents: -5_000 },
      { id: 'du_1+', cents: 4_000 },
    ]);
  }),
);

test(
  'totals are of the sessions that start in the range: sold, discounted, cancelled, not paid, and who made them',
  asOwner(async (rows) => {
    const day = (number: number): string => `2031-01-${String(number).padStart(2, '0')}T10`;
    await sold(rows, 30, day(1), 1);
    await sold(rows, 31, day(5), 2, {
      base_cost_cents: 10_000,
      discount_cents: 1_000,
      coupon_discount_cents: 500,
      final_cost_cents: 8_500,
      created_at: '2031-01-04T13:00:00Z',
    });
    await sold(rows, 32, day(6), 1, {
      user_id: KIM,
      created_at: '2031-01-05T19:00:00Z',
      waived_cents: 900,
      final_cost_cents: 4_000,
    });
    await sold(rows, 33, day(7), 1, {
      user_id: null,
      guest_email: 'guest@example.com',
      created_at: '2031-01-06T22:00:00Z',
    });
    await sold(rows, 34, day(8), 1, {
      status: 'cancelled',
      cancel_reason: 'customer',
      confirmed_at: '2031-01-01T00:00:00Z',
    });
    await sold(rows, 35, day(9), 1, { status: 'cancelled', cancel_reason: 'hold_expired', final_cost_cents: 4_900 });
    await sold(rows, 36, day(9), 1, { status: 'cancelled', cancel_reason: 'replaced' });
    await sold(rows, 37, day(10), 1, { notes: 'test' });
    // A test booking does not make its guest a returning customer.
    await sold(rows, 38, day(2), 1, { user_id: null, guest_email: 'guest@example.com', notes: 'test' });
    expect((await numbers(rows, '2031-01-05', '2031-01-31')).totals).toEqual({
      sessions: 3,
      hours: 4,
      baseCents: 19_800,
      volumeDiscountCents: 1_000,
      couponDiscountCents: 500,
      waivedCents: 900,
      soldCents: 17_400,
      cancelled: 1,
      unpaidHolds: 1,
      unpaidCents: 4_900,
      customers: 3,
      returningCustomers: 1,
      medianLeadHours: 4,
    });
    expect((await numbers(rows, '2031-01-08', '2031-01-31', OTHER_STUDIO)).totals).toMatchObject({
      sessions: 0,
      soldCents: 0,
      medianLeadHours: null,
    });
  }),
);

test(
  'only staff with the permission for money read the numbers, of at most 366 days',
  asOwner(async (rows) => {
    const ask = (first: string, last: string) => () =>
      rows.query('select public.business_numbers($1::date, $2::date)', [first, last]);
    for (const claims of [null, { role: 'anon' }, { role: 'authenticated', sub: KIM }]) {
      await rows.setClaims(claims);
      expect(await rows.refusal(ask('2031-01-01', '2031-01-31'))).toMatchObject({ code: '42501' });
    }
    await rows.query(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [KIM]);
    await rows.query(`delete from public.staff_permissions where user_id = $1`, [KIM]);
    await rows.query(
      `insert into public.staff_permissions (user_id, permission) select $1, unnest('{bookings,identity,settings}'::text[])`,
      [KIM],
    );
    await rows.setClaims({ role: 'authenticated', sub: KIM });
    expect(await rows.refusal(ask('2031-01-01', '2031-01-31'))).toMatchObject({ code: '42501' });
    await rows.setClaims({ role: 'authenticated', sub: ALEX });
    for (const [first, last] of [
      ['2031-01-02', '2031-01-01'],
      ['2031-01-01', '2032-01-02'],
      ['2031-01-01', 'infinity'],
    ] as const)
      expect((await rows.refusal(ask(first, last)))?.code).toMatch(/^22/);
    expect(await rows.refusal(ask('2031-01-01', '2032-01-01'))).toBeNull();
  }),
);
