import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { openMigratedDatabase } from '#tests/support/image.ts';
import { findDemoAccounts, nameAccounts, removeDemoAccounts } from '../demo-accounts.ts';
import { type Pay, writeDemo } from './write.ts';

const NOW = new Date('2031-03-12T09:20:00Z');
let db: Database;
let written: Awaited<ReturnType<typeof writeDemo>>;
const paid: Parameters<Pay>[0][] = [];
const pay: Pay = async (booking) => {
  paid.push(booking);
  return { session: `cs_test_${booking.id}`, intent: `pi_${booking.id}` };
};

beforeAll(async () => {
  db = await openMigratedDatabase();
  // One of three studios, which takes a third of the time.
  await db.query(`insert into public.studios (name, hourly_rate) values ('Studio A', 49)`);
  written = await writeDemo(db, NOW, pay);
}, 120_000);
afterAll(() => db.close());
const value = async (text: string, ...values: unknown[]): Promise<unknown> =>
  (await db.one<{ v: unknown }>(`select (${text}) as v`, values))?.v;

test('three months of bookings are written, of every outcome, and what was paid and refunded equals the bookings', async () => {
  expect(written?.bookings).toBeGreaterThan(130);
  const { rows } = await db.query(
    `select b.status, b.cancel_reason as reason, p.state, count(*) > 5 as many,
       sum(p.paid_cents)::int = sum(b.final_cost_cents)::int as "allPaid", coalesce(sum(r.amount_cents), 0)::int = sum(p.refunded_cents)::int as "allRefunded"
     from private.booking b join private.payment p on p.booking_id = b.id left join private.refund r on r.payment_id = p.id
     group by 1, 2, 3 order by 1, 2, 3`,
  );
  expect(rows).toEqual([
    { status: 'cancelled', reason: 'customer', state: 'refunded', many: true, allPaid: true, allRefunded: true },
    { status: 'cancelled', reason: 'hold_expired', state: 'expired', many: true, allPaid: null, allRefunded: true },
    { status: 'confirmed', reason: null, state: 'paid', many: true, allPaid: true, allRefunded: true },
  ]);
});

test('bookings that are not over are paid at the provider, and those to come get a code and its mail', async () => {
  const coming = `from private.booking where status = 'confirmed' and`;
  expect(paid).toHaveLength(Number(await value(`select count(*) ${coming} end_time > $1::timestamptz`, NOW)));
  expect(paid.length).toBeGreaterThan(1);
  const future = await value(`select count(*) ${coming} start_time > $1::timestamptz`, NOW);
  expect(await value(`select count(*) from private.outbox where kind = 'access.request'`)).toBe(future);
  expect(await value('select count(*) from public.scheduled_emails')).toBe(future);
});

test('the uses of the coupon are those of the bookings that kept it', async () => {
  const uses = await value(`select current_uses from public.discount_codes where code = 'DEMO10'`);
  expect(uses).toBeGreaterThan(2);
  expect(await value(`select count(*)::int from private.coupon_redemption where state = 'committed'`)).toBe(uses);
});

test('a second time nothing is written, and remove-demo removes it all', async () => {
  const calls = paid.length;
  expect(await writeDemo(db, NOW, pay)).toBeNull();
  expect(paid).toHaveLength(calls);
  expect(nameAccounts(await findDemoAccounts(db))).toMatch(/^\S+, \S+ and 58 more$/);
  await removeDemoAccounts(db);
  expect(await value('select count(*)::int from private.booking')).toBe(0);
  expect(await value('select count(*)::int from auth.users')).toBe(0);
});
