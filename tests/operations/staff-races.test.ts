import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { type Move, moveBooking } from '#server/operations/bookings/move.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { addPerson, databases, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

/**
 * Actions of staff run concurrently with each other, the customer, the payment and the jobs. After each race, all money is compared with
 * the provider.
 */
const RACES = process.env['TEST_LONG'] ? 1_000 : 8;
const DAY = 24 * HOUR;
/** A Saturday at 11 am in Sydney, a week ahead. */
const SATURDAY = START + 7 * DAY;
const EVENING = SATURDAY + 7 * HOUR;
const MONDAY = SATURDAY + 2 * DAY;
/** The price of an hour at each time. */
const PRICES: Readonly<Record<number, number>> = { [SATURDAY]: 5_900, [EVENING]: 6_900, [MONDAY]: 4_900 };

describe.each(databases)('races of staff on $name', ({ name, open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  let staff: string;
  beforeAll(async () => {
    ({ db, close } = await open());
    staff = await addPerson(db);
    await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff]);
  }, 180_000);
  afterAll(() => close());

  const at = (start: number) => ({ startTime: new Date(start), endTime: new Date(start + HOUR) });
  const context = () => cases.system.services;
  const drain = () => cases.system.jobs.drain();
  const expire = () => releaseExpiredHolds(context());
  const move = (bookingId: string, start: number, more: Partial<Move> = {}) =>
    moveBooking(context(), {
      bookingId,
      studioId: STUDIO,
      ...at(start),
      waive: false,
      actor: staff,
      money: 'held',
      ...more,
    });
  /** Starts over with a paid booking on Saturday. */
  async function booked() {
    cases = await createPaymentCases(db);
    const person = await addPerson(db);
    return { person, ...(await cases.system.book(person, at(SATURDAY))) };
  }
  /** Runs `work` after a number of queries. */
  async function after<T>(queries: number, work: () => Promise<T> | undefined): Promise<T | undefined> {
    for (let query = 0; query < queries; query += 1) await db.query('select 1');
    return work();
  }
  const row = (bookingId: string) =>
    db.queryRow<{ status: string; start: Date; moves: number }>(
      'select status, start_time as start, moves from private.booking where id = $1::uuid',
      [bookingId],
    );
  async function overlaps(): Promise<number> {
    const found = await db.queryRow<{ n: number }>(
      `select count(*)::int as n from private.booking a join private.booking b on a.id < b.id and a.studio_id = b.studio_id and a.during && b.during
       where a.status <> 'cancelled' and b.status <> 'cancelled'`,
    );
    return found?.n ?? 0;
  }
  /** Prints how many times each outcome occurred, in runs that are long enough for counts to be meaningful. */
  function show(ends: readonly string[]): void {
    const counts = Map.groupBy(ends, (end) => end);
    if (RACES > 100)
      process.stdout.write(
        `${name}\n${[...counts]
          .map(([end, all]) => `${end}: ${all.length}`)
          .toSorted()
          .join('\n')}\n`,
      );
  }

  test(
    `in ${RACES} races of paying for a move, expiring, cancelling, moving again and holding, the booking has one of the hours and every cent is kept or goes back`,
    { timeout: 3_600_000 },
    async () => {
      const ends: string[] = [];
      for (let race = 0; race < RACES; race += 1) {
        const { id, person } = await booked();
        // Either staff move the booking, or the customer does in two tabs.
        if (race % 8 < 4) await move(id, EVENING);
        else await Promise.all([1, 2].map(() => move(id, EVENING, { customer: person, actor: person })));
        const hold = await db.queryRow<{ session: string }>(
          `select p.session_id as session from private.payment p join private.booking b on b.id = p.booking_id where b.moves_booking = $1::uuid`,
          [id],
        );
        const session = hold?.session ?? '';
        cases.system.provider.move(session, 'pay');
        const [first, two] = [await addPerson(db), await addPerson(db)];
        if (race % 4 === 0) cases.system.state.now += DAY + MINUTE;
        const against: readonly (() => Promise<unknown>)[] = [
          expire,
          () => cancelBooking(context(), id, person),
          expire,
          () => move(id, MONDAY),
        ];
        // Without this delay, the same call would always be first.
        const late = Math.floor(race / 8);
        const [paid, , , oldHours, newHours] = await Promise.allSettled([
          after(late % 9, () => settlePayment(context(), session)),
          after(late % 5, () => settlePayment(context(), session)),
          after(Math.floor(late / 9) % 9, () => against[race % 4]?.()),
          holdBooking(context(), cases.system.request(first, at(SATURDAY))),
          holdBooking(context(), cases.system.request(two, at(EVENING))),
        ]);
        expect(paid.status, String(race)).toBe('fulfilled');
        const ended = await row(id);
        const start = Number(ended?.start);
        const cancelled = ended?.status === 'cancelled';
        if (start === SATURDAY) expect(ended?.moves).toBe(0);
        if (start === SATURDAY && !cancelled) expect(oldHours.status).toBe('rejected');
        if (start === EVENING && !cancelled) expect(newHours.status).toBe('rejected');
        if (race % 4 === 3) expect(start).toBe(MONDAY);
        await expire();
        const { paid: cents, returned } = await cases.requireMoney(id);
        expect([cents, cents - returned], String(race)).toEqual([6_900, cancelled ? 0 : PRICES[start]]);
        const papers = await db.queryRow(
          `select sum(case d.kind when 'invoice' then d.cents else -d.cents end)::int as left from private.document d
           where d.booking_id = $1::uuid and d.voided_at is null`,
          [id],
        );
        expect(papers, String(race)).toEqual({ left: cents - returned });
        expect(await overlaps()).toBe(0);
        const rival = ['expiry', 'cancellation', 'hold', 'second move'][race % 4];
        ends.push(
          `payment against ${rival}: ${cancelled ? 'cancelled' : `keeps ${PRICES[start]}`} after ${ended?.moves} moves`,
        );
      }
      show(ends);
    },
  );

  test(
    `in ${RACES} races of two staff who cancel, move and refund one booking, exactly what they were told goes back`,
    { timeout: 3_600_000 },
    async () => {
      const ends: string[] = [];
      for (let race = 0; race < RACES; race += 1) {
        const { id } = await booked();
        const refund = race % 2 === 0 ? ('full' as const) : 2_000;
        const cancelled = { bookingId: id, refund, reason: 'Flood', actor: staff, money: 'held' as const };
        const part = { bookingId: id, reason: 'Sorry', requestId: null, actor: staff, money: 'held' as const };
        /** Each action returns the amount that it refunds. */
        const actions = [
          async () => (await cancelForStaff(context(), cancelled)).refundCents,
          async () => (await move(id, MONDAY)).refundCents,
          async () => (await refundForStaff(context(), { ...part, cents: 1_500 })) && 1_500,
          async () => (await move(id, EVENING, { waive: true })).refundCents,
          async () => (await refundForStaff(context(), { ...part, cents: 900, requestId: 'other' })) && 900,
        ];
        const first = race % actions.length;
        const settled = await Promise.allSettled(
          [...actions.slice(first), ...actions.slice(0, first)].map((act, index) => after(index * (race % 7), act)),
        );
        let reported = 0;
        for (const result of settled)
          if (result.status === 'fulfilled') reported += result.value ?? 0;
          else expect(result.reason, String(race)).toMatchObject({ code: expect.stringMatching(/^[a-z_]+$/) });
        expect(await row(id)).toMatchObject({ status: 'cancelled' });
        const { paid, returned } = await cases.requireMoney(id);
        expect([paid, returned], String(race)).toEqual([5_900, reported]);
        if (refund === 'full') expect(returned).toBe(5_900);
        expect(await overlaps()).toBe(0);
        const done = settled.filter(({ status }) => status === 'fulfilled').length;
        ends.push(`${done} of 5 done, ${returned} back`);
      }
      show(ends);
    },
  );

  test(
    `in ${RACES} races of an undo with its jobs, either mail, refund and end of the code have all gone out, or none`,
    { timeout: 3_600_000 },
    async () => {
      const ends: string[] = [];
      for (let race = 0; race < RACES; race += 1) {
        const { id } = await booked();
        const { state, mails } = cases.system;
        const kind = ['cancellation', 'cancellation with a code', 'move'][race % 3] ?? '';
        // Half an hour before the start, the lock has the code and its mail is not due yet.
        if (kind === 'cancellation with a code') state.now = SATURDAY - 30 * MINUTE;
        await drain();
        await drain();
        mails.length = 0;
        const codes = state.codes.size;
        const request = {
          bookingId: id,
          refund: 'full' as const,
          reason: 'Flood',
          actor: staff,
          money: 'held' as const,
        };
        const { undo } =
          kind === 'move'
            ? await move(id, MONDAY, { undoable: true })
            : await cancelForStaff(context(), { ...request, undoable: true });
        state.now += race % 2 === 0 ? 9_999 : 10_000;
        // Makes the jobs due, as if the worker's clock were slightly ahead.
        await db.query(
          `update private.outbox set due_at = due_at - interval '1 second' where done_at is null and due_at = $1::timestamptz`,
          [undo?.until],
        );
        const [undone] = await Promise.allSettled([
          after(race % 5, () => undoForStaff(context(), { undoId: undo?.id ?? '', actor: staff })),
          after(Math.floor(race / 5) % 5, drain),
        ]);
        state.now += MINUTE;
        await drain();
        const kept = undone.status === 'fulfilled';
        if (!kept) expect(undone.reason).toMatchObject({ code: 'too_late' });
        const ended = await row(id);
        const moved = kind === 'move' && !kept;
        expect(ended).toMatchObject({
          status: kept || moved ? 'confirmed' : 'cancelled',
          start: new Date(moved ? MONDAY : SATURDAY),
        });
        expect([mails.length, state.codes.size], String(race)).toEqual([kept ? 0 : 1, kept ? codes : 0]);
        const { returned } = await cases.requireMoney(id);
        expect(returned).toBe(kept ? 0 : moved ? 1_000 : 5_900);
        ends.push(`${kind}: ${kept ? 'undone' : 'too late'}`);
      }
      show(ends);
    },
  );
});
