import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { weeklyDates } from '#rules/finding/series.ts';
import { studioDate } from '#rules/studio-time.ts';
import type { Database } from '#server/db/database.ts';
import { bookingCodes, newestCode } from '#server/operations/access/booking-codes.ts';
import { removeCode } from '#server/operations/access/codes.ts';
import { ensureCode, requestFirstCode } from '#server/operations/access/issue-first-code.ts';
import { renewCode, replaceSeenCode } from '#server/operations/access/renew-code.ts';
import { makeStaffCode } from '#server/operations/access/staff-codes.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { cancelForStaff, cancelSeriesForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { cancelSeries } from '#server/operations/bookings/cancel.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { releaseOwnHold } from '#server/operations/bookings/release.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import type { LockCapabilities } from '#server/providers/ports.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { addPerson, createBookingSystem, embedded, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';
import { readAudit, readJobs } from './records.ts';

/** Each limit in time of the operations: what they do a millisecond before it, at it, and a millisecond after it. */

const DAY = 24 * HOUR;
/** A Saturday at 11 am in Sydney. */
const SESSION = START + 7 * DAY;
const at = (start: number, hours = 1) => ({ startTime: new Date(start), endTime: new Date(start + hours * HOUR) });

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
let staff: string;
beforeAll(async () => {
  ({ db, close } = await embedded.open());
  staff = await addPerson(db);
  const service = '00000000-0000-0000-0000-000000000000';
  await setPermissions(servicesWith({ db }), { userId: staff, permissions: ['owner'] }, service);
}, 180_000);
afterAll(() => close());
beforeEach(() => begin());
async function begin(lock: Partial<LockCapabilities> = {}): Promise<void> {
  await db.query('delete from private.closed_span');
  await db.query('delete from private.staff_code');
  await db.query('update private.access_secret set live = false where live');
  cases = await createPaymentCases(db);
  if (Object.keys(lock).length > 0) cases = { ...cases, system: await createBookingSystem(db, lock) };
}
const services = () => cases.system.services;
const goTo = (now: number): void => void (cases.system.state.now = now);
/** Returns what a call returns in short, or the code of its refusal. */
const outcome = (work: Promise<unknown>, describe: (done: never) => unknown = () => 'done'): Promise<unknown> =>
  work.then(describe as (done: unknown) => unknown, (error: { code: string }) => error.code);

/** Deletes the waiting mails, whose documents take long to render. */
const dropMails = () => db.query(`delete from private.outbox where kind like 'mail.%'`);
async function booked(start = SESSION): Promise<{ id: string; person: string }> {
  const person = await addPerson(db);
  const { id } = await cases.system.book(person, at(start));
  await dropMails();
  return { id, person };
}
async function withCode(): Promise<{ id: string; person: string }> {
  const booking = await booked();
  goTo(SESSION - 10 * MINUTE);
  await cases.system.jobs.drain();
  return booking;
}
const job = (subjectId: string) => ({ id: randomUUID(), subjectId, payload: {}, tries: 1 }) as never;
const forStaff = (bookingId: string) => ({ bookingId, reason: 'Flood', actor: staff, money: 'held' as const });
const staffCode = (start: number, requestId = 'one') =>
  makeStaffCode(services(), { studioId: STUDIO, ...at(start), name: 'Plumber', requestId }, staff);
const countJobs = async (kind: string, bookingId: string): Promise<number> =>
  (await readJobs(db, kind)).filter(({ subjectId }) => subjectId === bookingId).length;

/** A limit: `begin` prepares a case and returns the limit and what to try near it. */
type Limit = () => Promise<{ readonly limit: number; readonly act: () => Promise<unknown> }>;

