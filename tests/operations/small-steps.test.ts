import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { addPerson, databases, HOUR, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

/** Midnight in Sydney, ten days ahead. Each hour of this day costs 49 cents more than the one before, from $10 to $21.27. */
const MIDNIGHT = START + 10 * 24 * HOUR - 11 * HOUR;
const [FIRST, STEP, LAST] = [1_000, 49, 1_000 + 23 * 49];

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
beforeAll(async () => {
  const engine = databases[0];
  if (!engine) throw new Error('there is no engine');
  ({ db, close } = await engine.open());
  cases = await createPaymentCases(db);
  await db.query(
    `insert into public.special_days (studio_id, name, first_day, last_day, hour_cents)
     values ($1::uuid, 'Steps', '2031-03-11', '2031-03-11', $2::int[])`,
    [STUDIO, Array.from({ length: 24 }, (_, hour) => FIRST + hour * STEP)],
  );
}, 180_000);
afterAll(() => close());

const at = (hour: number) => ({
  startTime: new Date(MIDNIGHT + hour * HOUR),
  endTime: new Date(MIDNIGHT + (hour + 1) * HOUR),
});

async function booked(hour: number): Promise<{ id: string; person: string }> {
  await db.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'staff', created_at = created_at - interval '2 hours' where status <> 'cancelled'`,
  );
  const person = await addPerson(db);
  return { ...(await cases.system.book(person, at(hour))), person };
}

/** Moves a booking, and pays if a payment is due. */
async function moveTo({ id, person }: { id: string; person: string }, hour: number): Promise<void> {
  const by = { waive: false, actor: person, customer: person };
  const { waiting } = await moveBooking(cases.system.services, { bookingId: id, studioId: STUDIO, ...at(hour), ...by });
  if (waiting === null) return;
  const session = await db.queryRow<{ id: string }>(
    `select x.session_id as id from private.payment x join private.booking h on h.id = x.booking_id
     where h.moves_booking = $1::uuid and h.status = 'pending'`,
    [id],
  );
  cases.system.provider.move(session?.id ?? '', 'pay');
  await settlePayment(cases.payment, session?.id ?? '');
}

/** Returns what the customer has paid, less refunds. */
async function kept({ id }: { id: string }): Promise<number> {
  await cases.system.jobs.drain();
  const row = await db.queryRow<{ cents: number }>(
    `select sum(p.paid_cents - (select coalesce(sum(r.amount_cents), 0) from private.partial_refund r where r.payment_id = p.id))::int as cents
     from private.payment p where p.booking_id = $1::uuid and p.state in ('paid', 'refunded')`,
    [id],
  );
  return row?.cents ?? 0;
}
const owed = async ({ id }: { id: string }): Promise<number> =>
  (await db.queryRow<{ cents: number }>('select owed_cents as cents from private.booking where id = $1::uuid', [id]))
    ?.cents ?? 0;

test('23 moves that each cost 49 cents more charge the price of the last hour, within 49 cents', async () => {
  const booking = await booked(0);
  for (let hour = 1; hour <= 23; hour += 1) await moveTo(booking, hour);
  expect(Math.abs((await kept(booking)) - LAST)).toBeLessThan(50);
  expect(await owed(booking)).toBe(LAST - (await kept(booking)));
});

test('moves that each cost 49 cents less give back all but 49 cents of the difference, and those with the next', async () => {
  const booking = await booked(3);
  await moveTo(booking, 2);
  expect([await kept(booking), await owed(booking)]).toEqual([FIRST + 3 * STEP, -STEP]);
  await moveTo(booking, 1);
  expect([await kept(booking), await owed(booking)]).toEqual([FIRST + STEP, 0]);
});

test('what is owed to the customer pays for dearer hours', async () => {
  const booking = await booked(3);
  await moveTo(booking, 2);
  await moveTo(booking, 4);
  expect([await kept(booking), await owed(booking)]).toEqual([FIRST + 3 * STEP, STEP]);
  await moveTo(booking, 5);
  expect([await kept(booking), await owed(booking)]).toEqual([FIRST + 5 * STEP, 0]);
});

test('an undone move leaves what was owed before', async () => {
  const booking = await booked(3);
  await moveTo(booking, 4);
  const staff = { waive: true, actor: booking.person, money: 'held' as const, undoable: true };
  const to = { bookingId: booking.id, studioId: STUDIO, ...at(5) };
  const { undo } = await moveBooking(cases.system.services, { ...to, ...staff });
  expect(await owed(booking)).toBe(0);
  await undoForStaff(cases.system.services, { undoId: undo?.id ?? '', actor: booking.person });
  expect(await owed(booking)).toBe(STEP);
});
