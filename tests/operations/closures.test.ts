import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HORIZON_DAYS_MAX } from '#rules/business/settings-change.ts';
import type { Database } from '#server/db/database.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { openFeed, readFeed, revokeFeed } from '#server/operations/calendar/feeds.ts';
import { closeHours, type Closure, extendClosures } from '#server/operations/closures/close-hours.ts';
import { reopenHours } from '#server/operations/closures/reopen-hours.ts';
import { addPerson, embedded, HOUR, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

const WEEK = 7 * 24 * HOUR;
/** An hour of a Saturday a month ahead, counted from midnight in Sydney. */
const at = (hour: number): Date => new Date(START + 28 * 24 * HOUR - 11 * HOUR + hour * HOUR);

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
let staff: string;
beforeAll(async () => {
  ({ db, close } = await embedded.open());
  staff = await addPerson(db);
  await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff]);
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  cases = await createPaymentCases(db);
  for (const table of ['closed_span', 'closure', 'calendar_feed']) await db.query(`delete from private.${table}`);
});

const closeFor = (more: Partial<Closure> = {}): Promise<string> =>
  closeHours(
    cases.system.services,
    { studioId: STUDIO, startTime: at(10), endTime: at(12), weeks: 1, reason: 'Paint', public: false, ...more },
    staff,
  );
const reopen = (closureId: string, from: Date | null = null, following = false): Promise<void> =>
  reopenHours(cases.system.services, { closureId, from, following }, staff);
/** Returns the starts of a studio's closed weeks. */
async function starts(): Promise<readonly Date[]> {
  const { rows } = await db.query<{ start: Date }>(
    'select start_time as start from private.closed_span where studio_id = $1::uuid order by 1',
    [STUDIO],
  );
  return rows.map(({ start }) => start);
}
const hold = async (from: number, to: number) =>
  holdBooking(
    cases.system.services,
    cases.system.request(await addPerson(db), { startTime: at(from), endTime: at(to) }),
  );

describe('closures', () => {
  test('close hours for bookings, keep reason and author, and the same hours again are the same closure', async () => {
    const id = await closeFor({ public: true });
    expect(await closeFor({ public: true })).toBe(id);
    const closure = await db.queryRow(
      `select s.studio_id as studio, s.start_time as start, s.end_time as end, c.reason, c.public, c.created_by as actor
       from private.closure c join private.closed_span s on s.closure_id = c.id where c.id = $1::uuid`,
      [id],
    );
    expect(closure).toEqual({
      studio: STUDIO,
      start: at(10),
      end: at(12),
      reason: 'Paint',
      public: true,
      actor: staff,
    });
    await expect(hold(11, 12)).rejects.toMatchObject({
      code: 'slot_closed',
      message: 'The studio is closed at this time. Please choose another.',
    });
    await hold(12, 13);
  });

  test.each([
    ['an end before the start', { startTime: at(10), endTime: at(9) }, 'endTime must be after startTime.'],
    ['no time at all', { startTime: at(10), endTime: at(10) }, 'endTime must be after startTime.'],
    [
      'more than 366 days',
      { startTime: at(10), endTime: new Date(at(10).getTime() + 366 * 24 * HOUR + 1) },
      'A closure can be at most a year long.',
    ],
    [
      'hours that have just ended',
      { startTime: new Date(START - HOUR), endTime: new Date(START) },
      'These hours are already over.',
    ],
    [
      'hours that have just ended, every week without an end',
      { startTime: new Date(START - HOUR), endTime: new Date(START), weeks: 'endless' as const },
      'These hours are already over.',
    ],
  ])('refuse %s', async (_what, more, message) => {
    await expect(closeFor(more)).rejects.toMatchObject({ code: 'invalid_request', message });
    expect(await starts()).toEqual([]);
  });

  test('refuse an unknown studio', async () => {
    await expect(closeFor({ studioId: randomUUID() })).rejects.toMatchObject({
      code: 'not_found',
      message: 'Studio not found',
    });
  });

  test('accept exactly 366 days, and weeks of which the first is over', async () => {
    await closeFor({ endTime: new Date(at(10).getTime() + 366 * 24 * HOUR) });
    await db.query('delete from private.closed_span');
    await closeFor({ startTime: new Date(START - HOUR), endTime: new Date(START), weeks: 2 });
    expect(await starts()).toContainEqual(new Date(START - HOUR + WEEK));
  });

  test('refuse booked hours with the bookings in the way', async () => {
    const first = await hold(10, 11);
    await expect(closeFor()).rejects.toMatchObject({
      code: 'slot_taken',
      message: 'A booking is in the way. Move or cancel it first.',
      details: { bookings: [{ id: first.bookingId }] },
    });
    await hold(11, 12);
    await expect(closeFor()).rejects.toMatchObject({
      message: '2 bookings are in the way. Move or cancel them first.',
    });
    expect(await starts()).toEqual([]);
  });

  test('reopen one week, that and those after it, or all, and once more changes nothing', async () => {
    const id = await closeFor({ weeks: 4 });
    const weeks = await starts();
    expect(weeks).toHaveLength(4);
    await reopen(id, weeks[0]);
    expect(await starts()).toEqual(weeks.slice(1));
    await reopen(id, weeks[2], true);
    expect(await starts()).toEqual(weeks.slice(1, 2));
    await reopen(id);
    expect(await starts()).toEqual([]);
    await reopen(id);
    await hold(10, 12);
  });

  test('that are unknown, or have no such week, cannot be reopened', async () => {
    const id = await closeFor();
    await expect(reopen(id, at(13))).rejects.toMatchObject({
      code: 'not_found',
      message: 'This closure has no week that starts then',
    });
    await expect(reopen(randomUUID())).rejects.toMatchObject({ code: 'not_found', message: 'Closure not found' });
    expect(await starts()).toEqual([at(10)]);
  });

  test('without an end reach further than anybody can book, and further with every week', async () => {
    await closeFor({ startTime: new Date(START + HOUR), endTime: new Date(START + 2 * HOUR), weeks: 'endless' });
    const before = (await starts()).length;
    expect(before).toBeGreaterThan(HORIZON_DAYS_MAX / 7);
    await extendClosures(cases.system.services);
    expect(await starts()).toHaveLength(before);
    // The clocks go back within this time.
    cases.system.state.now += 10 * WEEK + 2 * HOUR;
    for (const _twice of [1, 2]) {
      await extendClosures(cases.system.services);
      expect(await starts()).toHaveLength(before + 10);
    }
  });
});

