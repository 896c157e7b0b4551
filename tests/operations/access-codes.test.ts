import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { ensureCode, requestFirstCode } from '#server/operations/access/issue-first-code.ts';
import { recordUse } from '#server/operations/access/record-use.ts';
import { recordView } from '#server/operations/access/record-view.ts';
import { renewCode } from '#server/operations/access/renew-code.ts';
import { askForDoorHelp, readDoorHelp } from '#server/operations/incidents/door-help.ts';
import { changeIncident, readIncidents } from '#server/operations/incidents/incidents.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { showAccess } from '#server/operations/access/show-access.ts';
import { makeStaffCode, revokeStaffCode } from '#server/operations/access/staff-codes.ts';
import type { Job } from '#server/operations/core/jobs.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { LockCapabilities } from '#server/providers/ports.ts';
import {
  addPerson,
  type BookingSystem,
  createBookingSystem,
  embedded,
  HOUR,
  LOCK,
  MINUTE,
  START,
  STUDIO,
} from './booking-system.ts';

const LOCK_SILENT = {
  code: 'provider_unavailable',
  message: 'We can’t reach the lock right now. Please try again in a moment.',
};
let db: Database;
let close: () => Promise<void>;
let system: BookingSystem;
/** Each booking gets its own hours, because a lock has a limited number of codes for the same hours. */
let hours = 0;

