import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { Job } from '#server/operations/outbox.ts';
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
} from './booking-system.ts';

const [embedded] = databases;
let db: Database;
let close: () => Promise<void>;
let system: BookingSystem;
/** Each booking has hours of its own: what a lock gave for the same ones before would count. */
let hours = 0;

beforeAll(async () => {
  if (!embedded) throw new Error('there is always an embedded database');
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(() => begin());

/** A new system on the same database, at the first moment, with every hour free. */
async function begin(lock: Partial<LockCapabilities> = {}): Promise<void> {
  await db.query('delete from private.outbox');
  await db.query(
    `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
  );
  system = await createBookingSystem(db, lock);
}

type Booked = { id: string; person: string; start: number; end: number };
/** A confirmed booking of two hours, a day and a half ahead. */
async function booked(): Promise<Booked> {
  const person = await addPerson(db);
  hours += 3;
  const start = START + (36 + hours) * HOUR;
  const end = start + 2 * HOUR;
  const { id } = await system.book(person, { startTime: new Date(start), endTime: new Date(end) });
  return { id, person, start, end };
}
/** The same, with its first code, fifteen minutes before the start. */
async function released(): Promise<Booked & { pin: string }> {
  const one = await booked();
  system.state.now = one.start - 60 * MINUTE;
  await system.jobs.drain();
  system.state.now = one.start - 15 * MINUTE;
  return { ...one, pin: (await system.access.show(one.id)).pin ?? '' };
}
const jobFor = (bookingId: string): Job => ({
  id: randomUUID(),
  kind: 'access.request',
  subjectId: bookingId,
  payload: {},
  dueAt: new Date(),
  deadlineAt: null,
  tries: 1,
});
const alerts = async (): Promise<number> =>
  (
    await db.one<{ n: number }>(
      `select count(*)::int as n from public.audit_logs where action = 'alert' and resource_type = 'access_code'`,
    )
  )?.n ?? 0;
const wantsNo = new ProviderError('igloohome', 'refused', { retryable: false });
const noAnswer = new ProviderError('igloohome', 'no_answer', { retryable: true, ambiguous: true });

describe('the code of a booking', () => {
  test('is made an hour before the start, shown from fifteen minutes before it to the end, and works five minutes early', async () => {
    const { id, start, end } = await booked();
    system.state.now = start - 60 * MINUTE - 1;
    await system.jobs.drain();
    expect(system.state.asked).toEqual([]);
    system.state.now = start - 60 * MINUTE;
    await system.jobs.drain();
    const [pin] = [...system.state.codes.keys()].map((known) => known.split(':')[1]);
    expect(pin).toMatch(/^\d{6}$/);
    const at = async (now: number) => {
      system.state.now = now;
      return system.access.show(id);
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

  test('is forgotten by the lock when the session ends', async () => {
    const { end, pin } = await released();
    system.state.now = end - 1;
    await system.jobs.drain();
    expect(system.state.revoked).toEqual([]);
    system.state.now = end;
    await system.jobs.drain();
    expect(system.state.revoked).toEqual([`${LOCK}:${pin}`]);
    expect(system.state.codes.size).toBe(0);
  });

  test('is made once however often it is asked for, and a session that is over gets none and says so', async () => {
    const { id, start } = await booked();
    system.state.now = start - MINUTE;
    await Promise.all([system.access.ensure(id), system.access.request(jobFor(id))]);
    await system.access.ensure(id);
    expect(system.state.codes.size).toBe(1);
    const late = await booked();
    system.state.now = late.end;
    expect(await system.access.request(jobFor(late.id))).toEqual({
      closed: 'The session ended before the lock had given an access code.',
    });
    expect(system.state.codes.size).toBe(1);
  });

  test('is not asked for before its time, and a lock that does not answer is logged while the page goes on', async () => {
    const { id, start } = await booked();
    expect(await system.access.ensure(id)).toMatchObject({ pin: null, pinId: null, codesLeft: 20 });
    expect(system.state.asked).toEqual([]);
    system.state.now = start - 10 * MINUTE;
    system.state.lockFails = noAnswer;
    expect(await system.access.ensure(id)).toMatchObject({ pin: null, pinId: null });
    expect(system.logged).toEqual(['a door code is not there yet']);
    expect(system.logFields).toEqual([{ booking: id, reason: 'igloohome: no_answer' }]);
    system.state.lockFails = null;
    expect(await system.access.ensure(id)).toMatchObject({ pin: expect.stringMatching(/^\d{6}$/) });
    // Asked again with the very same digits: the lock may have taken them the first time.
    const [first, second] = system.state.asked;
    expect(second).toEqual(first);
  });

  test('made while the booking was being cancelled is taken out of the lock again', async () => {
    const { id, person } = await booked();
    system.state.whileAsked = () => system.bookings.cancel(id, person);
    await system.access.request(jobFor(id));
    expect(system.state.codes.size).toBe(1);
    await system.jobs.drain();
    expect(system.state.codes.size).toBe(0);
  });

  test('of a booking that is not paid for, or of none, is neither shown nor made', async () => {
    const person = await addPerson(db);
    const { bookingId } = await system.bookings.hold(system.request(person));
    for (const ask of [system.access.show, system.access.ensure, (id: string) => system.access.renew(id, null)]) {
      await expect(ask(bookingId)).rejects.toMatchObject({
        code: 'not_confirmed',
        message: 'This booking is not paid for yet.',
      });
      await expect(ask(randomUUID())).rejects.toMatchObject({ code: 'not_found', message: 'Booking not found' });
    }
    expect(await system.access.request(jobFor(bookingId))).toBe('done');
    expect(system.state.asked).toEqual([]);
  });

  test('that was used is remembered with the first moment, and taken out of the lock; other digits change nothing', async () => {
    const { id, start, pin } = await released();
    const usedAt = async () =>
      (
        await db.one<{ at: Date | null }>(
          'select used_at as at from public.booking_access_codes where booking_id = $1',
          [id],
        )
      )?.at;
    system.state.now = start;
    await system.access.used(LOCK, '000000', new Date(start));
    await system.access.used('another-lock', pin, new Date(start));
    expect(await usedAt()).toBeNull();
    await system.access.used(LOCK, pin, new Date(start));
    await system.access.used(LOCK, pin, new Date(start + MINUTE));
    expect(await usedAt()).toEqual(new Date(start));
    await system.jobs.drain();
    expect(system.state.revoked).toEqual([`${LOCK}:${pin}`]);
  });
});

describe('a new code', () => {
  test('takes the place of the one before, any number of times, half a minute apart', async () => {
    const { id, person, pin } = await released();
    let before = pin;
    for (const [round, left] of [
      [1, 18],
      [2, 17],
      [3, 16],
    ] as const) {
      const shown = await system.access.renew(id, person);
      expect(shown).toMatchObject({ codesLeft: left, nextCodeAt: new Date(system.state.now + 30_000) });
      expect(shown.pin).not.toBe(before);
      await expect(system.access.renew(id, person)).rejects.toMatchObject({
        code: 'code_wait',
        message: 'Please wait 30 seconds before making another code.',
        details: { seconds: 30 },
      });
      await system.jobs.drain();
      expect([...system.state.codes.keys()]).toEqual([`${LOCK}:${shown.pin}`]);
      expect(system.state.revoked).toHaveLength(round);
      before = shown.pin ?? '';
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
    const audit = await db.one(
      `select l.actor as "by", l.details ->> 'attempt' as attempt from public.audit_logs l
       join public.booking_access_codes c on c.id::text = l.resource_id
       where l.action = 'update' and l.resource_type = 'access_code' and c.booking_id = $1 and c.attempt = 4`,
      [id],
    );
    expect(audit).toEqual({ by: person, attempt: '4' });
  });

  test('is refused before the release, after the end, and when twenty were made', async () => {
    const { id, person, start, end } = await booked();
    await expect(system.access.renew(id, person)).rejects.toMatchObject({
      code: 'code_not_released',
      details: { releaseAt: new Date(start - 15 * MINUTE) },
    });
    system.state.now = start;
    await system.access.ensure(id);
    await db.query('update public.booking_access_codes set attempt = 20 where booking_id = $1', [id]);
    system.state.now += MINUTE;
    await expect(system.access.renew(id, person)).rejects.toMatchObject({
      code: 'code_limit',
      message: 'No more codes can be made for this session. Please contact us.',
    });
    expect(await system.access.show(id)).toMatchObject({ codesLeft: 0 });
    system.state.now = end;
    await expect(system.access.renew(id, person)).rejects.toMatchObject({
      code: 'session_ended',
      message: 'Session has ended',
    });
  });

  test('that the lock refuses leaves the one before working', async () => {
    const { id, person, pin } = await released();
    system.state.lockFails = wantsNo;
    await expect(system.access.renew(id, person)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'The lock cannot be reached right now. Please try again in a moment.',
    });
    expect(system.logged).toEqual(['a new door code could not be made']);
    expect(system.logFields).toEqual([{ booking: id, provider: 'igloohome', reason: 'refused' }]);
    system.state.lockFails = null;
    await system.jobs.drain();
    expect(await system.access.show(id)).toMatchObject({ pin });
    expect([...system.state.codes.keys()]).toEqual([`${LOCK}:${pin}`]);
    system.state.now += 30_000;
    expect((await system.access.renew(id, person)).pin).not.toBe(pin);
  });

  test('whose answer was lost is asked for again with the same digits, without a wait', async () => {
    const { id, person, pin } = await released();
    system.state.lockFails = noAnswer;
    await expect(system.access.renew(id, person)).rejects.toMatchObject({ code: 'provider_unavailable' });
    system.state.lockFails = null;
    const shown = await system.access.renew(id, person);
    expect(shown.pin).not.toBe(pin);
    const [, lost, again] = system.state.asked;
    expect(again).toEqual(lost);
    expect(shown.pin).toBe(lost?.pin);
  });
});

describe('a lock that makes up its own digits and cannot forget them', () => {
  const oneTime = {
    mode: 'onetime',
    granularityMinutes: 60,
    singleUse: true,
    endEnforced: false,
    revocable: false,
    codesPerWindow: 2,
  } as const;

  test('is handed no digits, gives another code per number, and no more than it has for the same hours', async () => {
    await begin(oneTime);
    const { id, person, start, pin } = await released();
    expect(pin).toMatch(/^7\d{8}$/);
    expect(await system.access.show(id)).toMatchObject({
      worksFrom: new Date(start),
      worksUntil: new Date(start + 24 * HOUR),
      codesLeft: 4,
      mode: 'onetime',
      singleUse: true,
    });
    const second = await system.access.renew(id, person);
    expect(second.pin).not.toBe(pin);
    expect(system.state.asked.map(({ pin: given, variant }) => ({ given, variant }))).toEqual([
      { given: '', variant: 1 },
      { given: '', variant: 2 },
    ]);
    system.state.now += MINUTE;
    await expect(system.access.renew(id, person)).rejects.toMatchObject({
      code: 'code_limit',
      message: 'No more codes can be made for this session. Please contact us.',
    });
    expect(await system.access.show(id)).toMatchObject({ pin: second.pin });
  });

  test('alerts a person to a code that outlives its cancelled booking, and to none after its end', async () => {
    await begin(oneTime);
    const { id, person } = await booked();
    await system.access.request(jobFor(id));
    const before = await alerts();
    await system.bookings.cancel(id, person);
    await system.jobs.drain();
    expect(await alerts()).toBe(before + 1);
    expect(system.state.revoked).toEqual([]);
    await begin(oneTime);
    const other = await released();
    system.state.now = other.start + 24 * HOUR;
    await system.jobs.drain();
    expect(await alerts()).toBe(before + 1);
    await expect(system.access.show(other.id)).resolves.toMatchObject({ pin: null, pinId: null });
  });

  test('is not asked to forget a code that was used', async () => {
    await begin(oneTime);
    const { start, pin } = await released();
    system.state.now = start;
    await system.access.used(LOCK, pin, new Date(start));
    const { rows } = await db.query(`select 1 from private.outbox where dedupe like 'used:%'`);
    expect(rows).toEqual([]);
  });
});
