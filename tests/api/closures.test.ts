import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { addDays, studioDate } from '#rules/studio-time.ts';
import { checkout, type Customer, span, STUDIO_A, STUDIO_B, type TestServer } from '#tests/support/test-server.ts';

const STUDIO_C = '5a000000-0000-4000-8000-00000000000c';
const DAY_MS = 24 * 3_600_000;
const RACES = process.env['TEST_LONG'] ? 1_000 : 30;

describe.each(engines)('closures on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  let customer: Customer;
  let hoursAhead = 24 * 30;
  beforeAll(async () => {
    server = await open();
    [staff, customer] = [await server.addCustomer(), await server.addCustomer()];
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff.id]);
  }, 180_000);
  afterAll(() => server.close());
  beforeEach(() => (hoursAhead += 30));

  const close = (more: Record<string, unknown> = {}) =>
    server.call(
      'staff-close',
      { studioId: STUDIO_A, ...span(server.now(), hoursAhead, 3), reason: 'New mixer', public: false, ...more },
      staff.token,
    );
  const reopen = (closureId: unknown, more: Record<string, unknown> = {}) =>
    server.call('staff-reopen', { closureId, ...more }, staff.token);
  const hold = (hours = 0, studioId = STUDIO_A) =>
    server.call('create-payment', checkout(span(server.now(), hoursAhead + hours), {}, studioId), customer.token);
  const spans = (closureId: unknown) =>
    server.app.db
      .query<{ studio: string; start: Date; end: Date }>(
        `select studio_id as studio, start_time as start, end_time as end from private.closed_span
         where closure_id = $1::uuid order by start_time, studio_id`,
        [closureId],
      )
      .then(({ rows }) => rows);

  it('a closed hour cannot be held, the hour before, the hour after and another studio can', async () => {
    expect((await close()).status).toBe(200);
    for (const hour of [0, 1, 2])
      expect(await hold(hour)).toMatchObject({ status: 409, body: { error: { code: 'slot_closed' } } });
    for (const [hour, studio] of [[-1], [3], [1, STUDIO_B]] as const)
      expect((await hold(hour, studio)).status).toBe(200);
  });

  it('hours that are booked or held cannot be closed, and the answer names each booking in the way', async () => {
    const held = await hold(1);
    const refused = await close();
    expect(refused.status).toBe(409);
    expect(refused.body['error']).toMatchObject({
      code: 'slot_taken',
      bookings: [{ id: held.body['bookingId'], reference: held.body['reference'], status: 'pending' }],
    });
    expect((await close({ studioId: null })).status).toBe(409);
    expect((await close({ studioId: STUDIO_B })).status).toBe(200);
  });

  it('hours of more than 366 days cannot be closed', async () => {
    const refused = await close({ studioId: STUDIO_C, ...span(server.now(), hoursAhead, 366 * 24 + 1) });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
    expect(refused.body['error']).toMatchObject({ message: 'A closure can be at most a year long.' });
  });

  it('a closure of all studios closes each, sent again it is the same one, and reopened all can be booked', async () => {
    const first = await close({ studioId: null });
    expect(await close({ studioId: null })).toEqual(first);
    expect((await spans(first.body['closureId'])).length).toBe(3);
    expect((await hold(0, STUDIO_B)).body).toMatchObject({ error: { code: 'slot_closed' } });
    for (let times = 0; times < 2; times += 1)
      expect(await reopen(first.body['closureId'])).toMatchObject({ status: 200, body: { reopened: true } });
    expect(await spans(first.body['closureId'])).toEqual([]);
    expect((await hold(0, STUDIO_B)).status).toBe(200);
    const { rows } = await server.app.db.query(
      `select action, actor from public.audit_logs where resource_id = $1 order by created_at`,
      [first.body['closureId']],
    );
    expect(rows).toEqual([
      { action: 'create', actor: staff.id },
      { action: 'delete', actor: staff.id },
    ]);
  });

  it('a weekly closure keeps its time of day in Sydney over the change of clocks', async () => {
    // Monday 21 September 2026, 9 to 11 am; the clocks go forward on 4 October.
    const time = { startTime: '2026-09-21T09:00:00+10:00', endTime: '2026-09-21T11:00:00+10:00' };
    await server.app.db.query(`select private.close_hours($1::jsonb, $2::uuid, '2026-01-01')`, [
      { studioId: STUDIO_A, ...time, weeks: 3, reason: 'Cleaning', public: true },
      staff.id,
    ]);
    const { rows } = await server.app.db.query<{ start: string }>(
      `select to_char(start_time at time zone 'UTC', 'DD Mon HH24:MI') as start from private.closed_span
       where start_time between '2026-09-20' and '2026-10-20' order by start_time`,
    );
    expect(rows.map(({ start }) => start)).toEqual(['20 Sep 23:00', '27 Sep 23:00', '04 Oct 22:00']);
  });

  const WEEK_MS = 7 * 86_400_000;
  const later = (time: string, weeks: number): string => new Date(Date.parse(time) + weeks * WEEK_MS).toISOString();
  const audited = (closureId: unknown) =>
    server.app.db
      .query<{ action: string; before: unknown[] | null; after: unknown[] | null }>(
        `select action, details -> 'before' -> 'starts' as before, details -> 'after' -> 'starts' as after
         from public.audit_logs where resource_id = $1 order by created_at`,
        [closureId],
      )
      .then(({ rows }) => rows);

  it('repeatUntil closes the hours each week until that day, which counts', async () => {
    const { startTime } = span(server.now(), hoursAhead, 3);
    const lastDay = studioDate(new Date(later(startTime, 2)));
    const { body } = await close({ repeatUntil: lastDay });
    expect((await spans(body['closureId'])).map(({ start }) => start.toISOString())).toEqual(
      [0, 1, 2].map((weeks) => later(startTime, weeks)),
    );
    expect((await close({ studioId: STUDIO_B, repeatUntil: addDays(lastDay, -1) })).status).toBe(200);
    for (const wrong of [
      { repeatUntil: '2020-01-01' },
      { repeatUntil: lastDay, weeks: 2 },
      { repeatUntil: addDays(lastDay, 7 * 104) },
    ])
      expect(await close(wrong)).toMatchObject({ status: 400, body: { error: { field: 'repeatUntil' } } });
  });

  it('a closure without an end gets the weeks that come into reach, leaves out booked hours, and ends when it is reopened with all that follow', async () => {
    const request = { studioId: null, endless: true };
    const created = await close(request);
    const id = created.body['closureId'];
    expect(await close(request)).toEqual(created);
    expect(await close({ ...request, weeks: 3 })).toMatchObject({ status: 400 });
    expect(await close({ ...request, ...span(server.now(), -200, 3) })).toMatchObject({ status: 400 });
    const starts = async () => [...new Set((await spans(id)).map(({ start }) => start.getTime()))];
    const first = await starts();
    expect([first.length, (await spans(id)).length]).toEqual([54, 162]);
    // The clocks may change within this time.
    const week = 7 * DAY_MS;
    const upTo = (weeks: number) =>
      server.app.db.queryRow('select private.extend_closures($1::timestamptz)', [
        new Date((first[0] ?? 0) + weeks * week + DAY_MS),
      ]);
    // Simulates a setting that allowed a booking very far ahead.
    await server.app.db.query(
      `insert into private.booking (reference, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       select private.new_reference(), $1::uuid, 'Studio', private.weeks_later(c.start_time, 55), private.weeks_later(c.start_time, 55) + interval '1 hour', c.start_time, 1, 0, 0
       from private.closure c where c.id = $2::uuid`,
      [STUDIO_A, id],
    );
    await upTo(53);
    expect((await starts()).length).toBe(54);
    await upTo(56);
    await upTo(56);
    const wall = new Set(
      (await spans(id)).map(({ start }) =>
        new Date(start).toLocaleTimeString('en-AU', { timeZone: 'Australia/Sydney' }),
      ),
    );
    expect([(await starts()).length, (await spans(id)).length, wall.size]).toEqual([57, 170, 1]);
    const read = await server.client().from('closed_hours').select('endless').eq('closure_id', String(id)).limit(1);
    expect(read.data).toEqual([{ endless: true }]);
    const second = new Date(first[1] ?? 0).toISOString();
    expect((await reopen(id, { startTime: second })).status).toBe(200);
    await upTo(57);
    expect((await starts()).length).toBe(57);
    const third = new Date(first[2] ?? 0).toISOString();
    expect((await reopen(id, { startTime: third, following: true })).status).toBe(200);
    await upTo(60);
    expect(await starts()).toEqual(first.slice(0, 1));
    expect((await reopen(id)).status).toBe(200);
    await upTo(60);
    expect(await starts()).toEqual([]);
  });

  it('one week of a closure is reopened, then all that follow another; the same calls again change nothing', async () => {
    const { startTime } = span(server.now(), hoursAhead, 3);
    const starts = [0, 1, 2, 3].map((weeks) => later(startTime, weeks));
    const readRemaining = async () => (await spans(closureId)).map(({ start }) => start.toISOString());
    const closureId = (await close({ weeks: 4 })).body['closureId'];
    for (let times = 0; times < 2; times += 1)
      expect((await reopen(closureId, { startTime: starts[1] })).status).toBe(200);
    expect(await readRemaining()).toEqual([starts[0], starts[2], starts[3]]);
    for (let times = 0; times < 2; times += 1)
      expect((await reopen(closureId, { startTime: starts[1], following: true })).status).toBe(200);
    expect(await readRemaining()).toEqual([starts[0]]);
    expect(
      (await audited(closureId)).map(({ action, before, after }) => [action, before?.length, after?.length]),
    ).toEqual([
      ['create', undefined, undefined],
      ['update', 4, 3],
      ['update', 3, 1],
    ]);
    expect((await reopen(closureId, { startTime: starts[0] })).status).toBe(200);
    expect((await audited(closureId)).at(-1)?.action).toBe('delete');
    expect((await reopen(closureId, { startTime: later(startTime, 9) })).status).toBe(404);
    expect((await reopen(closureId, { following: true })).status).toBe(400);
  });

  it('the same closure again closes the weeks that were reopened, unless a booking took their hours', async () => {
    const { startTime } = span(server.now(), hoursAhead, 3);
    const first = await close({ weeks: 2 });
    await reopen(first.body['closureId'], { startTime });
    const held = await hold(1);
    expect(held.status).toBe(200);
    expect(await close({ weeks: 2 })).toMatchObject({ status: 409, body: { error: { code: 'slot_taken' } } });
    await server.call('release-hold', { bookingId: held.body['bookingId'] }, customer.token);
    expect(await close({ weeks: 2 })).toEqual(first);
    expect((await spans(first.body['closureId'])).length).toBe(2);
    expect((await audited(first.body['closureId'])).map(({ action }) => action)).toEqual([
      'create',
      'update',
      'update',
    ]);
  });

  it.each([
    // The clocks go forward on 4 October 2026 at 2 am, and back on 4 April 2027 at 3 am.
    [
      'the hour that the clocks skip is left out',
      '2026-09-27',
      '02:00',
      '03:00',
      '+10:00',
      ['26 Sep 16:00 to 17:00', '10 Oct 15:00 to 16:00'],
    ],
    [
      'hours that end with it end then',
      '2026-09-27',
      '01:00',
      '03:00',
      '+10:00',
      ['26 Sep 15:00 to 17:00', '03 Oct 15:00 to 16:00', '10 Oct 14:00 to 16:00'],
    ],
    [
      'an hour that comes twice is closed both times',
      '2027-03-28',
      '02:00',
      '03:00',
      '+11:00',
      ['27 Mar 15:00 to 16:00', '03 Apr 15:00 to 17:00', '10 Apr 16:00 to 17:00'],
    ],
    [
      'the hour before it is closed once',
      '2027-03-28',
      '01:00',
      '02:00',
      '+11:00',
      ['27 Mar 14:00 to 15:00', '03 Apr 14:00 to 15:00', '10 Apr 15:00 to 16:00'],
    ],
  ])('on clock-change nights %s', async (_name, day, from, until, offset, expected) => {
    await server.app.db.query(`select private.close_hours($1::jsonb, $2::uuid, '2026-01-01')`, [
      {
        studioId: STUDIO_C,
        startTime: `${day}T${from}:00${offset}`,
        endTime: `${day}T${until}:00${offset}`,
        weeks: 3,
        reason: 'Night',
        public: true,
      },
      staff.id,
    ]);
    const { rows } = await server.app.db.query<{ times: string }>(
      `select to_char(s.start_time at time zone 'UTC', 'DD Mon HH24:MI') || ' to ' || to_char(s.end_time at time zone 'UTC', 'HH24:MI') as times
       from private.closed_span s where s.studio_id = $1::uuid order by s.start_time`,
      [STUDIO_C],
    );
    await server.app.db.query('delete from private.closed_span where studio_id = $1::uuid', [STUDIO_C]);
    expect(rows.map(({ times }) => times)).toEqual(expected);
  });

  it('everybody reads which hours are closed; a private reason only staff', async () => {
    await close();
    await close({ studioId: STUDIO_B, reason: 'Birthday', public: true });
    const { startTime } = span(server.now(), hoursAhead);
    const read = async (token?: string) => {
      const { data, error } = await server
        .client(token)
        .from('closed_hours')
        .select('studio_id,reason')
        .eq('start_time', startTime);
      expect(error).toBeNull();
      return Object.fromEntries(data?.map((row) => [row.studio_id, row.reason]) ?? []);
    };
    expect(await read()).toEqual({ [STUDIO_A]: null, [STUDIO_B]: 'Birthday' });
    expect(await read(customer.token)).toEqual({ [STUDIO_A]: null, [STUDIO_B]: 'Birthday' });
    expect(await read(staff.token)).toEqual({ [STUDIO_A]: 'New mixer', [STUDIO_B]: 'Birthday' });
  });

  it('customers and guests can neither close nor reopen', async () => {
    const { body } = await close();
    const hours = { studioId: STUDIO_B, ...span(server.now(), hoursAhead), reason: 'Mine' };
    for (const [token, status] of [
      [customer.token, 403],
      [server.app.keys.anonKey, 401],
    ] as const) {
      expect((await server.call('staff-close', hours, token)).status).toBe(status);
      expect((await server.call('staff-reopen', body, token)).status).toBe(status);
    }
    expect((await spans(body['closureId'])).length).toBe(1);
  });

  it.each([
    ['an end before the start', { endTime: '2020-01-01T00:00:00Z' }, 400],
    ['no reason', { reason: ' ' }, 400],
    ['105 weeks', { weeks: 105 }, 400],
    ['hours that are over', { startTime: '2020-01-01T00:00:00Z', endTime: '2020-01-01T01:00:00Z' }, 400],
    ['a studio that does not exist', { studioId: randomUUID() }, 404],
  ])('%s is refused', async (_name, more, status) => {
    expect((await close(more)).status).toBe(status);
  });

  it('reopening a closure that does not exist is refused with 404', async () => {
    expect((await reopen(randomUUID())).status).toBe(404);
  });

  it('a booking and a closure refuse a transaction that may see an older snapshot', async () => {
    const { body } = await close();
    const { startTime, endTime } = span(server.now(), hoursAhead + 20);
    const inserts = [
      `insert into private.booking (reference, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       values ('AAAA-0000', '${STUDIO_A}', 'A', '${startTime}', '${endTime}', now(), 1, 0, 0)`,
      `insert into private.closed_span (closure_id, studio_id, start_time, end_time)
       values ('${String(body['closureId'])}', '${STUDIO_A}', '${startTime}', '${endTime}')`,
    ];
    for (const insert of inserts)
      await expect(
        server.app.db.transaction(async (tx) => {
          await tx.query('set transaction isolation level repeatable read');
          await tx.query(insert);
        }),
      ).rejects.toMatchObject({ code: '25001' });
  });

  it(`in ${RACES} races of a hold and a closure exactly one wins`, { timeout: 600_000 }, async () => {
    const people = await Promise.all(Array.from({ length: Math.ceil(RACES / 2) }, () => server.addCustomer()));
    const base = hoursAhead;
    for (let race = 0; race < RACES; race += 1) {
      const time = span(server.now(), base + (race % 40) * 2, 1);
      const studioId = [STUDIO_A, STUDIO_B][race % 2];
      const [held, closed] = await Promise.all([
        server.call('create-payment', checkout(time, {}, studioId), people[race % people.length]?.token),
        close({ ...time, studioId }),
      ]);
      expect([held.status, closed.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
      await server.app.db.query(
        `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status = 'pending'`,
      );
      if (closed.status === 200) await reopen(closed.body['closureId']);
    }
  });
});
