import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import type { Database } from '#server/db/database.ts';
import { recordReport } from '#server/operations/access/record-report.ts';
import { renewCode } from '#server/operations/access/renew-code.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { makeGuestCode } from '#server/operations/crew/guest-codes.ts';
import { joinCrew, readCrewPage, readGuestAccess, requireJoined } from '#server/operations/crew/guests.ts';
import { inviteCrew, renewCrewLink, revokeCrew } from '#server/operations/crew/links.ts';
import { askForDoorHelp, readDoorHelp } from '#server/operations/incidents/door-help.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { LockCapabilities } from '#server/providers/ports.ts';
import {
  addPerson,
  type BookingSystem,
  createBookingSystem,
  databases,
  HOUR,
  LOCK,
  MINUTE,
  START,
  STUDIO,
} from './booking-system.ts';

const STAFF = randomUUID();
const ROUNDS = process.env['TEST_LONG'] ? 200 : 10;
const { termsVersion } = firstSettings;
const noResponse = new ProviderError('igloohome', 'no_response', { retryable: true, ambiguous: true });

describe.each(databases)('the crew of a booking on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let system: BookingSystem;
  let days = 0;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(() => begin());

  async function begin(lock: Partial<LockCapabilities> = { singleUse: true }): Promise<void> {
    await db.query('delete from private.outbox');
    // Frees all hours: bookings are at most 90 days ahead, so the tests would run out of days.
    await db.query(
      `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
    );
    await db.query('update private.access_secret set live = false where live');
    await db.query(`update private.crew_code set status = 'revoked' where status <> 'revoked'`);
    days = 0;
    system = await createBookingSystem(db, lock);
  }
  type Hosted = { readonly id: string; readonly host: string; readonly start: number; readonly end: number };
  /** Makes a confirmed booking of two hours, with free days around it. */
  async function hosted(): Promise<Hosted> {
    const host = await addPerson(db);
    days += 2;
    const start = START + days * 24 * HOUR;
    const end = start + 2 * HOUR;
    const { id } = await system.book(host, { startTime: new Date(start), endTime: new Date(end) });
    return { id, host, start, end };
  }
  const toInvitation = ({ inviteId, url }: { inviteId: string; url: string }) => ({
    inviteId,
    token: url.replace('https://studio.example/crew#', ''),
  });
  const invite = async ({ id, host }: Hosted, requestId: string | null = null) =>
    toInvitation(await inviteCrew(system.services, { bookingId: id, userId: host, requestId }));
  const join = (token: string, name = 'Sam') => joinCrew(system.services, { token, name, termsVersion });
  const joined = async (booking: Hosted, name = 'Sam') => {
    const link = await invite(booking);
    await join(link.token, name);
    return link;
  };
  const look = async (token: string) => readGuestAccess(system.services, await requireJoined(system.services, token));
  const revoke = ({ host }: Hosted, inviteId: string) => revokeCrew(system.services, { inviteId, userId: host });
  const move = ({ id }: Hosted, to: { startTime: Date; endTime: Date }) =>
    moveBooking(system.services, { bookingId: id, studioId: STUDIO, ...to, waive: true, actor: STAFF, money: 'held' });
  const outcome = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
  /** Moves the clock and runs the jobs that are due. */
  async function at(now: number): Promise<void> {
    system.state.now = now;
    await system.jobs.drain();
  }
  /** Returns the names of the codes at the lock, without the booking reference. */
  const atLock = (): string[] =>
    [...system.state.codes.values()].map((name) => name.replace(/^\S+/, 'host')).toSorted();
  const members = async (bookingId: string) =>
    (
      await db.query<{ state: string; name: string | null }>(
        'select state, name from private.crew_member where booking_id = $1::uuid order by created_at, id',
        [bookingId],
      )
    ).rows;

  describe('an invitation', () => {
    test('is for one of four guests of the own confirmed booking, until it ends; one that is taken back frees a place [spec 10.14]', async () => {
      const booking = await hosted();
      const links = [];
      for (let index = 0; index < 4; index += 1) links.push(await invite(booking));
      expect(new Set(links.map(({ token }) => token)).size).toBe(4);
      expect(links[0]?.token).toMatch(/^[\w-]{43}$/);
      expect(await outcome(invite(booking))).toBe('crew_full');
      expect(await revoke(booking, links[3]?.inviteId ?? '')).toEqual({ sawShared: false });
      expect(await outcome(invite(booking))).toBe('done');
      expect(await outcome(invite({ ...booking, host: await addPerson(db) }))).toBe('not_found');
      expect(await outcome(invite({ ...booking, id: randomUUID() }))).toBe('not_found');
      system.state.now = booking.end;
      expect(await outcome(invite(booking))).toBe('session_ended');

      const cancelled = await hosted();
      const link = await invite(cancelled);
      await cancelBooking(system.services, cancelled.id, cancelled.host);
      expect(await outcome(invite(cancelled))).toBe('session_ended');
      expect(await outcome(renewCrewLink(system.services, { inviteId: link.inviteId, userId: cancelled.host }))).toBe(
        'session_ended',
      );
    });

    test('is made once however often its call is repeated, and a booking has twenty in all', async () => {
      const booking = await hosted();
      const first = await invite(booking, 'one');
      const second = await invite(booking, 'one');
      expect(second.inviteId).toBe(first.inviteId);
      expect(await outcome(readCrewPage(system.services, first.token))).toBe('not_found');
      expect(await outcome(readCrewPage(system.services, second.token))).toBe('done');
      for (let count = 1; count < 20; count += 1) await revoke(booking, (await invite(booking)).inviteId);
      expect(await outcome(invite(booking))).toBe('crew_full');
      expect(await revoke(booking, first.inviteId)).toEqual(await revoke(booking, first.inviteId));
      expect(await outcome(invite(booking, 'one'))).toBe('already_done');
    });

    test('stores no link, and a new link ends the one before, also of a guest who has joined', async () => {
      const booking = await hosted();
      const { inviteId, token } = await joined(booking);
      const rows = await db.query<{ row: string }>('select m::text as row from private.crew_member m');
      expect(rows.rows.some(({ row }) => row.includes(token))).toBe(false);
      expect(await outcome(renewCrewLink(system.services, { inviteId, userId: await addPerson(db) }))).toBe(
        'not_found',
      );
      const renewed = toInvitation(await renewCrewLink(system.services, { inviteId, userId: booking.host }));
      expect(await outcome(readCrewPage(system.services, token))).toBe('not_found');
      expect(await readCrewPage(system.services, renewed.token)).toMatchObject({ state: 'joined', name: 'Sam' });
      await revoke(booking, inviteId);
      expect(await outcome(renewCrewLink(system.services, { inviteId, userId: booking.host }))).toBe('already_done');
    });

    test(
      'sent five times at once makes four, and one place is never taken twice',
      { timeout: ROUNDS * 2_000 },
      async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          await begin();
          const booking = await hosted();
          const results = await Promise.all([1, 2, 3, 4, 5].map(() => outcome(invite(booking))));
          expect(results.toSorted((a, b) => a.localeCompare(b))).toEqual(['crew_full', 'done', 'done', 'done', 'done']);
          expect(await members(booking.id)).toHaveLength(4);
        }
      },
    );
  });

  describe('a link', () => {
    test('shows the session, and joins with the terms that count now, a name, and once', async () => {
      const booking = await hosted();
      const { token } = await invite(booking);
      expect(await readCrewPage(system.services, token)).toMatchObject({
        state: 'invited',
        name: null,
        host: 'Alex',
        studioName: 'Studio',
        termsVersion,
      });
      expect(await outcome(requireJoined(system.services, token))).toBe('terms_required');
      expect(await outcome(joinCrew(system.services, { token, name: 'Sam', termsVersion: 'older' }))).toBe(
        'terms_required',
      );
      expect(await join(token)).toMatchObject({ state: 'joined', name: 'Sam' });
      expect(await join(token, 'Somebody else')).toMatchObject({ state: 'joined', name: 'Sam' });
      expect(await members(booking.id)).toEqual([{ state: 'joined', name: 'Sam' }]);
      expect(await outcome(join(`${token.slice(1)}A`))).toBe('not_found');
    });

    test('ends half an hour after the session, when it is taken back, and with a cancelled booking, and follows a move', async () => {
      const booking = await hosted();
      const [{ token }, other] = [await invite(booking), await invite(booking)];
      const to = { startTime: new Date(booking.start + 24 * HOUR), endTime: new Date(booking.end + 24 * HOUR) };
      await move(booking, to);
      expect(await readCrewPage(system.services, token)).toMatchObject({
        startTime: expect.stringContaining(to.startTime.toISOString().slice(0, 16)),
      });
      await revoke(booking, other.inviteId);
      expect(await outcome(readCrewPage(system.services, other.token))).toBe('invitation_ended');
      expect(await outcome(join(other.token))).toBe('invitation_ended');
      system.state.now = to.endTime.getTime();
      expect(await outcome(join(token))).toBe('invitation_ended');
      system.state.now += 30 * MINUTE - 1;
      expect(await outcome(readCrewPage(system.services, token))).toBe('done');
      system.state.now += 1;
      expect(await outcome(readCrewPage(system.services, token))).toBe('invitation_ended');
      const cancelled = await hosted();
      const link = await invite(cancelled);
      system.state.now = cancelled.start - 48 * HOUR;
      await cancelBooking(system.services, cancelled.id, cancelled.host);
      expect(await outcome(readCrewPage(system.services, link.token))).toBe('invitation_ended');
    });
  });

  describe('the own code of a guest', () => {
    test('is requested an hour before the start, shown with the code of the host, opens once, and is removed at the end', async () => {
      const booking = await hosted();
      const { token } = await joined(booking);
      await invite(booking); // t This person has not joined, so gets no code.
      await at(booking.start - 60 * MINUTE - 1);
      expect(atLock()).toEqual([]);
      await at(booking.start - 60 * MINUTE);
      expect(atLock()).toEqual(['host', 'host crew']);
      await at(booking.start - 15 * MINUTE - 1);
      expect(await look(token)).toMatchObject({ own: true, pin: null });
      await at(booking.start - 15 * MINUTE);
      const access = await look(token);
      expect(access).toMatchObject({
        pin: expect.stringMatching(/^\d{6}$/),
        worksFrom: new Date(booking.start - 5 * MINUTE),
        worksUntil: new Date(booking.end),
      });
      expect(system.state.codes.get(`${LOCK}:${access.pin}`)).toMatch(/ crew$/);
      await makeGuestCode(system.services, await requireJoined(system.services, token));
      expect((await look(token)).pin).toBe(access.pin);

      await at(booking.start);
      const report = { lockId: LOCK, kind: 'code', pin: access.pin, at: new Date(booking.start) } as const;
      await recordReport(system.services, report);
      await recordReport(system.services, report);
      await at(booking.start + MINUTE);
      expect(atLock()).toEqual(['host']);
      expect(await look(token)).toMatchObject({ pin: null, codesLeft: 19 });
      const log = await db.query<{ guest: string | null; actor: string }>(
        `select actor, reference from private.door_log(jsonb_build_object($1::text, $2::text), $3::timestamptz - interval '1 hour', $3::timestamptz + interval '1 hour', $4::uuid, 10)`,
        [LOCK, STUDIO, new Date(booking.start), booking.id],
      );
      expect(log.rows).toMatchObject([{ actor: 'Sam (crew)' }]);
      await makeGuestCode(system.services, await requireJoined(system.services, token));
      const newPin = (await look(token)).pin;
      expect(newPin).not.toBe(access.pin);
      expect(system.state.codes.has(`${LOCK}:${newPin}`)).toBe(true);
      await recordReport(system.services, { ...report, pin: newPin, at: new Date(booking.start + MINUTE) });
      expect(await outcome(makeGuestCode(system.services, await requireJoined(system.services, token)))).toBe(
        'code_wait',
      );
      await at(booking.start + 2 * MINUTE);
      await makeGuestCode(system.services, await requireJoined(system.services, token));
      await at(booking.end);
      expect(atLock()).toEqual([]);
      expect((await look(token)).pin).toBeNull();
    });

    test('is removed when the guest is taken back, and the others keep theirs', async () => {
      const booking = await hosted();
      const [first, second] = [await joined(booking), await joined(booking, 'Kim')];
      await at(booking.start - 10 * MINUTE);
      expect(atLock()).toEqual(['host', 'host crew', 'host crew']);
      const [{ pin }, kept] = [await look(first.token), await look(second.token)];
      expect(await revoke(booking, first.inviteId)).toEqual({ sawShared: false });
      expect(await outcome(look(first.token))).toBe('invitation_ended');
      await at(booking.start - 9 * MINUTE);
      expect(system.state.revoked).toEqual([`${LOCK}:${pin}`]);
      expect(await look(second.token)).toMatchObject({ pin: kept.pin });
    });

    test('ends with a cancelled booking and comes back with an undo, and a move brings another one', async () => {
      const booking = await hosted();
      const { token } = await joined(booking);
      await at(booking.start - 30 * MINUTE);
      expect(atLock()).toEqual(['host', 'host crew']);
      const { undo } = await cancelForStaff(system.services, {
        bookingId: booking.id,
        refund: 'full',
        reason: 'by mistake',
        actor: STAFF,
        money: 'held' as const,
        undoable: true,
      });
      await system.jobs.drain();
      expect(atLock()).toEqual(['host']);
      await undoForStaff(system.services, { undoId: undo?.id ?? '', actor: STAFF });
      await system.jobs.drain();
      expect(atLock()).toEqual(['host', 'host crew']);
      await move(booking, { startTime: new Date(booking.start + 3 * HOUR), endTime: new Date(booking.end + 3 * HOUR) });
      await system.jobs.drain();
      expect(atLock()).toEqual([]);
      await at(booking.start + 2 * HOUR);
      expect(atLock()).toEqual(['host', 'host crew']);
      await at(booking.start + 3 * HOUR - MINUTE);
      expect(await look(token)).toMatchObject({
        pin: expect.stringMatching(/^\d{6}$/),
        worksUntil: new Date(booking.end + 3 * HOUR),
      });
    });

    test(
      'is not left in the lock when the guest is taken back while the lock is asked, with or without its answer',
      { timeout: ROUNDS * 2_000 },
      async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          await begin();
          const booking = await hosted();
          const { inviteId } = await joined(booking);
          system.state.lockFails = round % 2 === 0 ? null : noResponse;
          system.state.duringRequest = async () => {
            system.state.duringRequest = () => Promise.resolve();
            await revoke(booking, inviteId);
            // In some rounds, the removal runs before the lock has the code.
            if (round % 4 < 2) await system.jobs.drain();
          };
          system.state.now = booking.start - 60 * MINUTE;
          await system.jobs.drain();
          system.state.lockFails = null;
          await at(booking.start - 50 * MINUTE);
          expect(atLock()).toEqual(['host']);
          expect(
            await db.queryRow(
              `select 1 from private.crew_code where crew_member_id = $1::uuid and status in ('requested', 'issued')`,
              [inviteId],
            ),
          ).toBeNull();
        }
      },
    );

    test.each([
      ['while the lock is asked', 60],
      ['after the lock has stored it', 50],
    ])('is not left in the lock when the host cancels and deletes the account %s', async (_when, minutes) => {
      const booking = await hosted();
      await joined(booking);
      const deleteAccount = async (): Promise<void> => {
        await cancelBooking(system.services, booking.id, booking.host);
        const args = [booking.host, new Date(system.state.now)];
        const done = await db.queryRow('select private.delete_account($1::uuid, $2::timestamptz) as answer', args);
        expect(done).toMatchObject({ answer: { outcome: 'deleted' } });
      };
      await db.query(`update private.booking set policy = '{"freeCancelHours": 0}' where id = $1::uuid`, [booking.id]);
      if (minutes === 60)
        system.state.duringRequest = async () => {
          if (!system.state.requests.at(-1)?.accessName.endsWith('crew')) return;
          system.state.duringRequest = () => Promise.resolve();
          await deleteAccount();
        };
      await at(booking.start - 60 * MINUTE);
      if (minutes === 50) {
        expect(atLock()).toEqual(['host', 'host crew']);
        system.state.now = booking.start - 50 * MINUTE;
        await deleteAccount();
      }
      await at(booking.start - 40 * MINUTE);
      expect(atLock()).not.toContain('host crew');
      expect(await members(booking.id)).toEqual([{ state: 'revoked', name: null }]);
      await db.query('select private.forget_crews($1::timestamptz)', [new Date(booking.end + 31 * 24 * HOUR)]);
      expect(await members(booking.id)).toEqual([]);
    });

    test('that the lock confirmed to a process that ended is removed after the guest was taken back', async () => {
      const booking = await hosted();
      const { inviteId } = await joined(booking);
      system.state.lockFails = noResponse;
      await at(booking.start - 60 * MINUTE);
      const [request] = system.state.requests.filter(({ accessName }) => accessName.endsWith('crew'));
      await revoke(booking, inviteId);
      system.state.lockFails = null;
      await system.jobs.drain();
      // Yet the lock stores the code after its removal.
      if (request) system.door.storeLate(request);
      await at(booking.start - 30 * MINUTE);
      expect(atLock()).not.toContain('host crew');
    });

    test('waits for a lock without an answer, and for room in a full one', async () => {
      const booking = await hosted();
      const { token } = await joined(booking);
      system.state.lockFails = noResponse;
      await at(booking.start - 60 * MINUTE);
      system.state.lockFails = null;
      await at(booking.start - 10 * MINUTE);
      const { pin } = await look(token);
      expect(system.state.codes.has(`${LOCK}:${pin}`)).toBe(true);

      await begin({ singleUse: true, storedCodes: 40 });
      const full = await hosted();
      const guest = await joined(full);
      await at(full.start - 10 * MINUTE);
      expect(atLock()).toEqual(['host']);
      expect((await look(guest.token)).pin).toBeNull();
    });

    test('decides what a guest hears at a door that does not open, and staff read that a guest asks', async () => {
      const booking = await hosted();
      const { token } = await joined(booking);
      await at(booking.start);
      const page = await requireJoined(system.services, token);
      const help = () => readDoorHelp(system.services, booking.id, page.memberId);
      expect(await help()).toMatchObject({ hasCode: true, asked: false });
      await recordReport(system.services, {
        lockId: LOCK,
        kind: 'code',
        pin: (await look(token)).pin,
        at: new Date(booking.start),
      });
      expect(await help()).toMatchObject({ hasCode: false });
      expect(await readDoorHelp(system.services, booking.id)).toMatchObject({ hasCode: true });
      expect(
        await askForDoorHelp(system.services, booking.id, { reporter: null, guestId: page.memberId }),
      ).toMatchObject({ asked: true });
      expect(
        await db.queryRow('select description from private.incident where booking_id = $1::uuid', [booking.id]),
      ).toMatchObject({ description: expect.stringContaining('A guest of the booking asked for help.') });
    });
  });

  test('without a bridge guests see the code of the booking, also a new one, and the host hears who has seen it', async () => {
    await begin({ mode: 'hourly', singleUse: false, revocable: false, granularityMinutes: 60, codesPerWindow: 3 });
    const booking = await hosted();
    const [seen, unseen] = [await joined(booking), await joined(booking, 'Kim')];
    await at(booking.start - 20 * MINUTE);
    expect(system.state.requests).toHaveLength(1);
    expect(await look(unseen.token)).toMatchObject({ own: false, pin: null });
    await at(booking.start - 10 * MINUTE);
    const { pin } = await look(seen.token);
    expect(pin).toMatch(/^\d+$/);
    expect(await revoke(booking, unseen.inviteId)).toEqual({ sawShared: false });
    const fresh = await renewCode(system.services, booking.id, booking.host).then((access) => access.pin);
    expect((await look(seen.token)).pin).toBe(fresh);
    expect(await revoke(booking, seen.inviteId)).toEqual({ sawShared: true });
    expect(await outcome(look(seen.token))).toBe('invitation_ended');
  });

  test('is forgotten a month after the session, and at once with the account of the host', async () => {
    const booking = await hosted();
    await joined(booking);
    const forget = (now: number) => db.query('select private.forget_crews($1::timestamptz)', [new Date(now)]);
    await forget(booking.end + 30 * 24 * HOUR);
    expect(await members(booking.id)).toHaveLength(1);
    await forget(booking.end + 30 * 24 * HOUR + 1);
    expect(await members(booking.id)).toEqual([]);
    const other = await hosted();
    await joined(other);
    await db.query('update private.booking set user_id = null where id = $1::uuid', [other.id]);
    expect(await members(other.id)).toEqual([]);
  });
});