beforeAll(async () => {
  if (!embedded) throw new Error('there is no embedded database');
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(() => begin());

/** Starts at START with every hour free, on the same database. */
async function begin(lock: Partial<LockCapabilities> = {}): Promise<void> {
  await db.query('delete from private.outbox');
  await db.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
  );
  system = await createBookingSystem(db, lock);
}

type Confirmed = { id: string; person: string; start: number; end: number };
/** Makes a confirmed booking of two hours, at least a day and a half ahead. */
async function confirmedBooking(): Promise<Confirmed> {
  const person = await addPerson(db);
  hours += 3;
  const start = START + (36 + hours) * HOUR;
  const end = start + 2 * HOUR;
  const { id } = await system.book(person, { startTime: new Date(start), endTime: new Date(end) });
  return { id, person, start, end };
}
/** Makes a confirmed booking with its first code, fifteen minutes before its start. */
async function bookingWithCode(): Promise<Confirmed & { pin: string }> {
  const confirmed = await confirmedBooking();
  system.state.now = confirmed.start - 60 * MINUTE;
  await system.jobs.drain();
  system.state.now = confirmed.start - 15 * MINUTE;
  await addEarlierCode(confirmed.id);
  return { ...confirmed, pin: (await showAccess(system.services, confirmed.id)).pin ?? '' };
}
/** Adds a booking of another customer, a week earlier, whose code had the same digits and was removed from the lock. */
async function addEarlierCode(bookingId: string): Promise<void> {
  const booking = await db.queryRow<{ id: string }>(
    `insert into private.booking (reference, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
     select private.new_reference(), b.studio_id, 'Neighbour', b.start_time - interval '7 days', b.end_time - interval '7 days', 'pending', b.start_time, 2, 0, 0
     from private.booking b where b.id = $1::uuid on conflict do nothing returning id`,
    [bookingId],
  );
  if (booking === null) return;
  await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`, [
    booking.id,
  ]);
  await db.query(
    `with code as (
       insert into public.booking_access_codes (booking_id, attempt, status, mode, starts_at, ends_at, release_at, revoked_at)
       select $2::uuid, 1, 'revoked', c.mode, c.starts_at - interval '7 days', c.ends_at - interval '7 days', c.release_at - interval '7 days',
         c.ends_at - interval '7 days'
       from public.booking_access_codes c where c.booking_id = $1::uuid order by c.attempt desc limit 1 returning id
     )
     insert into private.access_secret (code_id, lock_id, variant, pin_encrypted, pin_fingerprint, starts_at, ends_at, live)
     select code.id, s.lock_id, s.variant, s.pin_encrypted, s.pin_fingerprint, s.starts_at - interval '7 days', s.ends_at - interval '7 days', false
     from code, private.access_secret s join public.booking_access_codes c on c.id = s.code_id
     where c.booking_id = $1::uuid order by c.attempt desc limit 1`,
    [bookingId, booking.id],
  );
}
afterEach(async () => {
  const changed = await db.queryRow<{ n: number }>(
    `select count(*)::int as n from public.booking_access_codes c join private.booking b on b.id = c.booking_id
     where b.studio_name = 'Neighbour' and (c.status <> 'revoked' or c.used_at is not null or c.seen_at is not null)`,
  );
  expect(changed?.n, 'codes of neighbours that were changed').toBe(0);
});
const jobFor = (bookingId: string): Job => ({
  id: randomUUID(),
  kind: 'access.request',
  subjectId: bookingId,
  recipient: null,
  payload: {},
  dueAt: new Date(),
  deadlineAt: null,
  tries: 1,
});
const alerts = async (): Promise<number> =>
  (
    await db.queryRow<{ n: number }>(
      `select count(*)::int as n from public.audit_logs where action = 'alert' and resource_type = 'access_code'`,
    )
  )?.n ?? 0;
const refused = new ProviderError('igloohome', 'refused', { retryable: false });
const noResponse = new ProviderError('igloohome', 'no_response', { retryable: true, ambiguous: true });

describe('the code of a booking', () => {
  test('is issued an hour before the start, shown from fifteen minutes before it until the end, and works five minutes early', async () => {
    const { id, start, end } = await confirmedBooking();
    system.state.now = start - 60 * MINUTE - 1;
    await system.jobs.drain();
    expect(system.state.requests).toEqual([]);
    system.state.now = start - 60 * MINUTE;
    await system.jobs.drain();
    const [pin] = [...system.state.codes.keys()].map((code) => code.split(':')[1]);
    expect(pin).toMatch(/^\d{6}$/);
    const at = async (now: number) => {
      system.state.now = now;
      return showAccess(system.services, id);
    };
    expect(await at(start - 15 * MINUTE - 1)).toMatchObject({
      pin: null,
      pinId: expect.any(String),
      releaseAt: new Date(start - 15 * MINUTE),
    });
    expect(await at(start - 15 * MINUTE)).toMatchObject({
      booking: { id },
      pin,
      worksFrom: new Date(start - 5 * MINUTE),
      worksUntil: new Date(end),
      nextCodeAt: null,
      codesLeft: 19,
      mode: 'bridge',
      singleUse: false,
    });
    expect(await at(end - 1)).toMatchObject({ pin });
    expect(await at(end)).toMatchObject({ pin: null });
  });

  test('is seen when the customer first sees its digits, and staff who see them are in the audit log once an hour', async () => {
    const { id, start } = await confirmedBooking();
    const shown = await ensureCode(system.services, id);
    await recordView(system.services, shown, null);
    expect(shown.pin).toBeNull();
    system.state.now = start - MINUTE;
    const open = await ensureCode(system.services, id);
    // The id of the service key, which has every permission.
    const SERVICE = '00000000-0000-0000-0000-000000000000';
    const record = async (staff: string | null): Promise<unknown> => {
      await recordView(system.services, open, staff);
      return system.services.db.queryRow(
        `select (select count(*)::int from public.audit_logs where action = 'show' and details ->> 'bookingId' = $1::text) as logged,
           (select seen_at from public.booking_access_codes where booking_id = $1::uuid) as seen`,
        [id],
      );
    };
    expect(await record(SERVICE)).toEqual({ logged: 1, seen: null });
    expect(await record(SERVICE)).toEqual({ logged: 1, seen: null });
    expect(await record(null)).toEqual({ logged: 1, seen: new Date(start - MINUTE) });
    system.state.now = start;
    expect(await record(null)).toEqual({ logged: 1, seen: new Date(start - MINUTE) });
  });

  test('works from the start only when somebody has the hour before, or is paying for it', async () => {
    const { id, start } = await confirmedBooking();
    const before = { startTime: new Date(start - HOUR), endTime: new Date(start) };
    system.state.now = start - 30 * MINUTE;
    const hold = await db.queryRow<{ id: string }>(
      `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       values (private.new_reference(), $1::uuid, $2::uuid, 'Studio', $3::timestamptz, $4::timestamptz, 'pending', $4::timestamptz, 1, 4900, 4900) returning id`,
      [await addPerson(db), STUDIO, before.startTime, before.endTime],
    );
    expect((await ensureCode(system.services, id)).worksFrom).toEqual(new Date(start));
    expect(system.state.requests.at(-1)).toMatchObject({ startsAt: new Date(start) });
    await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`, [
      hold?.id,
    ]);
  });

  test('is removed from the lock when the session ends', async () => {
    const { end, pin } = await bookingWithCode();
    system.state.now = end - 1;
    await system.jobs.drain();
    expect(system.state.revoked).toEqual([]);
    system.state.now = end;
    await system.jobs.drain();
    expect(system.state.revoked).toEqual([`${LOCK}:${pin}`]);
    expect(system.state.codes.size).toBe(0);
  });

  test('is issued once for several requests, and not at all after the session: the job closes with the reason', async () => {
    const { id, start } = await confirmedBooking();
    system.state.now = start - MINUTE;
    await Promise.all([ensureCode(system.services, id), requestFirstCode(system.services, jobFor(id))]);
    await ensureCode(system.services, id);
    expect(system.state.codes.size).toBe(1);
    const late = await confirmedBooking();
    system.state.now = late.end;
    expect(await requestFirstCode(system.services, jobFor(late.id))).toEqual({
      closed: 'The session ended before the lock issued an access code.',
    });
    expect(system.state.codes.size).toBe(1);
  });

  test('is not requested early, and without an answer from the lock the page shows no PIN and the failure is logged', async () => {
    const { id, start } = await confirmedBooking();
    expect(await ensureCode(system.services, id)).toMatchObject({ pin: null, pinId: null, codesLeft: 20 });
    expect(system.state.requests).toEqual([]);
    system.state.now = start - 10 * MINUTE;
    system.state.lockFails = noResponse;
    expect(await ensureCode(system.services, id)).toMatchObject({ pin: null, pinId: null });
    expect(system.logged).toEqual(['an access code could not be issued yet; its job tries again']);
    expect(system.logFields).toEqual([{ booking: id, reason: 'igloohome: no_response' }]);
    system.state.lockFails = null;
    expect(await ensureCode(system.services, id)).toMatchObject({ pin: expect.stringMatching(/^\d{6}$/) });
    // The code is requested again with the same digits, because the lock may have accepted them the first time.
    const [first, second] = system.state.requests;
    expect(second).toEqual(first);
  });

  test('issued while the booking was being cancelled is removed from the lock again', async () => {
    const { id, person } = await confirmedBooking();
    system.state.duringRequest = () => cancelBooking(system.services, id, person);
    await requestFirstCode(system.services, jobFor(id));
    expect(system.state.codes.size).toBe(1);
    await system.jobs.drain();
    expect(system.state.codes.size).toBe(0);
  });

  test('that the lock stores after the removal of an unconfirmed code is removed when the job comes again', async () => {
    const { id, person, start } = await confirmedBooking();
    system.state.lockFails = noResponse;
    system.state.now = start - 60 * MINUTE;
    await system.jobs.drain();
    const [request] = system.state.requests;
    await cancelForStaff(system.services, {
      bookingId: id,
      refund: 'full',
      reason: 'by mistake',
      actor: person,
      money: 'held',
    });
    system.state.lockFails = null;
    await system.jobs.drain();
    if (request) system.door.storeLate(request);
    expect(system.state.codes.size).toBe(1);
    system.state.now += 30 * MINUTE;
    await system.jobs.drain();
    expect(system.state.codes.size).toBe(0);
  });

  test('that the lock accepts twice after the booking was cancelled is removed each time', async () => {
    const { id, person } = await confirmedBooking();
    let first: Promise<unknown> = Promise.resolve();
    const ended = Promise.withResolvers<void>();
    system.state.duringRequest = async () => {
      system.state.duringRequest = () => first;
      await ended.promise;
      await cancelBooking(system.services, id, person);
    };
    first = requestFirstCode(system.services, jobFor(id)).then(() => {
      system.state.now += 1;
      return system.jobs.drain();
    });
    await vi.waitFor(() => expect(system.state.requests).toHaveLength(1));
    const second = requestFirstCode(system.services, jobFor(id));
    await vi.waitFor(() => expect(system.state.requests).toHaveLength(2));
    ended.resolve();
    await Promise.all([first, second]);
    expect(system.state.codes.size).toBe(1);
    system.state.now += 1;
    await system.jobs.drain();
    expect(system.state.codes.size).toBe(0);
  });

  test('of an unpaid or unknown booking is neither shown nor issued', async () => {
    const person = await addPerson(db);
    const { bookingId } = await holdBooking(system.services, system.request(person));
    const renew = (context: typeof system.services, id: string) => renewCode(context, id, null);
    for (const operation of [showAccess, ensureCode, renew]) {
      await expect(operation(system.services, bookingId)).rejects.toMatchObject({
        code: 'not_confirmed',
        message: 'This booking hasn’t been paid yet.',
      });
      await expect(operation(system.services, randomUUID())).rejects.toMatchObject({
        code: 'not_found',
        message: 'Booking not found',
      });
    }
    expect(await requestFirstCode(system.services, jobFor(bookingId))).toBe('done');
    expect(system.state.requests).toEqual([]);
  });

  test('that was used keeps the time of its first use and is removed from the lock; other digits change nothing', async () => {
    const { id, start, pin } = await bookingWithCode();
    const usedAt = async () =>
      (
        await db.queryRow<{ at: Date | null }>(
          'select used_at as at from public.booking_access_codes where booking_id = $1',
          [id],
        )
      )?.at;
    system.state.now = start;
    await recordUse(system.services, { lockId: LOCK, pin: '000000', at: new Date(start) });
    await recordUse(system.services, { lockId: 'another-lock', pin, at: new Date(start) });
    expect(await usedAt()).toBeNull();
    await recordUse(system.services, { lockId: LOCK, pin, at: new Date(start) });
    await recordUse(system.services, { lockId: LOCK, pin, at: new Date(start + MINUTE) });
    expect(await usedAt()).toEqual(new Date(start));
    await system.jobs.drain();
    expect(system.state.revoked).toEqual([`${LOCK}:${pin}`]);
  });

  test('that opens the door once is not shown after its use, and says when it opened the door until a new one is made', async () => {
    await begin({ singleUse: true });
    const { id, person, start, pin } = await bookingWithCode();
    system.state.now = start;
    expect(await showAccess(system.services, id)).toMatchObject({ pin, openedAt: null });
    await recordUse(system.services, { lockId: LOCK, pin, at: new Date(start) });
    // The booking shows no code, both before and after the lock has removed it.
    expect(await showAccess(system.services, id)).toMatchObject({ pin: null, openedAt: new Date(start) });
    await system.jobs.drain();
    expect(await showAccess(system.services, id)).toMatchObject({ pin: null, openedAt: new Date(start) });
    system.state.now += MINUTE;
    system.state.lockFails = refused;
    await expect(renewCode(system.services, id, person)).rejects.toMatchObject(LOCK_SILENT);
    expect(await showAccess(system.services, id)).toMatchObject({ pin: null, openedAt: new Date(start) });
    system.state.lockFails = null;
    system.state.now += MINUTE;
    const next = await renewCode(system.services, id, person);
    expect(next).toMatchObject({ pin: expect.stringMatching(/^\d{6}$/), openedAt: null });
  });
});

