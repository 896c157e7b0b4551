import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { releaseOwnHold } from '#server/operations/bookings/release.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { reopenHours } from '#server/operations/closures/reopen-hours.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { followWaitlist, joinWaitlist, leaveWaitlist } from '#server/operations/customers/waitlist.ts';
import { constants as studio } from '#rules/venue.ts';
import { ADDRESS_REFUSED, ProviderError } from '#server/providers/call.ts';
import { addPerson, databases, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

const ROUNDS = process.env['TEST_LONG'] ? 500 : 20;
const STAFF = randomUUID();
/** 11 am in Sydney, a week ahead. */
const FREE = START + 7 * 24 * HOUR;

describe.each(databases)('the wait list on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    await db.query('delete from private.closed_span');
    await db.query(`update public.waitlist_entries set state = 'left'`);
    cases = await createPaymentCases(db);
  });

  const context = () => cases.system.services;
  const span = (from = 0, hours = 1) => ({
    startTime: new Date(FREE + from * HOUR),
    endTime: new Date(FREE + (from + hours) * HOUR),
  });
  const later = (ms: number): void => void (cases.system.state.now += ms);
  const person = () => addPerson(db);
  const hold = async (userId: string, hours = span()) => holdBooking(context(), cases.system.request(userId, hours));
  const book = async (userId: string, hours = span()) => (await cases.system.book(userId, hours)).id;
  const join = async (userId: string, hours = span()) =>
    (await joinWaitlist(context(), { userId, studioId: STUDIO, ...hours })).entryId;
  const states = async (...entries: readonly string[]): Promise<string> => {
    const found = entries.map((id) =>
      db.queryRow<{ state: string }>('select state from public.waitlist_entries where id = $1::uuid', [id]),
    );
    return (await Promise.all(found)).map((row) => row?.state).join(' ');
  };
  const code = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
  /** Returns who has the hours: the accounts of the bookings and claims that block them. */
  const takers = async (hours = span()): Promise<readonly (string | null)[]> => {
    const { rows } = await db.query<{ id: string | null }>(
      `select user_id as id from private.booking where studio_id = $1::uuid and status <> 'cancelled' and during && tstzrange($2::timestamptz, $3::timestamptz, '[)')`,
      [STUDIO, hours.startTime, hours.endTime],
    );
    return rows.map(({ id }) => id);
  };

  test('when hours are free, people are asked in order, each for a quarter of an hour, and nobody else gets the hours [spec 10.5]', async () => {
    const [owner, ann, ben, other] = [await person(), await person(), await person(), await person()];
    const id = await book(owner);
    const [first, second] = [await join(ann), await join(ben)];
    await cases.system.jobs.drain();
    cases.system.mails.length = 0;
    await cancelBooking(context(), id, owner);
    expect(await states(first, second)).toBe('asked waiting');
    expect(await code(hold(other))).toBe('slot_taken');
    await cases.system.jobs.drain();
    const claimMails = cases.system.mails.filter(({ subject }) => subject.startsWith('Studio is free'));
    expect(claimMails).toHaveLength(1);
    expect(claimMails[0]?.subject).toBe('Studio is free: yours until 11:15 am');
    expect(claimMails[0]?.text).toContain(`https://studio.example/booking?room=${STUDIO}&from=2031-03-08T11&hours=1`);

    later(14 * MINUTE);
    await releaseExpiredHolds(context());
    expect(await states(first, second)).toBe('asked waiting');
    later(MINUTE);
    await releaseExpiredHolds(context());
    expect(await states(first, second)).toBe('passed asked');
    expect(await takers()).toEqual([ben]);
    expect(await code(hold(other))).toBe('slot_taken');

    const held = await hold(ben);
    expect(await states(first, second)).toBe('passed used');
    expect(await takers()).toEqual([ben]);
    expect(held.totalCents).toBeGreaterThan(0);
    expect(await cases.readPayments(held.bookingId)).toMatchObject([{ state: 'open' }]);
  });

  test('hours are offered after a release, an expired hold, a move, and the end of a closure', async () => {
    const owner = await person();
    const offered = async (free: () => Promise<unknown>): Promise<void> => {
      const waits = await person();
      const entry = await join(waits);
      await free();
      expect(await states(entry)).toBe('asked');
      await leaveWaitlist(context(), { userId: waits, entryId: entry });
      expect([await states(entry), await takers()]).toEqual(['left', []]);
    };
    const released = await hold(owner);
    later(2 * MINUTE);
    await offered(() => releaseOwnHold(context(), released.bookingId, owner));
    await hold(owner);
    await offered(async () => {
      later(16 * MINUTE);
      await releaseExpiredHolds(context());
    });
    const moved = await book(owner);
    await offered(() =>
      moveBooking(context(), {
        bookingId: moved,
        studioId: STUDIO,
        ...span(24),
        waive: true,
        actor: STAFF,
        money: 'held',
      }),
    );
    const closureId = await closeHours(
      servicesWith({ db, clock: context().clock }),
      { studioId: STUDIO, ...span(), weeks: 1, reason: 'Painting', public: true },
      STAFF,
    );
    await offered(() =>
      reopenHours(servicesWith({ db, clock: context().clock }), { closureId, from: null, following: false }, STAFF),
    );
  });

  test('only those whose hours are all free are asked, and apart hours at the same time', async () => {
    const [owner, ann, ben, cas] = [await person(), await person(), await person(), await person()];
    const long = await book(owner, span(0, 3));
    const [all, more, last] = [await join(ann, span(0, 4)), await join(ben, span(0, 1)), await join(cas, span(2, 1))];
    await book(await person(), span(3, 1));
    await cancelBooking(context(), long, owner);
    expect(await states(all, more, last)).toBe('waiting asked asked');
    expect(await takers(span(1, 1))).toEqual([]);
  });

  test('a claim is no hold of a customer: it counts for no limit, costs nothing and cannot be confirmed', async () => {
    const [owner, ann] = [await person(), await person()];
    const id = await book(owner);
    const entry = await join(ann);
    await cancelBooking(context(), id, owner);
    const claim = await db.queryRow<{ id: string; holds: number; payments: number }>(
      `select b.id, (select count(*)::int from private.unpaid_holds(b.user_id, $2::timestamptz)) as holds,
         (select count(*)::int from private.payment p where p.booking_id = b.id) as payments
       from private.booking b where b.waitlist_entry_id = $1::uuid`,
      [entry, context().clock()],
    );
    expect(claim).toMatchObject({ holds: 0, payments: 0 });
    await expect(
      db.query(`update private.booking set status = 'confirmed' where id = $1::uuid`, [claim?.id]),
    ).rejects.toMatchObject({ constraint: 'booking_claim_is_no_booking' });
  });

  test('a claim needs an ID that is verified until the hours end; others are told that the hours are free, and get no claim', async () => {
    const [owner, ann, ben, cas] = [
      await person(),
      await addPerson(db, { verifiedUntil: null }),
      await addPerson(db, { verifiedUntil: new Date(span().endTime.getTime() - HOUR) }),
      await person(),
    ];
    const id = await book(owner);
    const [first, second, third] = [await join(ann), await join(ben), await join(cas)];
    await cases.system.jobs.drain();
    cases.system.mails.length = 0;
    await cancelBooking(context(), id, owner);
    // The first person with a verified ID gets the hours, although two others joined earlier.
    expect([await states(first, second, third), await takers()]).toEqual(['waiting waiting asked', [cas]]);
    later(15 * MINUTE);
    await releaseExpiredHolds(context());
    expect([await states(first, second, third), await takers()]).toEqual(['told told passed', []]);
    await followWaitlist(context());
    await cases.system.jobs.drain();
    const notices = cases.system.mails.filter(
      ({ subject }) => subject === 'Studio is free: book it before someone else does',
    );
    expect(notices).toHaveLength(2);
    expect(notices[0]?.text).toContain('We aren’t holding them for you');
    expect(await code(hold(await person()))).toBe('done');
  });

  test('two accounts cannot pass hours to each other: each gets one claim in a day, with any span that has some of the hours', async () => {
    const [owner, ann, ben] = [await person(), await person(), await person()];
    const id = await book(owner);
    const entries = [await join(ann), await join(ben)];
    await cancelBooking(context(), id, owner);
    expect(await states(...entries)).toBe('asked waiting');
    later(15 * MINUTE);
    await releaseExpiredHolds(context());
    expect(await states(...entries)).toBe('passed asked');
    // The first person joins again, for one hour and for two, while the other person has the hours.
    const rejoined = [await join(ann, span(0, 1)), await join(ann, span(0, 2))];
    later(15 * MINUTE);
    await releaseExpiredHolds(context());
    expect(await takers(span(0, 2))).toEqual([]);
    expect(await states(...rejoined)).toBe('told told');
    expect(await code(hold(owner, span()))).toBe('done');
    later(24 * HOUR);
    const next = await join(ann);
    await releaseExpiredHolds(context());
    expect([await states(next), await takers()]).toEqual(['asked', [ann]]);
  });

  test('staff who undo take unsent notices back, and the people wait again', async () => {
    const [owner, ann] = [await person(), await addPerson(db, { verifiedUntil: null })];
    const id = await book(owner);
    const entry = await join(ann);
    const done = await cancelForStaff(context(), {
      bookingId: id,
      refund: 'full',
      reason: 'Flood',
      actor: STAFF,
      money: 'held',
      undoable: true,
    });
    expect(await states(entry)).toBe('told');
    await undoForStaff(context(), { undoId: done.undo?.id ?? '', actor: STAFF });
    expect(await states(entry)).toBe('waiting');
    expect(await takers()).toEqual([owner]);
  });

  test('joining is refused for free, own and past hours, beyond the limit, and to blocked people', async () => {
    const [owner, ann] = [await person(), await person()];
    expect(await code(join(ann))).toBe('slot_free');
    for (let index = 0; index <= studio.maxWaitlistEntries; index += 1) await book(await person(), span(index));
    await book(owner, span(10));
    expect(await code(join(owner, span(10)))).toBe('already_done');
    expect(await code(join(ann, { startTime: new Date(START - HOUR), endTime: new Date(START) }))).toBe('too_late');
    expect(await code(join(ann, span(365 * 24)))).toBe('invalid_request');
    expect(await code(join(await addPerson(db, { mailConfirmed: false })))).toBe('mail_unconfirmed');
    const entryId = await join(ann);
    expect(await join(ann)).toBe(entryId);
    for (let index = 1; index < studio.maxWaitlistEntries; index += 1) await join(ann, span(index));
    expect(await code(join(ann, span(studio.maxWaitlistEntries)))).toBe('waitlist_limit');
    expect(await code(leaveWaitlist(context(), { userId: owner, entryId }))).toBe('not_found');
    await leaveWaitlist(context(), { userId: ann, entryId });
    await leaveWaitlist(context(), { userId: ann, entryId });
    expect(await code(join(ann, span(studio.maxWaitlistEntries)))).toBe('done');
    await db.query(
      `insert into private.customer_block (user_id, reason, blocked_by, blocked_at) values ($1::uuid, 'Damage', $2::uuid, $3::timestamptz)`,
      [ann, STAFF, context().clock()],
    );
    expect(await code(join(ann, span(10)))).toBe('blocked');
  });

  test('an address that the mail server refuses is not tried again, and the hours stay held for the person', async () => {
    const [owner, ann] = [await person(), await person()];
    const id = await book(owner);
    const entry = await join(ann);
    await cases.system.jobs.drain();
    cases.system.state.mailFails = new ProviderError('smtp', `550${ADDRESS_REFUSED}`, { retryable: false });
    await cancelBooking(context(), id, owner);
    await cases.system.jobs.drain();
    cases.system.state.mailFails = false;
    const job = await db.queryRow(
      `select tries, close_reason as reason from private.outbox where kind = 'mail.waitlist' and subject_id = $1::uuid`,
      [entry],
    );
    expect(job).toEqual({ tries: 1, reason: 'The mail server refused the address.' });
    expect(await states(entry)).toBe('asked');
  });

  test('an entry whose hours are held for the person counts toward the limit', async () => {
    const [owner, ann] = [await person(), await person()];
    const id = await book(owner);
    for (let index = 1; index <= studio.maxWaitlistEntries; index += 1) await book(await person(), span(index));
    const first = await join(ann);
    for (let index = 1; index < studio.maxWaitlistEntries; index += 1) await join(ann, span(index));
    await cancelBooking(context(), id, owner);
    expect(await states(first)).toBe('asked');
    expect(await code(join(ann, span(studio.maxWaitlistEntries)))).toBe('waitlist_limit');
  });

  test('a person who is blocked meanwhile is left out, and staff who undo get the hours back while nobody was asked', async () => {
    const [owner, ann, ben] = [await person(), await person(), await person()];
    const id = await book(owner);
    const [first, second] = [await join(ann), await join(ben)];
    await db.query(
      `insert into private.customer_block (user_id, reason, blocked_by, blocked_at) values ($1::uuid, 'Damage', $2::uuid, $3::timestamptz)`,
      [ann, STAFF, context().clock()],
    );
    const cancel = {
      bookingId: id,
      refund: 'full',
      reason: 'Flood',
      actor: STAFF,
      money: 'held' as const,
      undoable: true,
    } as const;
    const done = await cancelForStaff(context(), cancel);
    expect(await states(first, second)).toBe('waiting asked');
    await cases.system.jobs.drain();
    expect(cases.system.mails.filter(({ subject }) => subject.startsWith('Studio is free'))).toEqual([]);
    await undoForStaff(context(), { undoId: done.undo?.id ?? '', actor: STAFF });
    expect(await states(first, second)).toBe('waiting waiting');
    expect(await takers()).toEqual([owner]);
  });

  test(
    'freed hours go to who waits for them: holds that begin before, with or after the cancellation are refused, and no two have the hours',
    { timeout: 300_000 },
    async () => {
      const [owner, ann] = [await person(), await person()];
      for (let round = 0; round < ROUNDS; round += 1) {
        const hours = span(round);
        const id = await book(owner, hours);
        const entry = await join(ann, hours);
        const rivals = [await person(), await person()];
        /** Runs `work` after a number of queries, so that each of the calls is first in some rounds. */
        const after = async <T>(queries: number, work: () => Promise<T>): Promise<T> => {
          for (let query = 0; query < queries; query += 1) await db.query('select 1');
          return work();
        };
        const [cancelled, ...holds] = await Promise.all([
          after(round % 5, () => cancelBooking(context(), id, owner)),
          ...rivals.map((rival, index) => after((round + 3 * index) % 7, () => code(hold(rival, hours)))),
        ]);
        await followWaitlist(context());
        expect(cancelled).toMatchObject({ refund: 'full' });
        expect(holds).toEqual(['slot_taken', 'slot_taken']);
        expect([await states(entry), await takers(hours)]).toEqual(['asked', [ann]]);
        await leaveWaitlist(context(), { userId: ann, entryId: entry });
      }
    },
  );

  test('spans that two transactions free together are offered to who wants both', { timeout: 300_000 }, async () => {
    const [owner, ann] = [await person(), await person()];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [first, two] = [await book(owner, span(2 * round)), await book(owner, span(2 * round + 1))];
      const entry = await join(ann, span(2 * round, 2));
      await Promise.all([cancelBooking(context(), first, owner), cancelBooking(context(), two, owner)]);
      await followWaitlist(context());
      expect([await states(entry), await takers(span(2 * round, 2))]).toEqual(['asked', [ann]]);
      await leaveWaitlist(context(), { userId: ann, entryId: entry });
    }
  });
});