const LIMITS: readonly (readonly [name: string, expected: readonly unknown[], begin: Limit])[] = [
  [
    'a create call may still run for a minute',
    ['pending', 'cancelled', 'cancelled'],
    async () => {
      const { id, person } = await cases.unanswered(false);
      return {
        limit: START + MINUTE,
        act: async () => (await releaseOwnHold(services(), id, person)).booking.status,
      };
    },
  ],
  [
    'a payment in progress holds its hours until the session starts',
    ['pending', 'cancelled', 'cancelled'],
    async () => {
      const { id, session } = await cases.held(at(SESSION));
      cases.system.provider.move(session, 'delay');
      await settlePayment(services(), session);
      return {
        limit: SESSION,
        act: async () => {
          await releaseExpiredHolds(services());
          return (await cases.readBooking(id))?.status;
        },
      };
    },
  ],
  [
    'staff cancel a booking until it ends',
    ['done', 'too_late', 'too_late'],
    async () => {
      const { id } = await booked();
      return {
        limit: SESSION + HOUR,
        act: () => outcome(cancelForStaff(services(), { ...forStaff(id), refund: 'full' })),
      };
    },
  ],
  [
    'staff cancel the bookings of a series that have not ended',
    [2, 1, 1],
    async () => {
      const id = await bookedSeries();
      return {
        limit: SESSION + HOUR,
        act: async () => (await cancelSeriesForStaff(services(), { ...forStaff(id), refund: 'full' })).cancelled,
      };
    },
  ],
  [
    'a booking of a series that can no longer be cancelled counts as kept until it ends',
    [1, 0, 0],
    async () => {
      const id = await bookedSeries();
      const row = await db.queryRow<{ person: string }>(
        'select user_id as person from private.booking where id = $1::uuid',
        [id],
      );
      return {
        limit: SESSION + HOUR,
        act: async () => (await cancelSeries(services(), id, row?.person ?? '')).kept,
      };
    },
  ],
  [
    'the code page asks for the first code from an hour before the start',
    [0, 1, 1],
    async () => {
      const { id } = await booked();
      return {
        limit: SESSION - HOUR,
        act: async () => {
          await ensureCode(services(), id);
          return cases.system.state.requests.length;
        },
      };
    },
  ],
  [
    'another code is made from the release',
    ['code_not_released', 'done', 'done'],
    async () => {
      const { id, person } = await booked();
      return { limit: SESSION - 15 * MINUTE, act: () => outcome(renewCode(services(), id, person)) };
    },
  ],
  [
    'another code is made until the end',
    ['done', 'session_ended', 'session_ended'],
    async () => {
      const { id, person } = await booked();
      return { limit: SESSION + HOUR, act: () => outcome(renewCode(services(), id, person)) };
    },
  ],
  [
    'the first code is issued until the end, and then closed with the reason',
    ['done', ...Array(2).fill({ closed: 'The session ended before the lock issued an access code.' })],
    async () => {
      const { id } = await booked();
      return { limit: SESSION + HOUR, act: () => requestFirstCode(services(), job(id)) };
    },
  ],
  [
    'a code that former staff have seen is replaced until the end',
    [2, 1, 1],
    async () => {
      const { id } = await withCode();
      const code = await newestCode(db, id);
      return {
        limit: SESSION + HOUR,
        act: async () => {
          await replaceSeenCode(services(), id, code?.id ?? '');
          return cases.system.state.requests.length;
        },
      };
    },
  ],
  [
    'staff are alerted to a code that its lock cannot remove until it ends',
    [['alert'], [], []],
    async () => {
      await begin({ mode: 'hourly', revocable: false });
      const { id } = await withCode();
      const code = await newestCode(db, id);
      if (code === null) throw new Error('there is no code');
      return {
        limit: code.endsAt.getTime(),
        act: async () => {
          await removeCode(services(), bookingCodes, code);
          return (await readAudit(db, code.id)).map(({ action }) => action).filter((action) => action === 'alert');
        },
      };
    },
  ],
  [
    'a dispute that ends brings the code back until the session ends',
    [1, 0, 0],
    async () => {
      const { id } = await booked();
      const session = await cases.system.readSessionId(id);
      cases.system.provider.move(session, 'dispute');
      await settlePayment(services(), session);
      await db.query('delete from private.outbox');
      return {
        limit: SESSION + HOUR,
        act: async () => {
          cases.system.provider.move(session, 'dispute won');
          await settlePayment(services(), session);
          return countJobs('access.request', id);
        },
      };
    },
  ],
  [
    'staff can undo a move until its code is due in ten seconds',
    ['undo', 'undo', 'none'],
    async () => {
      const { id } = await booked();
      const move = { bookingId: id, studioId: STUDIO, ...at(SESSION + HOUR), waive: true, actor: staff };
      return {
        limit: SESSION - HOUR - 10_000,
        act: async () => {
          const { undo } = await moveBooking(services(), { ...move, money: 'held', undoable: true });
          return undo === null ? 'none' : 'undo';
        },
      };
    },
  ],
  [
    'staff can undo a cancellation for ten seconds',
    ['done', 'too_late', 'too_late'],
    async () => {
      const { id } = await booked();
      const { undo } = await cancelForStaff(services(), { ...forStaff(id), refund: 'full', undoable: true });
      return {
        limit: START + 10_000,
        act: () => outcome(undoForStaff(services(), { undoId: undo?.id ?? '', actor: staff })),
      };
    },
  ],
  [
    'the digits of a code of staff are returned again for ten minutes',
    ['done', 'done', 'already_done'],
    async () => {
      await staffCode(SESSION);
      return { limit: START + 10 * MINUTE, act: () => outcome(staffCode(SESSION)) };
    },
  ],
  [
    'a code of staff is made for hours that have not ended',
    ['done', 'invalid_request', 'invalid_request'],
    async () => ({ limit: START + HOUR, act: () => outcome(staffCode(START)) }),
  ],
  [
    'hours are closed that have not ended',
    ['done', 'invalid_request', 'invalid_request'],
    async () => ({
      limit: START + HOUR,
      act: () =>
        outcome(
          closeHours(services(), { studioId: STUDIO, ...at(START), weeks: 1, reason: 'Paint', public: false }, staff),
        ),
    }),
  ],
  [
    'an expired hold gives way to a booking of staff',
    ['slot_taken', 'done', 'done'],
    async () => {
      await cases.held(at(SESSION));
      return {
        limit: START + 15 * MINUTE,
        act: () =>
          outcome(
            bookForStaff(services(), {
              studioId: STUDIO,
              ...at(SESSION),
              customerEmail: 'guest@example.com',
              customerName: 'Robin',
              payment: 'free',
              notes: null,
              requestId: null,
              actor: staff,
              money: 'held',
            }),
          ),
      };
    },
  ],
];