describe('a new code', () => {
  test('replaces the previous one, repeatedly, thirty seconds apart', async () => {
    const { id, person, pin } = await bookingWithCode();
    let previous = pin;
    for (const [round, remaining] of [
      [1, 18],
      [2, 17],
      [3, 16],
    ] as const) {
      const shown = await renewCode(system.services, id, person);
      expect(shown).toMatchObject({ codesLeft: remaining, nextCodeAt: new Date(system.state.now + 30_000) });
      expect(shown.pin).not.toBe(previous);
      await expect(renewCode(system.services, id, person)).rejects.toMatchObject({
        code: 'code_wait',
        message: 'Please wait 30 seconds before making another code.',
        details: { seconds: 30 },
      });
      await system.jobs.drain();
      expect([...system.state.codes.keys()]).toEqual([`${LOCK}:${shown.pin}`]);
      expect(system.state.revoked).toHaveLength(round);
      previous = shown.pin ?? '';
      system.state.now += 30_000;
    }
    const { rows } = await db.query<{ attempt: number; status: string }>(
      'select attempt, status from public.booking_access_codes where booking_id = $1 order by attempt',
      [id],
    );
    expect(rows).toEqual([
      { attempt: 1, status: 'revoked' },
      { attempt: 2, status: 'revoked' },
      { attempt: 3, status: 'revoked' },
      { attempt: 4, status: 'issued' },
    ]);
    const audit = await db.queryRow(
      `select l.actor as "by", l.details ->> 'attempt' as attempt from public.audit_logs l
       join public.booking_access_codes c on c.id::text = l.resource_id
       where l.action = 'update' and l.resource_type = 'access_code' and c.booking_id = $1 and c.attempt = 4`,
      [id],
    );
    expect(audit).toEqual({ by: person, attempt: '4' });
  });

  test('is refused before the release, after the end, and after twenty codes', async () => {
    const { id, person, start, end } = await confirmedBooking();
    await expect(renewCode(system.services, id, person)).rejects.toMatchObject({
      code: 'code_not_released',
      message: 'Your code isn’t available yet.',
      details: { releaseAt: new Date(start - 15 * MINUTE) },
    });
    system.state.now = start;
    await ensureCode(system.services, id);
    await db.query('update public.booking_access_codes set attempt = 20 where booking_id = $1', [id]);
    system.state.now += MINUTE;
    await expect(renewCode(system.services, id, person)).rejects.toMatchObject({
      code: 'code_limit',
      message: 'No more codes can be made for this session. Please contact us.',
    });
    expect(await showAccess(system.services, id)).toMatchObject({ codesLeft: 0 });
    system.state.now = end;
    await expect(renewCode(system.services, id, person)).rejects.toMatchObject({
      code: 'session_ended',
      message: 'Session has ended',
    });
  });

  test('that the lock refuses leaves the previous one working', async () => {
    const { id, person, pin } = await bookingWithCode();
    system.state.lockFails = refused;
    await expect(renewCode(system.services, id, person)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'We can’t reach the lock right now. Please try again in a moment.',
    });
    expect(system.logged).toEqual(['a new access code could not be issued; the caller was asked to try again']);
    expect(system.logFields).toEqual([{ booking: id, provider: 'igloohome', reason: 'refused' }]);
    system.state.lockFails = null;
    await system.jobs.drain();
    // This does not use up a try.
    expect(await showAccess(system.services, id)).toMatchObject({ pin, codesLeft: 19 });
    expect([...system.state.codes.keys()]).toEqual([`${LOCK}:${pin}`]);
    system.state.now += 30_000;
    const next = await renewCode(system.services, id, person);
    expect(next.pin).not.toBe(pin);
    expect(next.codesLeft).toBe(18);
  });

  test('leaves the previous one shown and working while the lock is asked, and for as long as no answer comes', async () => {
    const { id, person, pin } = await bookingWithCode();
    const previous = { shown: { pin }, codes: [`${LOCK}:${pin}`] };
    const look = async () => {
      await system.jobs.drain();
      return { shown: { pin: (await showAccess(system.services, id)).pin }, codes: [...system.state.codes.keys()] };
    };
    let meanwhile: unknown = null;
    system.state.duringRequest = async () => {
      meanwhile = await look();
      throw noResponse;
    };
    await expect(renewCode(system.services, id, person)).rejects.toMatchObject(LOCK_SILENT);
    expect(meanwhile).toEqual(previous);
    expect(await look()).toEqual(previous);
    system.state.duringRequest = () => Promise.resolve();
    const { pin: next } = await renewCode(system.services, id, person);
    expect(await look()).toEqual({ shown: { pin: next }, codes: [`${LOCK}:${next}`] });
  });

  test('whose answer was lost is requested again with the same digits, without a wait', async () => {
    const { id, person, pin } = await bookingWithCode();
    system.state.lockFails = noResponse;
    await expect(renewCode(system.services, id, person)).rejects.toMatchObject(LOCK_SILENT);
    system.state.lockFails = null;
    const shown = await renewCode(system.services, id, person);
    expect(shown.pin).not.toBe(pin);
    const [, lost, repeated] = system.state.requests;
    expect(repeated).toEqual(lost);
    expect(shown.pin).toBe(lost?.pin);
  });
});

