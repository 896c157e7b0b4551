import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { showAccess } from '#server/operations/access/show-access.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { type Move, moveBooking, quoteMove } from '#server/operations/bookings/move.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { addPerson, databases, HOUR, LOCK, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, noResponse, type PaymentCases } from './payment-cases.ts';

const RACES = process.env['TEST_LONG'] ? 1_000 : 10;
const STAFF = randomUUID();
const OTHER_STUDIO = '5a000000-0000-4000-8000-0000000000fd';
const RETIRED_STUDIO = '5a000000-0000-4000-8000-0000000000fc';
const DAY = 24 * HOUR;
/** A Saturday at 11 am in Sydney, a week ahead, when an hour costs $59; two days later it costs $49, seven hours later $69. */
const SATURDAY = START + 7 * DAY;
const MONDAY = SATURDAY + 2 * DAY;
const EVENING = SATURDAY + 7 * HOUR;

describe.each(databases)('bookings that are moved on $name', ({ name, open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  beforeAll(async () => {
    ({ db, close } = await open());
    await db.query(`insert into public.studios (id, name, hourly_rate) values ($1::uuid, 'Other', 49)`, [OTHER_STUDIO]);
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    await db.query(`delete from private.closed_span`);
    cases = await createPaymentCases(db);
  });

  const at = (start: number, hours = 1) => ({ startTime: new Date(start), endTime: new Date(start + hours * HOUR) });
  const context = () => cases.system.services;
  const move = (bookingId: string, span: { startTime: Date; endTime: Date }, more: Partial<Move> = {}) =>
    moveBooking(context(), {
      bookingId,
      studioId: STUDIO,
      ...span,
      waive: false,
      actor: STAFF,
      money: 'held',
      ...more,
    });
  const quote = (bookingId: string, span: { startTime: Date; endTime: Date }, more: Partial<Move> = {}) =>
    quoteMove(context(), { bookingId, studioId: STUDIO, ...span, waive: false, actor: STAFF, money: 'held', ...more });
  const drain = () => cases.system.jobs.drain();
  async function booked(span = at(SATURDAY)) {
    const person = await addPerson(db);
    return { person, ...(await cases.system.book(person, span)) };
  }
  async function bookedByStaff(payment: 'free' | 'elsewhere') {
    const { bookingId } = await bookForStaff(context(), {
      studioId: STUDIO,
      ...at(SATURDAY),
      customerEmail: 'guest@example.com',
      customerName: 'Sam Guest',
      payment,
      notes: null,
      requestId: null,
      actor: STAFF,
      money: 'held',
    });
    return bookingId;
  }
  const row = (bookingId: string) =>
    db.queryRow<Record<string, unknown>>(
      `select reference, studio_id as studio, start_time as "startTime", end_time as "endTime", base_cost_cents as base, waived_cents as waived,
         final_cost_cents as cost, moves, total_hours::float8 as hours
       from private.booking where id = $1::uuid`,
      [bookingId],
    );
  async function returned(sessionId: string): Promise<readonly number[]> {
    const { paymentIntentId } = await cases.payments.getSession(sessionId);
    return (await cases.payments.listRefunds(paymentIntentId ?? '')).map(({ amountCents }) => amountCents);
  }
  /** Moves a booking after a number of queries, so that a hold that starts at the same time sometimes wins. */
  async function moveLater(bookingId: string, span: { startTime: Date; endTime: Date }, queries: number) {
    for (let step = 0; step < queries; step += 1) await db.query('select 1');
    return move(bookingId, span);
  }
  /** Ends all holds and makes them too old to count as recent. */
  async function freeHolds(): Promise<void> {
    await db.query(
      `update private.booking set status = 'cancelled', cancel_reason = 'staff', created_at = created_at - interval '2 hours' where status = 'pending'`,
    );
    await db.query(`update private.payment set state = 'expired' where state in ('intent', 'open')`);
  }
  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    );

  test('cheaper hours: the difference goes back once, the reference stays, and the customer is told old and new hours', async () => {
    const { id, sessionId } = await booked();
    const before = await row(id);
    const answer = { differenceCents: -1_000, refundCents: 1_000, byHand: false, waiting: null, undo: null };
    expect(await quote(id, at(MONDAY))).toMatchObject({ differenceCents: -1_000, refundCents: 1_000 });
    expect(await row(id)).toEqual(before);
    expect(await move(id, at(MONDAY))).toEqual(answer);
    expect(await move(id, at(MONDAY))).toEqual(answer);
    await drain();
    expect(await row(id)).toEqual({ ...before, ...at(MONDAY), base: 4_900, cost: 4_900, moves: 1 });
    expect(await returned(sessionId)).toEqual([1_000]);
    const mails = cases.system.mails.filter(({ subject }) => subject.startsWith('Booking moved'));
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toMatch(/Before: Studio, .*8 March.*\nNow: Studio, .*10 March/);
    expect(mails[0]?.text).toContain('$10 is on its way back');
    expect(mails[0]?.calendar?.content).toContain('SEQUENCE:1');
    const log = await db.queryRow(
      `select actor, details from public.audit_logs where resource_id = $1 order by created_at desc limit 1`,
      [id],
    );
    expect(log).toMatchObject({
      actor: STAFF,
      details: { before: { finalCostCents: 5_900 }, after: { finalCostCents: 4_900 }, refundCents: 1_000 },
    });
    await expect(
      holdBooking(context(), cases.system.request(await addPerson(db), at(SATURDAY))),
    ).resolves.toBeDefined();
    const cancelled = { bookingId: id, refund: 'full' as const, reason: 'Flood', actor: STAFF, money: 'held' as const };
    expect(await cancelForStaff(context(), cancelled)).toMatchObject({ refundCents: 4_900 });
  });

  test('staff can waive what dearer hours cost more, and it stays waived', async () => {
    const { id, sessionId } = await booked();
    expect(await quote(id, at(EVENING))).toEqual({
      differenceCents: 1_000,
      refundCents: 0,
      byHand: false,
      linkUntil: new Date(START + DAY),
      owedCents: 0,
      needsMoney: false,
    });
    expect(await quote(id, at(EVENING), { waive: true })).toMatchObject({ linkUntil: null });
    expect(await move(id, at(EVENING), { waive: true })).toMatchObject({ differenceCents: 1_000, refundCents: 0 });
    expect(await row(id)).toMatchObject({ base: 6_900, waived: 1_000, cost: 5_900 });
    expect(await move(id, at(EVENING + HOUR))).toMatchObject({ differenceCents: 0 });
    expect(await move(id, at(SATURDAY))).toMatchObject({ differenceCents: 0, refundCents: 0 });
    expect(await row(id)).toMatchObject({ base: 5_900, waived: 0, cost: 5_900 });
    await drain();
    expect(await returned(sessionId)).toEqual([]);
  });

  test('a free booking stays free, and money paid elsewhere goes back by hand', async () => {
    const free = await bookedByStaff('free');
    expect(await move(free, at(EVENING))).toMatchObject({ differenceCents: 0 });
    expect(await row(free)).toMatchObject({ base: 6_900, waived: 6_900, cost: 0 });
    const elsewhere = await bookedByStaff('elsewhere');
    expect(await move(elsewhere, at(MONDAY))).toMatchObject({
      differenceCents: -1_000,
      refundCents: 1_000,
      byHand: true,
    });
    await drain();
    expect(cases.system.provider.refundKeys).toEqual([]);
    expect(cases.system.mails.map(({ text }) => text).join()).toContain('We’ll give you $10 back ourselves');
  });

  test('hours that the booking keeps cost what they did, also after a change of prices', async () => {
    const { id } = await booked();
    await db.query(
      `insert into public.special_days (studio_id, name, first_day, last_day, hour_cents)
       select s, 'Show', '2031-03-08', '2031-03-08', array_fill(9900, array[24]) from unnest($1::uuid[]) as s`,
      [[STUDIO, OTHER_STUDIO]],
    );
    expect(await quote(id, at(SATURDAY, 2))).toMatchObject({ differenceCents: 9_900 });
    expect(await quote(id, at(SATURDAY), { studioId: OTHER_STUDIO })).toMatchObject({ differenceCents: 4_000 });
    await db.query('delete from public.special_days');
  });

  test('hours may overlap the old ones, and be in another studio, but not in one that is unknown or takes no bookings', async () => {
    const { id } = await booked(at(SATURDAY, 2));
    await move(id, at(SATURDAY + HOUR, 2));
    expect(await row(id)).toMatchObject({ ...at(SATURDAY + HOUR, 2), hours: 2 });
    await db.query(`insert into public.studios (id, name, hourly_rate, active) values ($1::uuid, 'Gone', 49, false)`, [
      RETIRED_STUDIO,
    ]);
    const noStudio = { code: 'not_found', message: 'Studio not found' };
    expect(await refusal(move(id, at(SATURDAY), { studioId: RETIRED_STUDIO }))).toMatchObject(noStudio);
    await move(id, at(SATURDAY + HOUR, 2), { studioId: OTHER_STUDIO });
    expect(await row(id)).toMatchObject({ studio: OTHER_STUDIO, moves: 2 });
    expect(await refusal(move(id, at(SATURDAY), { studioId: randomUUID() }))).toMatchObject(noStudio);
  });

  test('taken, closed and past hours are refused, and the booking keeps its old ones', async () => {
    const { id } = await booked();
    const before = await row(id);
    const other = await booked(at(SATURDAY + HOUR));
    expect(await refusal(move(id, at(SATURDAY + HOUR)))).toMatchObject({
      code: 'slot_taken',
      message: 'This time is taken.',
      details: { bookings: [{ id: other.id }] },
    });
    const closure = { studioId: STUDIO, ...at(SATURDAY + 2 * HOUR), weeks: 1, reason: 'Paint', public: false };
    await closeHours(context(), closure, STAFF);
    for (const [start, code, message] of [
      [SATURDAY + 2 * HOUR, 'slot_closed', 'The studio is closed at this time.'],
      [START - 2 * HOUR, 'slot_closed', 'This time can no longer be booked.'],
      [SATURDAY + HOUR / 2, 'invalid_request', 'Bookings start and end on the hour, Sydney time.'],
    ] as const)
      expect(await refusal(move(id, at(start)))).toMatchObject({ code, message });
    expect(await row(id)).toEqual(before);
  });

  test('an expired hold in the way is released', async () => {
    const { id } = await booked();
    const held = await cases.held(at(MONDAY));
    cases.system.state.now += 16 * MINUTE;
    await move(id, at(MONDAY));
    expect(await cases.readBooking(held.id)).toEqual({ status: 'cancelled', reason: 'hold_expired' });
  });

  test('a hold, a cancelled booking and one that is over are not moved; one that has begun can only end later', async () => {
    const held = await cases.held(at(MONDAY));
    expect(await refusal(move(held.id, at(MONDAY + HOUR)))).toMatchObject({
      code: 'not_confirmed',
      message: 'This booking hasn’t been paid yet. Cancel it and make another one.',
    });
    const { id } = await booked();
    cases.system.state.now = SATURDAY + 40 * MINUTE;
    for (const [span, more] of [
      [at(SATURDAY + HOUR), {}],
      [at(SATURDAY, 2), { studioId: OTHER_STUDIO }],
      [at(SATURDAY - HOUR, 2), {}],
    ] as const)
      expect(await refusal(move(id, span, more))).toMatchObject({
        code: 'too_late',
        message: 'This session has started. You can only extend it.',
      });
    expect(await move(id, at(SATURDAY, 2), { waive: true })).toMatchObject({ differenceCents: 5_900 });
    cases.system.state.now = SATURDAY + 2 * HOUR;
    const over = { code: 'too_late', message: 'This booking has ended.' };
    expect(await refusal(move(id, at(SATURDAY, 3)))).toMatchObject(over);
    const missing = { code: 'not_found', message: 'Booking not found' };
    expect(await refusal(move(randomUUID(), at(MONDAY)))).toMatchObject(missing);
    const cancelled = {
      bookingId: (await booked(at(MONDAY + DAY))).id,
      refund: 'full' as const,
      reason: 'x',
      actor: STAFF,
    };
    await cancelForStaff(context(), { ...cancelled, money: 'held' as const });
    expect(await refusal(move(cancelled.bookingId, at(MONDAY + 2 * DAY)))).toMatchObject({
      code: 'already_done',
      message: 'This booking is cancelled.',
    });
  });

  test('the database refuses other hours or another price without a move, and a move without its row', async () => {
    const { id } = await booked();
    for (const change of [
      `end_time = end_time + interval '1 hour'`,
      'final_cost_cents = 0',
      'moves = moves + 1',
      `moves = moves + 1, end_time = end_time + interval '1 hour'`,
    ])
      await expect(db.query(`update private.booking set ${change} where id = $1::uuid`, [id])).rejects.toMatchObject({
        constraint: 'booking_quote_frozen',
      });
    await move(id, at(MONDAY));
    await expect(
      db.query('update private.booking set final_cost_cents = 0 where id = $1::uuid', [id]),
    ).rejects.toMatchObject({ constraint: 'booking_quote_frozen' });
  });

  test('the old access code ends at the lock, the new hours get their own, and one mail brings it at the new time', async () => {
    const { id } = await booked();
    await drain();
    cases.system.state.now = SATURDAY - 30 * MINUTE;
    await drain();
    const [old] = cases.system.state.codes.keys();
    expect(old).toMatch(new RegExp(`^${LOCK}:`));
    await move(id, at(SATURDAY + 3 * HOUR));
    await drain();
    expect([...cases.system.state.codes.keys()]).toEqual([]);
    cases.system.mails.length = 0;
    cases.system.state.now = SATURDAY + 10 * MINUTE;
    await drain();
    expect(cases.system.mails).toEqual([]);
    cases.system.state.now = SATURDAY + 2 * HOUR + 45 * MINUTE;
    await drain();
    await drain();
    const { pin } = await showAccess(cases.system.services, id);
    expect([...cases.system.state.codes.keys()]).toEqual([`${LOCK}:${pin}`]);
    expect(cases.system.state.requests.at(-1)).toMatchObject({
      startsAt: new Date(SATURDAY + 3 * HOUR - 5 * MINUTE),
      endsAt: new Date(SATURDAY + 4 * HOUR),
    });
    expect(cases.system.mails.map(({ subject }) => subject)).toEqual([expect.stringContaining('Your access code')]);
    expect(cases.system.mails[0]?.text).toContain(pin);
  });

  test('a code that the lock accepts while its booking is moved is taken from the lock again', async () => {
    const { id } = await booked();
    cases.system.state.now = SATURDAY - 30 * MINUTE;
    cases.system.state.duringRequest = async () => {
      cases.system.state.duringRequest = () => Promise.resolve();
      await move(id, at(MONDAY));
      // The removal runs before the lock has the code.
      await db.query(`update public.booking_access_codes set status = 'revoked' where booking_id = $1::uuid`, [id]);
      await db.query(`update private.access_secret set live = false`);
    };
    await drain();
    await drain();
    expect([...cases.system.state.codes.keys()]).toEqual([]);
  });

  test('a refund of a move whose call fails is made later, once', async () => {
    const { id, sessionId } = await booked();
    await move(id, at(MONDAY));
    cases.system.provider.failing = noResponse;
    await drain();
    cases.system.provider.failing = null;
    cases.system.state.now += HOUR;
    await drain();
    await move(id, at(MONDAY));
    await drain();
    expect(await returned(sessionId)).toEqual([1_000]);
  });

  test(
    `in ${RACES} races of a move and a hold for the same hours one wins, and the booking keeps its old hours otherwise`,
    { timeout: 900_000 },
    async () => {
      const { id } = await booked();
      const people = [await addPerson(db), await addPerson(db)];
      for (let race = 0; race < RACES; race += 1) {
        const [from, to] = race % 2 === 0 ? [SATURDAY, SATURDAY + HOUR] : [SATURDAY + HOUR, SATURDAY];
        const holds = people.map((person) => holdBooking(context(), cases.system.request(person, at(to))));
        const settled = await Promise.allSettled([moveLater(id, at(to), race % 4), ...holds]);
        const won = settled.map(({ status }) => status === 'fulfilled');
        expect(won.filter(Boolean)).toHaveLength(1);
        for (const result of settled)
          if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'slot_taken' });
        expect(await row(id)).toMatchObject(at(won[0] === true ? to : from));
        await freeHolds();
        if (won[0] !== true) await move(id, at(to));
      }
    },
  );

  test('moves wait for each other before they lock a booking, so two into each other’s hours never deadlock', async () => {
    const [first, two] = [await booked(), await booked(at(SATURDAY + HOUR))];
    let moved: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('booking-move', 0))`);
      await tx.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`, [
        two.id,
      ]);
      moved = refusal(move(first.id, at(SATURDAY + HOUR)));
      // The embedded database runs one transaction at a time, so the move has not begun there.
      while (name === 'PostgreSQL' && !(await waits(tx))) await nextTurn();
      await tx.query('select from private.booking where id = $1::uuid for update', [first.id]);
    });
    expect(await moved).toBeNull();
  });
  const waits = async (tx: Pick<Database, 'queryRow'>): Promise<boolean> =>
    (await tx.queryRow(
      `select from pg_locks where not granted and pid in (select a.pid from pg_stat_activity a where a.datname = current_database())`,
    )) !== null;
});