describe('the calendar feed of a studio', () => {
  const readToken = (address: string): string => new URL(address).searchParams.get('token') ?? '';
  const open = (studioId = STUDIO) => openFeed(cases.system.services, studioId, staff);

  test('has its bookings and closed hours from 30 days before to 90 days after today', async () => {
    const address = await open();
    expect(address).toMatch(/^https:\/\/studio\.example\/functions\/v1\/calendar-feed\?token=./);
    expect(await open()).toBe(address);
    const person = await addPerson(db);
    await cases.system.book(person, { startTime: at(10), endTime: at(11) });
    await closeFor({ startTime: at(12), endTime: at(13), reason: 'Paint', weeks: 20 });
    const file = await readFeed(cases.system.services, readToken(address));
    expect(file).toMatch(/^NAME:Studio, /m);
    expect(file.match(/SUMMARY:Alex/g)).toHaveLength(1);
    expect(file.match(/SUMMARY:Closed: Paint/g)).toHaveLength(9);
    cases.system.state.now += 58 * 24 * HOUR;
    expect(await readFeed(cases.system.services, readToken(address))).toMatch(/SUMMARY:Alex/);
    cases.system.state.now += 24 * HOUR;
    expect(await readFeed(cases.system.services, readToken(address))).not.toMatch(/SUMMARY:Alex/);
  });

  test('is recorded as shown to the member of staff', async () => {
    await db.query('delete from private.shown_secret');
    await open();
    const { rows } = await db.query(
      'select kind, shown_to as actor, permission, studio_id as studio from private.shown_secret',
    );
    expect(rows).toEqual([{ kind: 'calendar-feed', actor: staff, permission: 'bookings', studio: STUDIO }]);
  });

  test('ends when it is revoked, and the next one has another address', async () => {
    const address = await open();
    expect(await revokeFeed(cases.system.services, STUDIO, staff)).toBe(true);
    expect(await revokeFeed(cases.system.services, STUDIO, staff)).toBe(false);
    await expect(readFeed(cases.system.services, readToken(address))).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no calendar at this address.',
    });
    const next = await open();
    expect(next).not.toBe(address);
    await readFeed(cases.system.services, readToken(next));
  });

  test('gets another address when the keys of the server have changed, and the old one ends', async () => {
    const address = await open();
    await db.query(`update private.calendar_feed set token_hash = repeat('0', 64)`);
    const next = await open();
    expect(next).not.toBe(address);
    expect(await open()).toBe(next);
  });

  test('is refused for an unknown studio and a wrong token', async () => {
    await expect(open(randomUUID())).rejects.toMatchObject({ code: 'not_found', message: 'Studio not found' });
    await expect(readFeed(cases.system.services, 'wrong')).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no calendar at this address.',
    });
  });
});
