import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { weeklyDates } from '#rules/finding/series.ts';
import { studioDate } from '#rules/studio-time.ts';
import type { Database } from '#server/db/database.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { holdEarly } from '#server/operations/customers/hold-early.ts';
import { joinWaitlist } from '#server/operations/customers/waitlist.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { readSourceFiles } from '#tests/support/source-files.ts';
import { addPerson, databases, HOUR, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

/** Returns a generator of whole numbers below a bound (mulberry32). Equal seeds give equal sequences. */
function chooser(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const RUNS = process.env['TEST_LONG'] ? 60 : 3;
const STEPS = 14;
const STAFF = randomUUID();
const MOST = 48;
const MOST_OF_BOOKING = 24;

/** The code that inserts booking rows. The inserts that can create a pending row are paths of the property below. */
const INSERTS = {
  server: [
    'server/operations/bookings/hold-move.ts',
    'server/operations/bookings/store-staff-booking.ts',
    'server/start/demo-data/write.ts',
  ],
  database: ['private.hold_booking', 'private.hold_early', 'private.insert_booking', 'private.offer_hours'],
};

describe.each(databases)('unpaid hours on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  let day: number;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    await db.query(`update public.waitlist_entries set state = 'left'`);
    cases = await createPaymentCases(db);
    day = 0;
  });

  const context = () => cases.system.services;
  /** Returns hours from 11 am on a day that no other call in this test uses. */
  function span(hours = 1) {
    day += 1;
    const start = START + day * 24 * HOUR;
    return { startTime: new Date(start), endTime: new Date(start + hours * HOUR) };
  }
  const hold = (userId: string, hours: number) => holdBooking(context(), cases.system.request(userId, span(hours)));
  const holdSeries = (userId: string, weeks: number, hours: number) => {
    const first = span(hours);
    return holdBooking(
      context(),
      cases.system.request(userId, { ...first, series: weeklyDates(studioDate(first.startTime), weeks) }),
    );
  };
  const book = async (userId: string, hours = 1) => (await cases.system.book(userId, span(hours))).id;
  const moveTo = (userId: string, bookingId: string, hours: number) =>
    moveBooking(context(), {
      bookingId,
      studioId: STUDIO,
      ...span(hours),
      waive: false,
      actor: userId,
      customer: userId,
    });
  const refusal = (work: Promise<unknown>): Promise<Refusal | null> =>
    work.then(
      () => null,
      (error: unknown) => {
        if (error instanceof Refusal) return error;
        throw error;
      },
    );
  /** Returns the hours of each live unpaid booking that an account itself holds, computed independently of the function under test. */
  async function unpaid(userId: string): Promise<readonly number[]> {
    const { rows } = await db.query<{ hours: number }>(
      `select extract(epoch from b.end_time - b.start_time)::float8 / 3600 as hours
       from private.booking b left join private.booking m on m.id = b.moves_booking
       where $1::uuid in (b.user_id, m.user_id) and b.status = 'pending' and b.hold_expires_at > $2::timestamptz and b.made_by is null`,
      [userId, context().clock()],
    );
    return rows.map(({ hours }) => hours);
  }
  const sum = (hours: readonly number[]): number => hours.reduce((total, hour) => total + hour, 0);
  /** Has the account wait for hours of another customer, and then frees these hours. */
  async function claim(userId: string, hours: number): Promise<void> {
    const owner = await addPerson(db);
    const taken = span(hours);
    const { id } = await cases.system.book(owner, taken);
    await joinWaitlist(context(), { userId, studioId: STUDIO, ...taken });
    await cancelBooking(context(), id, owner);
  }
  /** Holds hours while the account's ID is being verified; until then, the account has no verified ID. */
  async function early(userId: string, hours: number): Promise<void> {
    const verified = (status: string) =>
      db.query('update public.id_verifications set verification_status = $2 where user_id = $1::uuid', [
        userId,
        status,
      ]);
    await verified('superseded');
    try {
      await holdEarly(context(), { userId, studioId: STUDIO, address: '', ...span(hours) });
    } finally {
      await verified('verified');
    }
  }
  const link = async (email: string, hours: number) =>
    bookForStaff(context(), {
      studioId: STUDIO,
      ...span(hours),
      customerEmail: email,
      customerName: 'Alex',
      payment: 'link',
      notes: null,
      requestId: null,
      actor: STAFF,
    });

  test('five bookings of an hour can be moved to 24 hours without paying only twice at a time', async () => {
    const alex = await addPerson(db);
    const bookings: string[] = [];
    for (let index = 0; index < 5; index += 1) bookings.push(await book(alex));
    const answers = [];
    for (const id of bookings) answers.push((await refusal(moveTo(alex, id, 24)))?.code ?? 'held');
    expect(answers).toEqual(['held', 'held', 'too_many_hours', 'too_many_hours', 'too_many_hours']);
    expect(await unpaid(alex)).toEqual([24, 24]);
    // The new hours of a booking replace the ones that it already waits for.
    expect(await refusal(moveTo(alex, bookings[0] ?? '', 24))).toBeNull();
    expect(sum(await unpaid(alex))).toBe(MOST);
  });

  test('a series of more hours than fit is refused with a sentence that says how many hours fit', async () => {
    const alex = await addPerson(db);
    const first = await refusal(holdSeries(alex, 8, 7));
    expect(first).toMatchObject({ code: 'too_many_hours', details: { hours: 56, fit: 48 } });
    expect(first?.message).toBe(
      'You can hold up to 48 hours in all rooms together before you pay. You asked for 56, and 48 hours fit now. Please choose fewer hours or dates.',
    );
    expect(await refusal(holdSeries(alex, 5, 7))).toBeNull();
    const second = await refusal(holdSeries(alex, 2, 7));
    expect(second?.message).toBe(
      'You can hold up to 48 hours in all rooms together before you pay. You asked for 14, and 13 hours fit now. Please choose fewer hours or dates, or pay for what you’re holding first.',
    );
    expect(sum(await unpaid(alex))).toBe(35);
    expect(await refusal(holdSeries(alex, 2, 6))).toBeNull();
  });

  test('the limits are settings, which count for the next hold', async () => {
    const set = (changes: object) =>
      db.query('select private.set_business_settings($1::jsonb, $2::uuid, $3::timestamptz)', [
        changes,
        STAFF,
        context().clock(),
      ]);
    const alex = await addPerson(db);
    try {
      await set({ maxUnpaidHours: 5, maxUnpaidHoursOfBooking: 3, maxLiveHolds: 1 });
      expect((await refusal(hold(alex, 4)))?.message).toBe(
        'You can hold up to 3 hours in one booking before you pay. Please choose fewer hours.',
      );
      expect(await refusal(hold(alex, 3))).toBeNull();
      expect((await refusal(hold(alex, 1)))?.code).toBe('too_many_holds');
      await set({ maxLiveHolds: 2 });
      expect(await refusal(hold(alex, 3))).toMatchObject({ code: 'too_many_hours', details: { hours: 3, fit: 2 } });
      expect(await refusal(hold(alex, 2))).toBeNull();
    } finally {
      await set({ maxUnpaidHours: MOST, maxUnpaidHoursOfBooking: MOST_OF_BOOKING, maxLiveHolds: 2 });
    }
  });

  test('holds, moves and series of one account at the same moment count each other', async () => {
    for (let round = 0; round < RUNS; round += 1) {
      cases = await createPaymentCases(db);
      const alex = await addPerson(db);
      const bookings = [await book(alex), await book(alex), await book(alex)];
      const answers = await Promise.all([
        refusal(hold(alex, 20)),
        refusal(holdSeries(alex, 2, 10)),
        ...bookings.map((id) => refusal(moveTo(alex, id, 18))),
      ]);
      expect(answers.some((answer) => answer === null)).toBe(true);
      expect(sum(await unpaid(alex))).toBeLessThanOrEqual(MOST);
      day = 0;
    }
  });

  test('six changes may be begun within an hour without paying, of all bookings of an account together', async () => {
    const alex = await addPerson(db);
    // The bookings are late enough that each can still be moved.
    day += 2;
    const bookings = [await book(alex), await book(alex), await book(alex)];
    const answers = [];
    for (let step = 0; step < 7; step += 1) {
      answers.push((await refusal(moveTo(alex, bookings[step % 3] ?? '', 2)))?.code ?? 'held');
      cases.system.state.now += 1_000;
    }
    expect(answers).toEqual([...Array.from({ length: 6 }, () => 'held'), 'too_many_holds']);
    const kim = await addPerson(db);
    expect(await refusal(moveTo(kim, await book(kim), 2))).toBeNull();
  });

  test('a link that staff made does not count towards the limit of the customer', async () => {
    const alex = await addPerson(db);
    const account = await db.queryRow<{ email: string }>('select email from auth.users where id = $1::uuid', [alex]);
    for (let index = 0; index < 3; index += 1) await link(account?.email ?? '', 20);
    expect(await unpaid(alex)).toEqual([]);
    expect(await refusal(hold(alex, 24))).toBeNull();
    expect(await refusal(hold(alex, 24))).toBeNull();
  });

  test('after any steps on all paths to a pending booking, the live unpaid room-hours of an account are within the limit', async () => {
    const used = new Map<string, number>();
    for (let seed = 1; seed <= RUNS; seed += 1) {
      cases = await createPaymentCases(db);
      day = 0;
      const choose = chooser(seed);
      const alex = await addPerson(db);
      const account = await db.queryRow<{ email: string }>('select email from auth.users where id = $1::uuid', [alex]);
      const own = [await book(alex), await book(alex), await book(alex)];
      const mine = (): string => own[choose(own.length)] ?? '';
      const paths: Record<string, () => Promise<unknown>> = {
        hold: () => hold(alex, 1 + choose(24)),
        series: () => holdSeries(alex, 2 + choose(4), 1 + choose(8)),
        move: () => moveTo(alex, mine(), 2 + choose(23)),
        extension: async () => {
          const row = await db.queryRow<{ startTime: Date; endTime: Date }>(
            'select start_time as "startTime", end_time as "endTime" from private.booking where id = $1::uuid',
            [own[0]],
          );
          if (row === null) throw new Error('no booking');
          const endTime = new Date(row.endTime.getTime() + (1 + choose(12)) * HOUR);
          const to = { bookingId: own[0] ?? '', studioId: STUDIO, startTime: row.startTime, endTime };
          return moveBooking(context(), { ...to, waive: false, actor: alex, customer: alex, onlyLater: true });
        },
        claim: () => claim(alex, 1 + choose(20)),
        'early hold': () => early(alex, 1 + choose(4)),
        'link of staff': () => link(account?.email ?? '', 1 + choose(20)),
        'move of staff with a link': () =>
          moveBooking(context(), { bookingId: mine(), studioId: STUDIO, ...span(4), waive: false, actor: STAFF }),
      };
      const names = Object.keys(paths);
      for (let step = 0; step < STEPS; step += 1) {
        const name = names[choose(names.length)] ?? 'hold';
        const refused = await refusal(paths[name]?.() ?? Promise.resolve());
        if (refused === null) used.set(name, (used.get(name) ?? 0) + 1);
        const hours = await unpaid(alex);
        expect(sum(hours), `seed ${seed}, step ${step}: ${name}`).toBeLessThanOrEqual(MOST);
        expect(Math.max(0, ...hours)).toBeLessThanOrEqual(MOST_OF_BOOKING);
        // The limit on new holds per hour is not under test here.
        await db.query(
          `update private.booking set created_at = created_at - interval '2 hours' where status = 'pending'`,
        );
      }
    }
    expect(used.size).toBeGreaterThanOrEqual(6);
  }, 180_000);

  test('rows of bookings are inserted only by the code that this file covers', async () => {
    const { rows } = await db.query<{ name: string }>(
      `select n.nspname || '.' || p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where p.prosrc ~ 'insert into private\\.booking\\M(?!_)' order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(INSERTS.database);
    const server = readSourceFiles()
      .filter(({ path, text }) => path.startsWith('server/') && /insert into private\.booking\b(?!_)/.test(text))
      .map(({ path }) => path);
    expect(server.toSorted((a, b) => a.localeCompare(b))).toEqual(INSERTS.server);
  }, 120_000);
});
