import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { answerIncident } from '#server/operations/incidents/answer-incident.ts';
import { admitAtDoor } from '#server/operations/incidents/admit-at-door.ts';
import { askForDoorHelp, readDoorHelp } from '#server/operations/incidents/door-help.ts';
import { changeIncident, readIncidents, reportIncident } from '#server/operations/incidents/incidents.ts';
import { rateSession } from '#server/operations/incidents/rate-session.ts';
import { reportProblem } from '#server/operations/incidents/report-problem.ts';
import { PIN_LINK } from '#server/operations/mails/booking-mail.ts';
import { followSessions, switchLightsJob } from '#server/operations/power/follow-sessions.ts';
import { readLights } from '#server/operations/power/read-lights.ts';
import { readSession, readSessionLights, switchSessionLights } from '#server/operations/power/session-lights.ts';
import type { Services } from '#server/operations/core/services.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Power } from '#server/providers/ports.ts';
import { addPerson, embedded, HOUR, LOCK, MINUTE, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';
import { readAudit, readJobs } from './records.ts';

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

/** Returns a plug that obeys; while `failing` is set, it does not answer. */
function createPlug(): { power: Power; switched: boolean[]; failing: Error | null } {
  const plug = { switched: [] as boolean[], failing: null as Error | null };
  const answer = async <T>(value: T): Promise<T> => {
    if (plug.failing) throw plug.failing;
    return value;
  };
  const power: Power = {
    set: (on) => answer(on).then((given) => void plug.switched.push(given)),
    pulse: () => Promise.resolve(),
    isOn: () => answer(plug.switched.at(-1) === true),
  };
  return Object.assign(plug, { power });
}

let plug: ReturnType<typeof createPlug>;
let services: Services;
let person: string;
let booking: { id: string; start: number; end: number };
beforeEach(async () => {
  cases = await createPaymentCases(db);
  await db.query('delete from private.incident');
  await db.query('delete from private.lock_event');
  await db.query('delete from private.light_state');
  plug = createPlug();
  services = { ...cases.system.services, plugs: new Map([['', plug.power]]) };
  person = await addPerson(db);
  const span = cases.system.nextSpan(2);
  booking = {
    id: (await cases.system.book(person, span)).id,
    start: span.startTime.getTime(),
    end: span.endTime.getTime(),
  };
});

/** Moves the clock to `minutes` after the start of the booking. */
const goTo = (minutes: number): void => void (cases.system.state.now = booking.start + minutes * MINUTE);
/** Books the hours after the booking for another customer. */
const bookNext = async (): Promise<{ id: string }> =>
  cases.system.book(await addPerson(db), { startTime: new Date(booking.end), endTime: new Date(booking.end + HOUR) });

describe('the lights of a session', () => {
  const lights = (on: boolean, actor: string | null = person) =>
    switchSessionLights(services, { bookingId: booking.id, on }, actor);

  test('can be switched from 5 minutes before it until 10 after, with an entry in the audit log', async () => {
    goTo(-5.01);
    const early = {
      code: 'too_early',
      message: 'You can switch the lights from 5 minutes before your session.',
    };
    await expect(lights(true)).rejects.toMatchObject(early);
    await expect(readSessionLights(services, booking.id)).rejects.toMatchObject(early);
    goTo(-5);
    expect(await lights(true)).toEqual({ on: true, allowed: { on: true, off: true } });
    expect(await readSessionLights(services, booking.id)).toEqual({ on: true, allowed: { on: true, off: true } });
    goTo(129.9);
    expect(await lights(false, null)).toEqual({ on: false, allowed: { on: true, off: true } });
    expect(plug.switched).toEqual([true, false]);
    goTo(130);
    await expect(lights(true)).rejects.toMatchObject({ code: 'session_ended', message: 'Your session has ended.' });
    const { rows } = await db.query(
      `select actor, details from public.audit_logs where resource_type = 'power' and details ->> 'bookingId' = $1 order by created_at, id`,
      [booking.id],
    );
    expect(rows).toEqual([
      { actor: person, details: { on: true, bookingId: booking.id } },
      { actor: null, details: { on: false, bookingId: booking.id } },
    ]);
  });

  test('stay as they are while the next session needs them, and its customer is told that somebody follows', async () => {
    expect(await readSession(services, booking.id)).toEqual({
      studioId: STUDIO,
      startTime: new Date(booking.start),
      endTime: new Date(booking.end),
      lights: true,
      followed: false,
    });
    await bookNext();
    expect(await readSession({ ...services, plugs: new Map() }, booking.id)).toMatchObject({
      lights: false,
      followed: true,
    });
    goTo(115);
    const inUse = { code: 'lights_in_use', message: 'Someone else needs these lights now, so they stay as they are.' };
    await expect(lights(false)).rejects.toMatchObject(inUse);
    expect(await lights(true)).toMatchObject({ on: true, allowed: { on: true, off: false } });
    goTo(121);
    await expect(lights(true)).rejects.toMatchObject(inUse);
    expect(plug.switched).toEqual([true]);
  });

  test('go on again when another session begins its minutes while they are switched off', async () => {
    await bookNext();
    goTo(114);
    const { set } = plug.power;
    plug.power.set = async (on) => {
      await set(on);
      goTo(116);
    };
    await expect(lights(false)).rejects.toMatchObject({
      code: 'lights_in_use',
      message: 'Someone else needs these lights now, so they stay as they are.',
    });
    expect(plug.switched).toEqual([false, true]);
  });

  test('are unknown while the plug does not answer, and cannot be switched without a plug', async () => {
    goTo(0);
    plug.failing = new ProviderError('plug', 'no_response', { retryable: true });
    expect(await readSessionLights(services, booking.id)).toEqual({ on: null, allowed: { on: true, off: true } });
    await expect(lights(true)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'We can’t reach the smart plug.',
    });
    plug.failing = new Error('an error of our own');
    await expect(readSessionLights(services, booking.id)).rejects.toBe(plug.failing);
    services = { ...services, plugs: new Map() };
    await expect(lights(true)).rejects.toMatchObject({
      code: 'not_configured',
      message: 'The lights of this room can’t be switched from here.',
    });
    await expect(readSession(services, randomUUID())).rejects.toMatchObject({
      code: 'not_found',
      message: 'Booking not found',
    });
  });

  test('follow the sessions by a job, which leaves alone a plug that is gone and tries again when it is stuck or the wish changes', async () => {
    const follow = async () => {
      await followSessions(services);
      return (await readJobs(db, 'power.follow')).map(({ subjectId }) => subjectId);
    };
    await follow();
    await db.query('delete from private.outbox');
    goTo(-5);
    const [subject = ''] = await follow();
    const run = (by: Services = services) => switchLightsJob.handle(by, { subjectId: subject } as never);
    expect(await run()).toBe('done');
    expect(plug.switched).toEqual([true]);
    expect(await run({ ...services, plugs: new Map() })).toEqual({ closed: 'The plug is no longer set up.' });
    const { isOn } = plug.power;
    plug.power.isOn = () => Promise.resolve(false);
    await expect(run()).rejects.toMatchObject({ reason: 'did_not_switch', retryable: true });
    plug.power.isOn = async () => {
      await db.query('update private.light_state set wanted = not wanted');
      return true;
    };
    await expect(run()).rejects.toMatchObject({ reason: 'wish_changed', retryable: true });
    plug.power.isOn = isOn;
    await db.query('delete from private.light_state');
    expect(await run()).toEqual({ closed: 'The plug is no longer set up.' });
  });

  test('are listed for staff by plug, with their rooms', async () => {
    await db.query('update public.studios set active = id = $1::uuid', [STUDIO]);
    const ask = (isOn: () => Promise<boolean>) =>
      isOn().catch((error: unknown) => {
        if (error !== plug.failing) throw error;
        return null;
      });
    const rooms = [{ studioId: STUDIO, studioName: 'Studio' }];
    expect(await readLights(services, ask)).toEqual([{ plug: null, rooms, isSetUp: true, on: false }]);
    plug.failing = new Error('no answer');
    expect(await readLights(services, ask)).toEqual([{ plug: null, rooms, isSetUp: true, on: null }]);
    expect(await readLights({ ...services, plugs: new Map() }, ask)).toEqual([]);
    await db.query(`insert into private.studio_plug (studio_id, plug) values ($1::uuid, 'Green')`, [STUDIO]);
    expect(await readLights(services, ask)).toEqual([{ plug: 'Green', rooms, isSetUp: false, on: null }]);
    const named = new Map([['Green', createPlug().power]]);
    expect(await readLights({ ...services, plugs: named }, ask)).toEqual([
      { plug: 'Green', rooms, isSetUp: true, on: false },
    ]);
    await db.query('delete from private.studio_plug');
  });
});