/** Books an hour in each of two weeks. Returns the first booking. */
async function bookedSeries(): Promise<string> {
  const person = await addPerson(db);
  const { id } = await cases.system.book(person, {
    ...at(SESSION),
    series: weeklyDates(studioDate(new Date(SESSION)), 2),
  });
  await dropMails();
  return id;
}

test.each(LIMITS)('%s', async (_name, expected, prepare) => {
  const found: unknown[] = [];
  for (const ms of [-1, 0, 1]) {
    await begin();
    const { limit, act } = await prepare();
    goTo(limit + ms);
    found.push(await act());
  }
  expect(found).toEqual(expected);
});

test('a code of staff begins and ends on the hour, and works for as long as its lock can remove it', async () => {
  const refused = async (span: { startTime: Date; endTime: Date }) =>
    makeStaffCode(services(), { studioId: STUDIO, ...span, name: 'Plumber', requestId: randomUUID() }, staff).then(
      () => null,
      (error: Error) => error.message,
    );
  const onTheHour = 'Codes begin and end on the hour, Sydney time.';
  const { startTime, endTime } = at(SESSION);
  expect(await refused({ startTime: new Date(SESSION + 1), endTime })).toBe(onTheHour);
  expect(await refused({ startTime, endTime: new Date(SESSION + HOUR - 1) })).toBe(onTheHour);
  expect(await refused({ startTime, endTime: startTime })).toBe('endTime must be after startTime.');
  expect(await refused(at(START - HOUR))).toBe('These hours are already over.');
  expect(await refused(at(SESSION, 28 * 24 + 1))).toBe('A code works for at most 28 days.');
  expect(await refused(at(SESSION, 28 * 24))).toBeNull();
  await begin({ mode: 'hourly', revocable: false });
  expect(await refused(at(SESSION, 25))).toBe(
    'A code works for at most 24 hours, because this lock can’t remove it before it ends.',
  );
  expect(await refused(at(SESSION, 24))).toBeNull();
});

test('a request makes one code of staff, whose hours are closed under its name', async () => {
  const created = await staffCode(SESSION);
  expect(await staffCode(SESSION)).toEqual(created);
  await expect(staffCode(SESSION + HOUR)).rejects.toMatchObject({
    code: 'already_done',
    message: 'This request already created another code.',
    details: { codeId: created.codeId },
  });
  const closed = await db.query(
    `select c.reason, c.public, lower(s.during) as start from private.closed_span s join private.closure c on c.id = s.closure_id`,
  );
  expect(closed.rows).toEqual([{ reason: 'Access for Plumber', public: false, start: new Date(SESSION) }]);
  goTo(START + 11 * MINUTE);
  await expect(staffCode(SESSION)).rejects.toMatchObject({
    code: 'already_done',
    message: 'This code was already created and shown.',
    details: { codeId: created.codeId },
  });
});