describe('a lock that chooses its own digits and cannot remove them', () => {
  const oneTime = {
    mode: 'onetime',
    granularityMinutes: 60,
    singleUse: true,
    endEnforced: false,
    revocable: false,
    codesPerWindow: 5,
  } as const;

  test('receives no digits, gives one code per variant, and has a limited number for the same hours', async () => {
    await begin({ ...oneTime, codesPerWindow: 2 });
    const { id, person, start, pin } = await bookingWithCode();
    expect(pin).toMatch(/^\d{9}$/);
    expect(await showAccess(system.services, id)).toMatchObject({
      worksFrom: new Date(start),
      worksUntil: new Date(start + 24 * HOUR),
      codesLeft: 1,
      mode: 'onetime',
      singleUse: true,
    });
    const second = await renewCode(system.services, id, person);
    expect(second.pin).not.toBe(pin);
    expect(system.state.requests.map(({ pin: sent, variant }) => ({ sent, variant }))).toEqual([
      { sent: '', variant: 1 },
      { sent: '', variant: 2 },
    ]);
    system.state.now += MINUTE;
    await expect(renewCode(system.services, id, person)).rejects.toMatchObject({
      code: 'code_limit',
      message: 'No more codes can be made for this session. Please contact us.',
    });
    expect(await showAccess(system.services, id)).toMatchObject({ pin: second.pin });
  });

  test('tells staff in their own words that no code is left: as the problem of a job, and for a code of theirs', async () => {
    await begin({ ...oneTime, codesPerWindow: 0 });
    const { id, person, start, end } = await confirmedBooking();
    system.state.now = start;
    const room = await db.queryRow<{ id: string }>('select studio_id as id from private.booking where id = $1::uuid', [
      id,
    ]);
    const refusal = { code: 'code_limit', message: expect.stringContaining('The lock has no codes left') as unknown };
    await expect(requestFirstCode(system.services, jobFor(id))).rejects.toMatchObject(refusal);
    const hours = { startTime: new Date(end), endTime: new Date(end + HOUR) };
    const request = { ...hours, studioId: room?.id ?? '', name: 'Electrician', requestId: 'r' };
    await expect(makeStaffCode(system.services, request, person)).rejects.toMatchObject(refusal);
  });

  test('alerts staff when a code outlives its cancelled booking, and not when the code has ended', async () => {
    await begin(oneTime);
    const { id, person } = await confirmedBooking();
    await requestFirstCode(system.services, jobFor(id));
    const before = await alerts();
    await cancelBooking(system.services, id, person);
    await system.jobs.drain();
    expect(await alerts()).toBe(before + 1);
    expect(system.state.revoked).toEqual([]);
    await begin(oneTime);
    const other = await bookingWithCode();
    system.state.now = other.start + 24 * HOUR;
    await system.jobs.drain();
    expect(await alerts()).toBe(before + 1);
    await expect(showAccess(system.services, other.id)).resolves.toMatchObject({ pin: null, pinId: null });
  });

  test('gives the number of a code that it refused to the next one', async () => {
    await begin(oneTime);
    const { id, person } = await bookingWithCode();
    system.state.lockFails = refused;
    await expect(renewCode(system.services, id, person)).rejects.toMatchObject(LOCK_SILENT);
    system.state.lockFails = null;
    system.state.now += MINUTE;
    expect(await renewCode(system.services, id, person)).toMatchObject({ codesLeft: 3 });
    expect(system.state.requests.map(({ variant }) => variant)).toEqual([1, 2, 2]);
  });

  test('is not asked to remove a used code', async () => {
    await begin(oneTime);
    const { start, pin } = await bookingWithCode();
    system.state.now = start;
    await recordUse(system.services, { lockId: LOCK, pin, at: new Date(start) });
    const { rows } = await db.query(`select 1 from private.outbox where dedupe like 'used:%'`);
    expect(rows).toEqual([]);
  });
});

