import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { openMigratedDatabase } from '#tests/support/image.ts';
import { findDemoAccounts, nameAccounts, removeDemoAccounts } from '../demo-accounts.ts';
import { type DemoProvider, writeDemo } from './write.ts';

const NOW = new Date('2031-03-12T09:20:00Z');
let db: Database;
let written: Awaited<ReturnType<typeof writeDemo>>;
const interrupted: (readonly string[])[] = [];
const readIds = async (where: string): Promise<readonly string[]> =>
  (await db.query<{ id: string }>(`select id from private.booking where ${where} order by id`)).rows.map(
    ({ id }) => id,
  );
const paid: Parameters<DemoProvider['pay']>[0][] = [];
/** The number of payments that succeed before the run is interrupted. */
let remaining = Number.POSITIVE_INFINITY;
let pastAdded = 0;
const provider: DemoProvider = {
  async pay(booking) {
    const row = await db.queryRow<{ status: string }>('select status from private.booking where id = $1::uuid', [
      booking.id,
    ]);
    expect(row?.status).toBe('pending');
    if ((remaining -= 1) < 0) throw new Error('interrupted');
    paid.push(booking);
    return { session: `cs_test_${booking.id}`, intent: `pi_${booking.id}` };
  },
  addPast: async () => void (pastAdded += 1),
};
/** Statements whose first attempt exceeds its time limit, as on a busy machine. */
const SLOW = /^\s*(insert into private\.(booking|payment)|update private\.booking b set status)/;
function onBusyMachine(database: Database): Database {
  let slow = 0;
  const transaction: Database['transaction'] = (work) =>
    database.transaction((tx) =>
      work({
        ...tx,
        async query(text, values) {
          if (SLOW.test(text) && (slow += 1) % 7 === 1)
            throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
          return tx.query(text, values);
        },
      }),
    );
  return { ...database, transaction };
}

beforeAll(async () => {
  db = await openMigratedDatabase();
  // One studio instead of three, which takes a third of the time.
  await db.query(`insert into public.studios (name, hourly_rate) values ('Studio A', 49)`);
  const busy = onBusyMachine(db);
  // The run is interrupted twice while it pays, and continued hours later.
  remaining = 1;
  await expect(writeDemo(busy, NOW, provider)).rejects.toThrow('interrupted');
  interrupted.push(await readIds(`status = 'pending'`), await readIds('true'));
  remaining = 0;
  await expect(writeDemo(busy, new Date(NOW.getTime() + 5 * 3_600_000), provider)).rejects.toThrow('interrupted');
  remaining = Number.POSITIVE_INFINITY;
  written = await writeDemo(busy, new Date(NOW.getTime() + 8 * 3_600_000), provider);
}, 240_000);
afterAll(() => db.close());
const value = async (text: string, ...values: unknown[]): Promise<unknown> =>
  (await db.queryRow<{ v: unknown }>(`select (${text}) as v`, values))?.v;

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

test('a run that is interrupted after it paid leaves the hours held, and the next runs add nothing but what is missing', async () => {
  const [pending = [], all = []] = interrupted;
  expect(pending.length).toBe(paid.length - 1);
  expect(await readIds('true')).toEqual(all);
  expect(await readIds(`status = 'pending'`)).toEqual([]);
  expect(new Set(paid.map(({ id }) => id)).size).toBe(paid.length);
  expect(written?.bookings).toBe(all.length);
});

test('the uses of the coupon are those of the bookings that kept it', async () => {
  const uses = await value(`select current_uses from public.discount_codes where code = 'DEMO10'`);
  expect(uses).toBeGreaterThan(2);
  expect(await value(`select count(*)::int from private.coupon_redemption where state = 'committed'`)).toBe(uses);
});

test('a second time nothing is written, and remove-demo removes it all', async () => {
  const calls = paid.length;
  expect(await writeDemo(db, NOW, provider)).toBeNull();
  expect(paid).toHaveLength(calls);
  expect(pastAdded).toBe(1);
  expect(nameAccounts(await findDemoAccounts(db))).toMatch(/^\S+, \S+ and 58 more$/);
  await removeDemoAccounts(db);
  expect(await value('select count(*)::int from private.booking')).toBe(0);
  expect(await value('select count(*)::int from auth.users')).toBe(0);
});