describe('help at a door', () => {
  const read = (guestId: string | null = null) => readDoorHelp(services, booking.id, guestId);
  const report = (kind: string, minutes: number) =>
    db.query('insert into private.lock_event (lock_id, kind, at) values ($1, $2, $3::timestamptz)', [
      LOCK,
      kind,
      new Date(booking.start + minutes * MINUTE),
    ]);
  const words = async (): Promise<string> =>
    (await db.queryRow<{ text: string }>('select description as text from private.incident'))?.text ?? '';
  const reference = async (): Promise<string> =>
    (
      await db.queryRow<{ reference: string }>('select reference from private.booking where id = $1::uuid', [
        booking.id,
      ])
    )?.reference ?? '';

  test('is given from 15 minutes before the code works until the end of the session', async () => {
    goTo(-60);
    const refusal = await read().catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'code_not_released',
      message: expect.stringMatching(/^Your code works from \d.* \(Sydney time\)\.$/),
    });
    await expect(askForDoorHelp(services, booking.id, { reporter: person })).rejects.toMatchObject({
      code: 'code_not_released',
    });
    const [, hour, minute = '0', half] = /from (\d+)(?::(\d+))? (am|pm)/.exec((refusal as Error).message) ?? [];
    const works = (Number(hour) % 12) + (half === 'pm' ? 12 : 0) + Number(minute) / 60;
    const starts = new Date(booking.start).getUTCHours() + 11;
    goTo((works - starts) * 60 - 15.01);
    await expect(read()).rejects.toMatchObject({ code: 'code_not_released' });
    goTo((works - starts) * 60 - 15);
    expect(await read()).toMatchObject({ held: false, asked: false });
    goTo(119.9);
    await read();
    goTo(120);
    await expect(read()).rejects.toMatchObject({ code: 'session_ended', message: 'Session has ended' });
    await expect(readDoorHelp(services, randomUUID())).rejects.toMatchObject({ code: 'not_found' });
  });

  test('tells staff once what the lock says, with an audit entry and a mail for each who may open doors', async () => {
    goTo(2);
    await report('wrong_code', 1);
    await report('code', 1.5);
    const answer = {
      online: null,
      hasCode: false,
      wrongAt: expect.any(String),
      openedAt: expect.any(String),
      held: false,
    };
    expect(await askForDoorHelp(services, booking.id, { reporter: person })).toEqual({ ...answer, asked: true });
    expect(await read()).toEqual({ ...answer, asked: true });
    await askForDoorHelp(services, booking.id, { reporter: person });
    const { rows } = await db.query<{ id: string }>('select * from private.incident');
    expect(rows).toMatchObject([
      {
        kind: 'door',
        state: 'open',
        studio_id: STUDIO,
        booking_id: booking.id,
        reporter: person,
        created_at: new Date(booking.start + 2 * MINUTE),
      },
    ]);
    expect(await words()).toMatch(
      new RegExp(
        `^The door of Studio does not open for booking ${await reference()}\\. We don’t know whether the lock is online\\. It has not accepted a code\\. A wrong code was entered at \\d+:01 [ap]m\\. It was last opened at \\d+:01 [ap]m\\.$`,
      ),
    );
    expect(await readAudit(db, rows[0]?.id ?? '')).toEqual([
      { actor: person, action: 'create', details: { after: { state: 'open' }, kind: 'door', bookingId: booking.id } },
    ]);
    expect(await readJobs(db, 'mail.door-help')).toMatchObject([{ subjectId: rows[0]?.id, payload: { staff } }]);
    await changeIncident(services, { incidentId: rows[0]?.id ?? '', state: 'done' }, staff);
    expect(await read()).toMatchObject({ asked: false });
  });

  test.each([
    [true, 'The lock is online.'],
    [false, 'The lock is not responding.'],
  ])('says in words that the lock is online: %s', async (online, sentence) => {
    goTo(0);
    await db.query(
      `insert into private.lock_state (studio_id, lock_id, online, checked_at, offline_since)
       values ($1::uuid, $2, $3, $4::timestamptz, case when not $3 then $4::timestamptz end)`,
      [STUDIO, LOCK, online, new Date(booking.start)],
    );
    await askForDoorHelp(services, booking.id, { reporter: null, guestId: randomUUID() });
    expect(await words()).toMatch(
      new RegExp(`does not open for booking \\S+ A guest of the booking asked for help\\. ${sentence} It has `),
    );
    await db.query('delete from private.lock_state');
  });

  test('says in words that the lock has accepted the code', async () => {
    await db.query(
      `insert into public.booking_access_codes (booking_id, attempt, mode, status, starts_at, ends_at, release_at, issued_at)
       values ($1::uuid, 1, 'bridge', 'issued', $2::timestamptz, $3::timestamptz, $2::timestamptz, $2::timestamptz)`,
      [booking.id, new Date(booking.start), new Date(booking.end)],
    );
    goTo(1);
    expect(await read()).toMatchObject({ hasCode: true });
    await askForDoorHelp(services, booking.id, { reporter: person });
    expect(await words()).toMatch(/ It has accepted the code\.$/);
  });

  test('admits the owner and whoever has the link of the code mail', async () => {
    const admit = (userId: string | null, token: string | null = null) =>
      admitAtDoor(services, { userId }, { bookingId: booking.id, token, need: 'see your door' });
    await admit(person);
    const token = (id: string) => services.links.sign(PIN_LINK, id, new Date(booking.end));
    await admit(null, token(booking.id));
    await admit(person, 'forged');
    await expect(admit(null)).rejects.toMatchObject({
      code: 'not_signed_in',
      message: 'Please sign in to see your door.',
    });
    await expect(admit(null, token(randomUUID()))).rejects.toMatchObject({ code: 'not_signed_in' });
    await expect(admit(await addPerson(db))).rejects.toMatchObject({ code: 'not_found', message: 'Booking not found' });
    await expect(admit(staff, token(randomUUID()))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('lists for staff how long the door stayed closed and what that is of the price', async () => {
    goTo(10);
    await askForDoorHelp(services, booking.id, { reporter: person });
    goTo(40);
    const [incident] = await readIncidents(services);
    expect(incident).toMatchObject({
      kind: 'door',
      state: 'open',
      studioName: 'Studio',
      reporter: 'Alex Citizen',
      reference: await reference(),
      booking: { id: booking.id, reference: await reference(), closedMinutes: 30, backCents: 3_000, refunded: false },
    });
    expect(incident?.booking).not.toHaveProperty('finalCents');
    await report('code', 20);
    expect((await readIncidents(services))[0]?.booking).toMatchObject({ closedMinutes: 10 });
  });
});

describe('incidents of a room', () => {
  const room = (more: object = {}) => ({
    studioId: STUDIO,
    description: 'Broken',
    photos: [],
    requestId: 'r',
    ...more,
  });

  test('are stored once for each request, with an audit entry, and change their state', async () => {
    const id = await reportIncident(services, room(), staff);
    expect(await reportIncident(services, room(), staff)).toBe(id);
    expect(await reportIncident(services, room({ requestId: 's', studioId: null }), staff)).not.toBe(id);
    expect(await readIncidents(services)).toHaveLength(2);
    await changeIncident(services, { incidentId: id, state: 'in_progress' }, staff);
    await changeIncident(services, { incidentId: id, state: 'in_progress' }, person);
    expect(await readAudit(db, id)).toEqual([
      {
        actor: staff,
        action: 'create',
        details: { after: { state: 'open' }, studioId: STUDIO, photos: 0, description: 'Broken' },
      },
      { actor: staff, action: 'update', details: { before: { state: 'open' }, after: { state: 'in_progress' } } },
    ]);
    expect((await readIncidents(services)).find((incident) => incident.id === id)).toMatchObject({
      kind: 'room',
      state: 'in_progress',
      description: 'Broken',
      booking: null,
      changedBy: 'Alex Citizen',
      changedAt: services.clock(),
    });
  });

  test('are refused for an unknown room, an unknown photo, and when they do not exist', async () => {
    await expect(reportIncident(services, room({ studioId: randomUUID() }), staff)).rejects.toMatchObject({
      code: 'not_found',
      message: 'Studio not found',
    });
    await expect(reportIncident(services, room({ photos: ['a.jpg'] }), staff)).rejects.toMatchObject({
      code: 'not_found',
      message: 'The photo was not found. Add it again.',
    });
    await expect(changeIncident(services, { incidentId: randomUUID(), state: 'done' }, staff)).rejects.toMatchObject({
      code: 'not_found',
      message: 'Incident not found',
    });
  });
});

describe('reports of a session', () => {
  const report = (more: object = {}, customer = person) =>
    reportProblem(
      services,
      {
        bookingId: booking.id,
        kind: 'problem',
        category: 'sound',
        description: 'Hum',
        photos: [],
        requestId: 'r',
        ...more,
      },
      customer,
    );

  test('are taken from the release of the code until a week after, of lost property a month', async () => {
    goTo(-24 * 60);
    await expect(report()).rejects.toMatchObject({
      code: 'too_early',
      message: expect.stringMatching(/^You can report something from \d.* \(Sydney time\)\.$/),
    });
    goTo(0);
    const id = await report();
    expect(await report()).toBe(id);
    expect(await readAudit(db, id)).toMatchObject([
      { actor: person, action: 'create', details: { kind: 'problem', category: 'sound', bookingId: booking.id } },
    ]);
    expect(JSON.stringify(await readAudit(db, id))).not.toContain('Hum');
    goTo(120 + 7 * 24 * 60);
    await expect(report({ requestId: 's' })).rejects.toMatchObject({
      code: 'too_late',
      message: 'That session was a while ago. Please email us.',
    });
    await report({ kind: 'lost', category: null, requestId: 's' });
    await expect(report({ requestId: 't' }, staff)).rejects.toMatchObject({
      code: 'not_found',
      message: 'Booking not found',
    });
  });

  test('are at most ten for a booking', async () => {
    goTo(0);
    for (let count = 0; count < 10; count += 1) await report({ requestId: `r${count}` });
    await expect(report({ requestId: 'one more' })).rejects.toMatchObject({
      code: 'too_many_requests',
      message: 'You’ve already told us a lot about this session. Please email us.',
    });
    await report({ requestId: 'r9' });
  });

  test('are answered once with a mail and an audit entry without the words', async () => {
    goTo(0);
    const id = await report();
    const answer = (more: object = {}) =>
      answerIncident(services, { incidentId: id, answer: 'Fixed', state: 'done', outcome: null, ...more }, staff);
    await answer();
    await answer();
    expect(
      await db.queryRow('select answer, answered_by, answered_at, state, changed_by from private.incident'),
    ).toEqual({
      answer: 'Fixed',
      answered_by: staff,
      answered_at: services.clock(),
      state: 'done',
      changed_by: staff,
    });
    expect((await readAudit(db, id)).slice(1)).toEqual([
      {
        actor: staff,
        action: 'update',
        details: { before: { state: 'open', outcome: null }, after: { state: 'done', outcome: null, answered: true } },
      },
    ]);
    expect(await readJobs(db, 'mail.incident-answer')).toHaveLength(1);
    await cases.system.jobs.drain();
    expect(cases.system.mails.filter(({ text }) => text.includes('Fixed'))).toHaveLength(1);
    goTo(1);
    await answer({ answer: 'Fixed again' });
    expect(await readJobs(db, 'mail.incident-answer')).toHaveLength(2);
    await expect(answer({ outcome: 'found' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Only lost property can be marked as found or returned.',
      details: { field: 'outcome' },
    });
    const lost = await report({ kind: 'lost', category: null, requestId: 'lost' });
    await answer({ incidentId: lost, outcome: 'found' });
    await answer({ incidentId: lost, outcome: 'returned' });
    expect((await readIncidents(services)).find((incident) => incident.id === lost)).toMatchObject({
      outcome: 'returned',
    });
  });

  test('of staff have no customer to answer', async () => {
    const id = await reportIncident(
      services,
      { studioId: STUDIO, description: 'Broken', photos: [], requestId: null },
      staff,
    );
    await expect(
      answerIncident(services, { incidentId: id, answer: 'Fixed', state: 'done', outcome: null }, staff),
    ).rejects.toMatchObject({ code: 'not_found', message: 'Report not found' });
  });
});

describe('ratings', () => {
  const rate = (score: number, words: string | null = null, customer = person) =>
    rateSession(services, { bookingId: booking.id, score, words }, customer);

  test('are taken after the session, and can change for a week', async () => {
    goTo(119.9);
    await expect(rate(5)).rejects.toMatchObject({
      code: 'too_early',
      message: 'You can tell us how it was once the session is over.',
    });
    goTo(120);
    await rate(5, 'Great');
    await rate(5, 'Great');
    await rate(4, 'Great');
    expect(await readAudit(db, booking.id)).toEqual(
      expect.arrayContaining([
        { actor: person, action: 'create', details: { after: { score: 5 } } },
        { actor: person, action: 'update', details: { before: { score: 5 }, after: { score: 4 } } },
      ]),
    );
    expect(JSON.stringify(await readAudit(db, booking.id))).not.toContain('Great');
    goTo(120 + 7 * 24 * 60 - 1);
    await rate(4, 'Good');
    expect(await db.queryRow('select score, words, user_id as customer from private.rating')).toEqual({
      score: 4,
      words: 'Good',
      customer: person,
    });
    goTo(120 + 7 * 24 * 60);
    await expect(rate(1)).rejects.toMatchObject({
      code: 'too_late',
      message: 'You can change a rating for a week. After that, please email us.',
    });
    await expect(rate(1, null, staff)).rejects.toMatchObject({ code: 'not_found', message: 'Booking not found' });
  });
});