describe('help at a door', () => {
  const lockReports = (kind: string, at: number) =>
    db.query(`insert into private.lock_event (lock_id, kind, at) values ($1, $2, $3::timestamptz)`, [
      LOCK,
      kind,
      new Date(at),
    ]);
  const readIncidentRows = (id: string) =>
    db
      .query<{ id: string; description: string; state: string }>(
        `select id, description, state from private.incident where booking_id = $1::uuid order by created_at`,
        [id],
      )
      .then(({ rows }) => rows);

  test('the lock’s own answer is read from a quarter of an hour before the code works until the session ends', async () => {
    const { id, start, end } = await bookingWithCode();
    system.state.now = start - 21 * MINUTE;
    await expect(readDoorHelp(system.services, id)).rejects.toMatchObject({
      code: 'code_not_released',
      message: expect.stringMatching(/^Your code works from \d+(?::\d\d)? [ap]m \(Sydney time\)\.$/),
    });
    await lockReports('wrong_code', start - 3 * HOUR);
    system.state.now = start - 20 * MINUTE;
    const quiet = { held: false, online: null, hasCode: true, wrongAt: null, openedAt: null, asked: false };
    expect(await readDoorHelp(system.services, id)).toEqual(quiet);
    await lockReports('wrong_code', start);
    await lockReports('code', start + MINUTE);
    system.state.now = start + 2 * MINUTE;
    const help = await readDoorHelp(system.services, id);
    expect([help.wrongAt, help.openedAt].map((at) => Date.parse(at ?? ''))).toEqual([start, start + MINUTE]);
    system.state.now = end;
    await expect(readDoorHelp(system.services, id)).rejects.toMatchObject({
      code: 'session_ended',
      message: 'Session has ended',
    });
  });

  test('who asks has one incident at a time, and all who may open doors are mailed once with name and phone', async () => {
    const { id, person, start } = await bookingWithCode();
    const staff = await addPerson(db);
    await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff]);
    system.state.now = start + 5 * MINUTE;
    await system.jobs.drain();
    system.mails.splice(0);
    const all = await Promise.all([1, 2, 3].map(() => askForDoorHelp(system.services, id, { reporter: person })));
    expect(all).toMatchObject([{ asked: true }, { asked: true }, { asked: true }]);
    const [incident, ...more] = await readIncidentRows(id);
    expect(more).toEqual([]);
    expect(incident).toMatchObject({
      state: 'open',
      description: expect.stringContaining('It has accepted the code.'),
    });
    expect(incident?.description).not.toContain('Alex');
    await system.jobs.drain();
    const mails = system.mails.splice(0).filter(({ subject }) => subject.startsWith('A customer can’t open the door'));
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain('Alex');
    await db.query('select set_config($1, $2, false)', ['request.jwt.claims', '{"role": "service_role"}']);
    const { rows } = await db.query<{ kind: string }>(
      `select kind from public.staff_alerts($1::timestamptz) where booking_id = $2::uuid`,
      [system.clock(), id],
    );
    await db.query('select set_config($1, $2, false)', ['request.jwt.claims', '']);
    expect(rows.map(({ kind }) => kind)).toContain('door_closed');
    await changeIncident(system.services, { incidentId: incident?.id ?? '', state: 'done' }, staff);
    expect(await readDoorHelp(system.services, id)).toMatchObject({ asked: false });
    await askForDoorHelp(system.services, id, { reporter: person });
    expect(await readIncidentRows(id)).toHaveLength(2);
  });

  test('the minutes from asking until the door opened count, within the session, and their price is offered back once', async () => {
    const { id, person, start } = await bookingWithCode();
    system.state.now = start - 5 * MINUTE;
    await askForDoorHelp(system.services, id, { reporter: person });
    const read = async () =>
      (await readIncidents(system.services)).find(({ booking }) => booking?.id === id)?.booking ?? null;
    expect(await read()).toMatchObject({ closedMinutes: 0, backCents: 0, refunded: false });
    await lockReports('from_afar', start + 12 * MINUTE);
    system.state.now = start + 30 * MINUTE;
    const closed = await read();
    expect(closed).toMatchObject({ closedMinutes: 12, refunded: false });
    expect(closed?.backCents).toBeGreaterThan(0);
    const incident = (await readIncidentRows(id))[0]?.id ?? '';
    for (let attempt = 0; attempt < 2; attempt += 1)
      await refundForStaff(system.services, {
        bookingId: id,
        cents: closed?.backCents ?? 0,
        reason: 'The door stayed closed',
        requestId: `incident:${incident}`,
        actor: person,
        money: 'held',
      });
    expect(await read()).toMatchObject({ refunded: true });
  });
});

test('a code of staff is in the audit log once the lock has it, and is removed from the lock when it ends', async () => {
  const person = await addPerson(db);
  await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [person]);
  const startTime = new Date(system.state.now);
  const request = {
    studioId: STUDIO,
    startTime,
    endTime: new Date(+startTime + HOUR),
    name: 'Electrician',
    requestId: 'r',
  };
  const { codeId, pin } = await makeStaffCode(system.services, request, person);
  const log = await db.queryRow(
    `select actor, details -> 'after' as after from public.audit_logs where resource_type = 'staff_code' and resource_id = $1 and action = 'update'`,
    [codeId],
  );
  expect(log).toEqual({ actor: person, after: { status: 'issued' } });
  const isAtTheLock = () => [...system.state.codes.keys()].includes(`${LOCK}:${pin}`);
  system.state.now += HOUR - 1;
  await system.jobs.drain();
  expect(isAtTheLock()).toBe(true);
  system.state.now += 1;
  await system.jobs.drain();
  expect(isAtTheLock()).toBe(false);
});

test.each([
  ['before it ends', 1, [{ reason: 'the lock cannot remove this code before it ends' }]],
  ['at its end', HOUR, []],
] as const)(
  'a code of staff whose lock can no longer remove codes is closed %s, with an alert for as long as it works',
  async (_when, after, details) => {
    const person = await addPerson(db);
    await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [person]);
    const startTime = new Date(system.state.now);
    const span = { startTime, endTime: new Date(+startTime + HOUR) };
    const request = { ...span, studioId: STUDIO, name: 'Painter', requestId: randomUUID() };
    const { codeId } = await makeStaffCode(system.services, request, person);
    if (after < HOUR) await revokeStaffCode(system.services, codeId, person);
    const { now } = system.state;
    system = await createBookingSystem(db, { revocable: false });
    system.state.now = now + after;
    await system.jobs.drain();
    expect(await db.queryRow('select status from private.staff_code where id = $1::uuid', [codeId])).toEqual({
      status: 'revoked',
    });
    const { rows } = await db.query<{ details: unknown }>(
      `select details from public.audit_logs where action = 'alert' and resource_type = 'staff_code' and resource_id = $1`,
      [codeId],
    );
    expect(rows.map((row) => row.details)).toEqual(details);
  },
);
