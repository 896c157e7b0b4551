import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { type Customer, mailsTo, STUDIO_A, STUDIO_B, type TestServer, until } from '#tests/support/test-server.ts';

const MINUTE = 60_000;
const STUDIO_C = '5a000000-0000-4000-8000-00000000000c';

describe.each(engines)('doors and lights on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  beforeAll(async () => {
    server = await open({ LOCK_CHECK_MINUTES: '15' });
    await server.sandbox('/api/doors/bridge', { job_ms: 1 });
    staff = await server.addCustomer();
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff.id]);
  }, 180_000);
  afterAll(() => server.close());

  const rows = <R>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> =>
    server.app.db.query<R>(text, values).then((result) => result.rows);
  /** Confirms a booking without a price. */
  const confirmFree = async (id: string): Promise<void> => {
    await server.app.db.transaction(async (tx) => {
      await tx.query(
        `insert into private.payment (booking_id, attempt, kind, key, amount_cents, paid_cents, state, paid_at)
         values ($1::uuid, 1, 'free', 'free:' || $1, 0, 0, 'paid', $2::timestamptz)`,
        [id, server.now()],
      );
      await tx.query(`update private.booking set status = 'confirmed' where id = $1::uuid`, [id]);
    });
  };
  /** Adds a confirmed booking that starts in `startIn` minutes, with its payment. Returns its id and reference. */
  async function addSession(startIn: number, minutes: number, studio: string) {
    const start = new Date(server.now().getTime() + startIn * MINUTE);
    const [created] = await rows<{ id: string; reference: string }>(
      `insert into private.booking (reference, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
         values (private.new_reference(), $1::uuid, 'Studio', $2::timestamptz, $3::timestamptz, $2::timestamptz, 1, 0, 0) returning id, reference`,
      [studio, start, new Date(start.getTime() + minutes * MINUTE)],
    );
    await confirmFree(created?.id ?? '');
    return created ?? { id: '', reference: '' };
  }
  const cancel = (id: string) =>
    rows(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`, [id]);
  /** Returns the plugs of the sandbox that are on. */
  const lit = async (): Promise<string[]> =>
    ((await server.sandbox('/api/plugs')) as { id: string; on: boolean }[]).flatMap(({ id, on }) => (on ? id : []));
  const isOn = async (): Promise<boolean> => {
    // The first round only queues the job.
    await server.settle();
    await server.settle();
    return (await lit()).includes('green-room');
  };
  const sandboxDoor = async (id: string) =>
    ((await server.sandbox('/api/doors')) as { id: string; opened_from_afar: number }[]).find((door) => door.id === id);

  it('the lights go on 5 minutes before a session, off 10 minutes after the last one, and off when it is cancelled', async () => {
    expect(await isOn()).toBe(false);
    await addSession(8, 30, STUDIO_A);
    expect(await isOn()).toBe(false);
    server.advance(4 * MINUTE);
    expect(await isOn()).toBe(true);
    const next = await addSession(36, 30, STUDIO_B);
    server.advance(34 * MINUTE);
    // The first session has ended; the second one begins within 10 minutes.
    expect(await isOn()).toBe(true);
    await cancel(next.id);
    server.advance(5 * MINUTE);
    expect(await isOn()).toBe(true);
    server.advance(6 * MINUTE);
    expect(await isOn()).toBe(false);
    const other = await addSession(1, 30, STUDIO_B);
    expect(await isOn()).toBe(true);
    await cancel(other.id);
    expect(await isOn()).toBe(false);
  });

  it('lights that staff switch by hand stay until the next session begins or ends', async () => {
    const session = await addSession(0, 60, STUDIO_A);
    expect(await isOn()).toBe(true);
    await server.call('manual-power-control', { action: 'turn_off' }, staff.token);
    expect(await isOn()).toBe(false);
    await cancel(session.id);
    expect(await isOn()).toBe(false);
    await server.call('manual-power-control', { action: 'turn_on' }, staff.token);
    expect(await isOn()).toBe(true);
  });

  it('a plug that does not answer is switched as soon as it does', async () => {
    await server.call('manual-power-control', { action: 'turn_off' }, staff.token);
    await server.sandbox('/api/faults', { provider: 'plug', kind: 'offline', seconds: 86_400 });
    const session = await addSession(120, 60, STUDIO_A);
    server.advance(118 * MINUTE);
    expect(await isOn()).toBe(false);
    expect((await server.call('staff-doors', {}, staff.token)).body).toMatchObject({ lightsOn: null });
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await until(async () => {
      server.advance(MINUTE / 2);
      return (await isOn()) || null;
    });
    await cancel(session.id);
    await server.settle();
  });

  it('a room with a plug of its own switches that one, two rooms share one, and staff switch each by hand', async () => {
    const settle = async () => {
      await server.settle();
      await server.settle();
      return lit();
    };
    const name = (studioId: string, plug: string | null) =>
      server.call('staff-set-room', { studioId, room: { plug } }, staff.token);
    expect(await name(STUDIO_A, 'Elsewhere')).toMatchObject({
      status: 400,
      body: { error: { field: 'room.plug', message: 'Available plugs: Studio A, Studio B, Studio C.' } },
    });
    await server.call('manual-power-control', { action: 'turn_off' }, staff.token);
    for (const studio of [STUDIO_A, STUDIO_B]) expect(await name(studio, 'Studio A')).toMatchObject({ status: 200 });
    expect(await settle()).toEqual([]);
    const first = await addSession(2, 60, STUDIO_A);
    const second = await addSession(2, 60, STUDIO_B);
    expect(await settle()).toEqual(['studio-a']);
    await cancel(first.id);
    expect(await settle()).toEqual(['studio-a']);
    // The session's room gets another plug: the old one is switched off, the new one on.
    expect(await name(STUDIO_B, 'Studio B')).toMatchObject({ status: 200 });
    expect(await settle()).toEqual(['studio-b']);
    const { body } = await server.call('staff-doors', {}, staff.token);
    expect(body['lights']).toMatchObject([
      { plug: 'Studio A', rooms: [{ studioId: STUDIO_A }], isSetUp: true, on: false },
      { plug: 'Studio B', rooms: [{ studioName: 'Studio B' }], on: true },
      { plug: null, rooms: [{ studioName: 'Studio C' }], on: false },
    ]);
    const turn = (action: string, studioId?: string) =>
      server.call('manual-power-control', { action, studioId }, staff.token);
    expect(await turn('turn_on', STUDIO_A)).toMatchObject({ status: 200, body: { success: true } });
    expect(await turn('turn_on')).toMatchObject({ status: 200 });
    expect(await turn('turn_off', STUDIO_B)).toMatchObject({ status: 200 });
    expect(await settle()).toEqual(['green-room', 'studio-a']);
    expect(await turn('turn_on', second.id)).toMatchObject({ status: 404 });
    await cancel(second.id);
    await turn('turn_off');
    await turn('turn_off', STUDIO_A);
    for (const studio of [STUDIO_A, STUDIO_B]) await name(studio, null);
    expect(await settle()).toEqual([]);
  });

  it('a customer switches the lights of the own room in the session, and whoever comes next finds them on', async () => {
    const settle = async () => {
      await server.settle();
      await server.settle();
      return lit();
    };
    const name = (studioId: string, plug: string | null) =>
      server.call('staff-set-room', { studioId, room: { plug } }, staff.token);
    await server.call('manual-power-control', { action: 'turn_off' }, staff.token);
    await name(STUDIO_A, 'Studio A');
    const [owner, other] = [await server.addCustomer(), await server.addCustomer()];
    const session = await addSession(6, 60, STUDIO_A);
    const next = await addSession(66, 60, STUDIO_A);
    await rows('update private.booking set user_id = $2::uuid where id = $1::uuid', [session.id, owner.id]);
    const lights = (on: boolean | null, who: Customer | null = owner) =>
      server.call('session-lights', { bookingId: session.id, on }, who?.token);
    expect(await lights(true)).toMatchObject({ status: 425, body: { error: { code: 'too_early' } } });
    server.advance(2 * MINUTE);
    expect(await settle()).toEqual(['studio-a']);
    expect(await lights(null)).toEqual({ status: 200, body: { on: true, allowed: { on: true, off: true } } });
    expect(await lights(false)).toMatchObject({ status: 200, body: { on: false } });
    expect(await settle()).toEqual([]);
    expect((await lights(true, other)).status).toBe(404);
    expect((await lights(true, null)).status).toBe(401);
    expect(await server.call('session-room', { bookingId: session.id }, owner.token)).toMatchObject({
      status: 200,
      body: { studioId: STUDIO_A, lights: true, followed: true },
    });
    // The time before the next session has begun: its lights are switched on, although the plug was meant to be on all the time, and stay
    // on.
    server.advance(60 * MINUTE);
    expect(await settle()).toEqual(['studio-a']);
    expect(await lights(false)).toMatchObject({ status: 409, body: { error: { code: 'lights_in_use' } } });
    server.advance(6 * MINUTE);
    expect(await lights(true)).toMatchObject({ status: 409, body: { error: { code: 'lights_in_use' } } });
    await cancel(next.id);
    expect(await lights(false)).toMatchObject({ status: 200 });
    server.advance(9 * MINUTE);
    expect(await lights(true)).toMatchObject({ status: 410 });
    const log = await rows<{ actor: string; details: unknown }>(
      `select actor, details from public.audit_logs where resource_type = 'power' and details ->> 'bookingId' = $1 order by created_at`,
      [session.id],
    );
    const entry = { actor: owner.id, details: { on: false, bookingId: session.id } };
    expect(log).toEqual([entry, entry]);
    await name(STUDIO_A, null);
  });

  it('lights that several rooms share stay on while another room needs them, and a plug that does not answer says so', async () => {
    const owner = await server.addCustomer();
    const session = await addSession(0, 60, STUDIO_A);
    const other = await addSession(0, 60, STUDIO_B);
    await rows('update private.booking set user_id = $2::uuid where id = $1::uuid', [session.id, owner.id]);
    const lights = (on: boolean | null) => server.call('session-lights', { bookingId: session.id, on }, owner.token);
    expect(await lights(true)).toMatchObject({ status: 200, body: { on: true, allowed: { on: true, off: false } } });
    expect(await lights(false)).toMatchObject({ status: 409, body: { error: { code: 'lights_in_use' } } });
    await cancel(other.id);
    await server.sandbox('/api/faults', { provider: 'plug', kind: 'offline', seconds: 86_400 });
    expect(await lights(null)).toMatchObject({ status: 200, body: { on: null } });
    expect(await lights(false)).toMatchObject({ status: 503, body: { error: { code: 'provider_unavailable' } } });
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await cancel(session.id);
    server.advance(30 * MINUTE);
    await server.settle();
  });

  it('staff see each door with its battery, the last opening with a code, and the codes that work now', async () => {
    server.advance(180 * MINUTE);
    const session = await addSession(-20, 60, STUDIO_A);
    const add = (attempt: number, status: string, more: { from: number; to: number; used: number | null }) =>
      rows(
        `insert into public.booking_access_codes (booking_id, attempt, status, mode, starts_at, ends_at, release_at, used_at)
         values ($1::uuid, $2::int, $3, 'hourly', $4::timestamptz, $5::timestamptz, $4::timestamptz, $6::timestamptz)`,
        [
          session.id,
          attempt,
          status,
          ...[more.from, more.to].map((minutes) => new Date(server.now().getTime() + minutes * MINUTE)),
          more.used === null ? null : new Date(server.now().getTime() + more.used * MINUTE),
        ],
      );
    await add(1, 'revoked', { from: -25, to: 40, used: -14 });
    await add(2, 'issued', { from: -25, to: 40, used: null });
    await add(3, 'issued', { from: 10, to: 40, used: null });
    await add(4, 'issued', { from: -90, to: -30, used: -60 });
    const { status, body } = await server.call('staff-doors', {}, staff.token);
    expect([status, body['canOpen']]).toEqual([200, true]);
    const doors = body['doors'] as Record<string, unknown>[];
    expect(doors.map((door) => door['studioName'])).toEqual(['Studio A', 'Studio B', 'Studio C']);
    expect(doors[0]).toMatchObject({
      studioId: STUDIO_A,
      known: true,
      batteryPercent: expect.any(Number),
      lastOpening: { reference: session.reference },
      codes: [{ reference: session.reference }],
    });
    expect(doors[1]).toMatchObject({ lastOpening: null, codes: [] });
    const opening = doors[0]?.['lastOpening'] as { at: string; startTime: string } | undefined;
    const after = Date.parse(opening?.at ?? '') - Date.parse(opening?.startTime ?? '');
    expect(Math.round(after / MINUTE)).toBe(6);
  });

  type Entry = { kind: string; reference: string | null; byCode: boolean; actor: string | null };
  const doorLog = async (query: Record<string, unknown>) =>
    (await server.call('staff-door-log', query, staff.token)).body['entries'] as (Entry & Record<string, unknown>)[];

  it('a lock that the lock service does not know is an alert at the next check, which a change of the room brings forward, and the other locks are checked all the same', async () => {
    const alerts = async () => {
      const { data } = await server.client(staff.token).rpc('staff_alerts');
      return (data ?? []).flatMap(({ kind, studio_name }) => (kind === 'lock_unknown' ? studio_name : []));
    };
    const set = (room: object) => server.call('staff-set-room', { studioId: STUDIO_A, room }, staff.token);
    server.advance(16 * MINUTE);
    await server.settle();
    expect(await alerts()).toEqual([]);
    // Simulates an operator who removes the lock from the account.
    await rows(`insert into private.studio_lock (studio_id, lock_id) values ($1::uuid, 'SPX1X0009')`, [STUDIO_A]);
    await rows('select private.announce_rooms()');
    await expect
      .poll(async () => (await server.call('staff-doors', {}, staff.token)).body['doors'])
      .toMatchObject([{ lockId: 'SPX1X0009', known: false }, {}, {}]);
    server.advance(16 * MINUTE);
    await server.settle();
    expect(await alerts()).toEqual(['Studio A']);
    expect(await rows('select online from private.lock_state where unknown_since is null')).toEqual([
      { online: true },
      { online: true },
    ]);
    expect(await set({ lockId: 'SPA1X0001' })).toMatchObject({ status: 200 });
    await expect
      .poll(async () => {
        await server.settle();
        return alerts();
      })
      .toEqual([]);
  });

  it('a lock that does not answer and a low battery are known at the next check, and a lock that is back at once', async () => {
    const [first] = (await server.call('staff-doors', {}, staff.token)).body['doors'] as { lockId: string }[];
    const door = async () => ((await server.call('staff-doors', {}, staff.token)).body['doors'] as unknown[])[0];
    const check = async () => {
      server.advance(16 * MINUTE);
      await server.settle();
    };
    await check();
    expect(await door()).toMatchObject({ online: true, isBatteryLow: false, checkedAt: expect.any(String) });
    await server.sandbox(`/api/doors/${first?.lockId ?? ''}`, { battery: 12 });
    await server.sandbox('/api/doors/bridge', { online: false });
    await check();
    expect(await door()).toMatchObject({ online: false, batteryPercent: 12, isBatteryLow: true });
    server.advance(3 * MINUTE);
    await server.settle();
    expect((await rows('select from private.lock_state where offline_since < checked_at')).length).toBe(3);
    // The report of the bridge triggers the next check early.
    await server.sandbox('/api/doors/bridge', { online: true });
    await until(async () => {
      await server.settle();
      return ((await door()) as { online: boolean }).online;
    });
    await server.sandbox(`/api/doors/${first?.lockId ?? ''}`, { battery: 91 });
  });

  it('the log of a door has what the lock reported, once, beside the booking whose code it was or whose hours', async () => {
    const session = await addSession(-10, 60, STUDIO_B);
    await server.sandbox('/api/clock', { now: server.now().toISOString() });
    const [, door] = (await server.call('staff-doors', {}, staff.token)).body['doors'] as { lockId: string }[];
    const lockId = door?.lockId ?? '';
    await server.sandbox(`/api/doors/${lockId}/keypad`, { pin: '123456' });
    const [wrong] = await until(async () => {
      const found = await doorLog({ studioId: STUDIO_B });
      return found.length > 0 && found;
    });
    expect(wrong).toMatchObject({
      kind: 'wrong_code',
      reference: session.reference,
      byCode: false,
      studioName: 'Studio B',
    });
    await server.call('staff-open-door', { studioId: STUDIO_B, reason: 'Locked out' }, staff.token);
    const [opened, ...others] = await doorLog({ bookingId: session.id });
    expect(opened).toMatchObject({ kind: 'from_afar', actor: 'Alex Citizen', customerName: null });
    expect(others).toHaveLength(1);
    expect(await doorLog({ studioId: STUDIO_A })).toEqual([]);
    expect(JSON.stringify(await rows('select * from private.lock_event'))).not.toContain('123456');
    await cancel(session.id);
  });

  it('a door is opened from afar with a reason, which the audit log has even if the lock does not answer', async () => {
    const [door] = (await server.call('staff-doors', {}, staff.token)).body['doors'] as { lockId: string }[];
    const lockId = door?.lockId ?? '';
    const openIt = (reason: string) => server.call('staff-open-door', { studioId: STUDIO_A, reason }, staff.token);
    const before = (await sandboxDoor(lockId))?.opened_from_afar ?? 0;
    expect(await openIt('Locked out')).toEqual({ status: 200, body: { opened: true } });
    expect((await sandboxDoor(lockId))?.opened_from_afar).toBe(before + 1);
    expect((await openIt(' ')).status).toBe(400);
    await server.sandbox('/api/doors/bridge', { online: false });
    expect(await openIt('Again')).toMatchObject({ status: 503, body: { error: { code: 'provider_unavailable' } } });
    await server.sandbox('/api/doors/bridge', { online: true });
    const log = await rows<{ actor: string; reason: string }>(
      `select actor, details ->> 'reason' as reason from public.audit_logs where action = 'open' and resource_id = $1 order by created_at`,
      [STUDIO_A],
    );
    expect(log).toEqual([
      { actor: staff.id, reason: 'Locked out' },
      { actor: staff.id, reason: 'Again' },
    ]);
  });

  it('a code for somebody without a booking closes its hours, opens the door in them, is named in the door log and can be revoked', async () => {
    const hour = Math.ceil(server.now().getTime() / (60 * MINUTE)) * 60 * MINUTE;
    const request = {
      studioId: STUDIO_B,
      startTime: new Date(hour).toISOString(),
      endTime: new Date(hour + 120 * MINUTE).toISOString(),
      name: 'Electrician',
    };
    const make = (more = {}) => server.call('staff-access-code', { ...request, ...more }, staff.token);
    const [, door] = (await server.call('staff-doors', {}, staff.token)).body['doors'] as { lockId: string }[];
    const press = (pin: unknown) => server.sandbox(`/api/doors/${door?.lockId ?? ''}/keypad`, { pin });
    const created = await make();
    expect(created).toMatchObject({
      status: 200,
      body: { codeId: expect.any(String), pin: expect.stringMatching(/^\d{6}$/) },
    });
    expect(await make()).toEqual(created);
    // The id that a call without one is given: with a different end, the call is not answered with the digits of the first code.
    const requestId = `${STUDIO_B.slice(0, 8)} ${hour} ${hour + 120 * MINUTE} Electrician`;
    expect(await make({ requestId })).toEqual(created);
    expect(await make({ requestId, endTime: new Date(hour + 180 * MINUTE).toISOString() })).toMatchObject({
      status: 409,
      body: { error: { code: 'already_done' } },
    });
    expect(await make({ requestId: 'x', startTime: new Date(hour + 60_000).toISOString() })).toMatchObject({
      status: 400,
    });
    const [closed] = await rows<{ reason: string }>(
      `select c.reason from private.closure c join private.closed_span s on s.closure_id = c.id
       where s.studio_id = $1::uuid and s.start_time = $2::timestamptz and s.end_time = $3::timestamptz and not c.public`,
      [STUDIO_B, request.startTime, request.endTime],
    );
    expect(closed).toEqual({ reason: 'Access for Electrician' });
    const { pin, codeId } = created.body;
    await server.sandbox('/api/clock', { now: new Date(hour - MINUTE).toISOString() });
    expect(await press(pin)).toMatchObject({ opened: false });
    server.advance(hour + MINUTE - server.now().getTime());
    await server.sandbox('/api/clock', { now: server.now().toISOString() });
    for (const _ of [1, 2]) expect(await press(pin)).toMatchObject({ opened: true });
    const list = async () =>
      (await server.call('staff-access-codes', {}, staff.token)).body['codes'] as Record<string, unknown>[];
    const used = await until(async () => (await list())[0]?.['usedAt'] && (await list())[0]);
    expect(used).toMatchObject({ id: codeId, name: 'Electrician', status: 'issued', madeBy: 'Alex Citizen' });
    expect(JSON.stringify(await list())).not.toContain(String(pin));
    expect(await doorLog({ studioId: STUDIO_B })).toContainEqual(
      expect.objectContaining({ kind: 'code', actor: 'Electrician', reference: null }),
    );
    for (const _ of [1, 2])
      expect((await server.call('staff-revoke-code', { codeId }, staff.token)).body).toEqual({ revoking: true });
    await server.settle();
    expect([(await list())[0]?.['status'], await press(pin)]).toMatchObject(['revoked', { opened: false }]);
    expect(await make()).toMatchObject({ status: 409, body: { error: { code: 'already_done' } } });
    const log = JSON.stringify(await rows(`select details from public.audit_logs where resource_type = 'staff_code'`));
    expect([log.includes('Electrician'), log.includes(String(pin))]).toEqual([true, false]);
  });

  it('no code is made for hours with a booking, which is named, and a lock that does not answer makes the same code later', async () => {
    const hour = Math.ceil(server.now().getTime() / (60 * MINUTE)) * 60 * MINUTE + 240 * MINUTE;
    const session = await addSession((hour - server.now().getTime()) / MINUTE, 60, STUDIO_A);
    const make = (from: number) =>
      server.call(
        'staff-access-code',
        { studioId: STUDIO_A, startTime: new Date(from), endTime: new Date(from + 60 * MINUTE), name: 'Cleaner' },
        staff.token,
      );
    expect(await make(hour)).toMatchObject({
      status: 409,
      body: { error: { code: 'slot_taken', bookings: [{ reference: session.reference }] } },
    });
    await server.sandbox('/api/doors/bridge', { online: false });
    expect(await make(hour + 60 * MINUTE)).toMatchObject({
      status: 503,
      body: { error: { code: 'provider_unavailable' } },
    });
    await server.sandbox('/api/doors/bridge', { online: true });
    expect(await make(hour + 60 * MINUTE)).toMatchObject({ status: 200, body: { pin: expect.any(String) } });
    expect(await rows(`select from private.staff_code where name = 'Cleaner'`)).toHaveLength(1);
    await cancel(session.id);
  });

  it('staff report an incident with a photo, which is stored without its metadata, and change its state; the audit log has both, and the list shows open ones first, then the newest', async () => {
    const photo = `${staff.id}/mixer.jpg`;
    const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#f00' } })
      .withExif({ IFD0: { Artist: 'Somebody' } })
      .jpeg()
      .toBuffer();
    const files = server.client(staff.token).storage.from('incidents');
    expect((await files.upload(photo, picture, { contentType: 'image/jpeg' })).error).toBeNull();
    const report = (more = {}) =>
      server.call(
        'staff-report-incident',
        { studioId: STUDIO_A, description: 'Broken mixer', photo, requestId: 'once', ...more },
        staff.token,
      );
    const { status, body } = await report();
    expect([status, (await report()).body]).toEqual([200, body]);
    expect((await report({ photo: `${staff.id}/none.jpg`, requestId: 'other' })).status).toBe(404);
    const list = async () =>
      (await server.call('staff-incidents', {}, staff.token)).body['incidents'] as Record<string, unknown>[];
    expect(await list()).toMatchObject([
      {
        id: body['incidentId'],
        studioName: 'Studio A',
        state: 'open',
        reporter: 'Alex Citizen',
        photos: [photo],
        changedBy: null,
      },
    ]);
    const stored = await files.download(photo);
    const kept = Buffer.from((await stored.data?.arrayBuffer()) ?? new ArrayBuffer(0));
    expect((await sharp(kept).metadata()).width).toBe(40);
    expect([kept.includes('Somebody'), picture.includes('Somebody')]).toEqual([false, true]);
    const change = (state: string) =>
      server.call('staff-change-incident', { incidentId: body['incidentId'], state }, staff.token);
    for (const state of ['in_progress', 'in_progress', 'done']) expect((await change(state)).body).toEqual({ state });
    expect((await change('lost')).status).toBe(400);
    expect(await list()).toMatchObject([{ state: 'done', changedBy: 'Alex Citizen' }]);
    const log = await rows<{ action: string; before: string | null }>(
      `select action, details #>> '{before,state}' as before from public.audit_logs where resource_type = 'incident' order by created_at`,
    );
    expect(log.map(({ action, before }) => `${action} ${before}`)).toEqual([
      'create null',
      'update open',
      'update in_progress',
    ]);
    // A photo whose report was never sent is deleted after a day.
    const unused = `${staff.id}/left.jpg`;
    await files.upload(unused, picture, { contentType: 'image/jpeg' });
    await rows(`select private.delete_unused_photos(now() + interval '25 hours')`);
    expect((await files.list(staff.id)).data?.map(({ name }) => name)).toEqual(['mixer.jpg']);
    // Neither a customer nor staff without the permission can see or add a photo.
    const colleague = await server.addCustomer();
    await server.call('staff-set-permissions', { userId: colleague.id, permissions: ['money'] }, staff.token);
    for (const { id, token } of [await server.addCustomer(), colleague]) {
      const others = server.client(token).storage.from('incidents');
      expect((await others.download(photo)).error).not.toBeNull();
      expect((await others.upload(`${id}/x.jpg`, picture, { contentType: 'image/jpeg' })).error).not.toBeNull();
    }
    // Staff cannot report an incident with a photo of another account.
    await server.call('staff-set-permissions', { userId: colleague.id, permissions: ['bookings'] }, staff.token);
    const theft = { studioId: STUDIO_A, description: 'Broken mixer', photo, requestId: 'theirs' };
    expect(await server.call('staff-report-incident', theft, colleague.token)).toMatchObject({ status: 404 });
    const own = { ...theft, photo: null };
    expect(await server.call('staff-report-incident', own, colleague.token)).toMatchObject({ status: 200 });
    const newest = await report({ photo: null, description: 'Loose cable', requestId: 'newest' });
    await server.call('staff-change-incident', { incidentId: newest.body['incidentId'], state: 'done' }, staff.token);
    expect((await list()).map(({ state, description }) => [state, description])).toEqual([
      ['open', 'Broken mixer'],
      ['done', 'Loose cable'],
      ['done', 'Broken mixer'],
    ]);
  });

  it('a customer reports a problem of the own session with a photo, staff are alerted and answer, and the answer is mailed once [spec 10.17]', async () => {
    const [owner, other] = [await server.addCustomer(), await server.addCustomer()];
    const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#f00' } })
      .jpeg()
      .toBuffer();
    const upload = async ({ id, token }: Customer) =>
      server.client(token).storage.from('incidents').upload(`${id}/bass.jpg`, picture, { contentType: 'image/jpeg' });
    // A photo cannot be added without a session.
    expect((await upload(owner)).error).not.toBeNull();
    const [session] = await rows<{ id: string }>(
      `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents)
       values (private.new_reference(), $1::uuid, $2::uuid, 'Studio B', now() - interval '3 hours', now() - interval '1 hour', now(), 2, 0, 0) returning id`,
      [owner.id, STUDIO_B],
    );
    const bookingId = session?.id ?? '';
    const request = { bookingId, kind: 'problem', category: 'sound', description: 'No bass', requestId: 'once' };
    const report = (more = {}, who = owner) => server.call('report-problem', { ...request, ...more }, who.token);
    expect(await report()).toMatchObject({ status: 409, body: { error: { code: 'not_confirmed' } } });
    await confirmFree(bookingId);
    expect((await upload(owner)).error).toBeNull();
    const photos = [`${owner.id}/bass.jpg`];
    const created = await report({ photos });
    expect(created).toMatchObject({ status: 200, body: { reportId: expect.any(String) } });
    expect((await report({ photos })).body).toEqual(created.body);
    expect((await report({}, other)).status).toBe(404);
    expect((await report({ requestId: 'theirs', photos: [`${staff.id}/mixer.jpg`] })).status).toBe(404);
    expect((await report({ requestId: 'many', photos: Array.from({ length: 4 }, () => photos[0]) })).status).toBe(400);
    expect((await report({ requestId: 'what', category: 'weather' })).status).toBe(400);
    const incident = { incidentId: created.body['reportId'] };
    const list = (await server.call('staff-incidents', {}, staff.token)).body['incidents'] as Record<string, unknown>[];
    expect(list.find(({ id }) => id === incident.incidentId)).toMatchObject({
      kind: 'problem',
      category: 'sound',
      studioName: 'Studio B',
      photos,
      answer: null,
    });
    const alerts = async () =>
      ((await server.client(staff.token).rpc('staff_alerts')).data as { kind: string; problem: string }[]).filter(
        ({ kind }) => kind === 'reported',
      );
    expect(await alerts()).toMatchObject([{ problem: 'sound' }]);
    const answer = (more = {}) =>
      server.call(
        'staff-answer-incident',
        { ...incident, answer: 'The fuse. Fixed.', state: 'done', ...more },
        staff.token,
      );
    expect(await answer({ outcome: 'found' })).toMatchObject({ status: 400, body: { error: { field: 'outcome' } } });
    for (const _ of [1, 2]) expect(await answer()).toEqual({ status: 200, body: { state: 'done' } });
    expect(await alerts()).toEqual([]);
    await server.settle();
    const mails = await mailsTo(server, owner.email, 'the problem you reported');
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain('The fuse. Fixed.');
    const feedback = async (who: Customer) =>
      (await server.client(who.token).rpc('own_feedback', { booking: bookingId })).data as unknown;
    expect(await feedback(owner)).toMatchObject({
      reports: [{ kind: 'problem', photos: 1, state: 'done', answer: 'The fuse. Fixed.' }],
      rating: null,
    });
    expect(await feedback(other)).toBeNull();
    // Lost property has its own outcome.
    const lost = await report({ kind: 'lost', category: undefined, description: 'My USB stick', requestId: 'lost' });
    const found = {
      incidentId: lost.body['reportId'],
      outcome: 'found',
      state: 'in_progress',
      answer: 'It is at the desk.',
    };
    expect(await answer(found)).toMatchObject({ status: 200 });
    expect(await feedback(owner)).toMatchObject({ reports: [{ kind: 'lost', outcome: 'found' }, {}] });
    // A booking cannot have more reports than the limit, even if they arrive at the same moment.
    const many = await Promise.all(Array.from({ length: 10 }, (_, index) => report({ requestId: `more ${index}` })));
    expect(many.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(many.find(({ status }) => status !== 200)).toMatchObject({ status: 429 });
    const log = JSON.stringify(await rows(`select details from public.audit_logs where resource_type = 'incident'`));
    expect([log.includes('No bass'), log.includes('The fuse')]).toEqual([false, false]);
    expect(JSON.stringify((await server.call('export-my-data', {}, owner.token)).body)).toContain('My USB stick');
  });

  it('a session is rated once by its customer after it has ended, for a week; staff see the average of each room [spec 10.18]', async () => {
    const [owner, other] = [await server.addCustomer(), await server.addCustomer()];
    const session = await addSession(-30, 60, STUDIO_C);
    await rows('update private.booking set user_id = $2::uuid where id = $1::uuid', [session.id, owner.id]);
    const rate = (score: number, words: string | null = null, who = owner) =>
      server.call('rate-session', { bookingId: session.id, score, words }, who.token);
    expect(await rate(5)).toMatchObject({ status: 425, body: { error: { code: 'too_early' } } });
    server.advance(30 * MINUTE);
    expect((await rate(6)).status).toBe(400);
    expect((await rate(1, null, other)).status).toBe(404);
    expect(await rate(3, 'Too warm')).toEqual({ status: 200, body: { score: 3, words: 'Too warm' } });
    expect(await rate(4, 'Too warm')).toMatchObject({ status: 200 });
    const ratings = async (who: Customer) => (await server.client(who.token).rpc('staff_ratings')).data as unknown;
    expect(await ratings(staff)).toMatchObject({
      rooms: [{ studioName: 'Studio C', count: 1, average: 4 }],
      ratings: [{ reference: session.reference, score: 4, words: 'Too warm' }],
    });
    expect(await ratings(owner)).toBeNull();
    await rows(`update private.rating set created_at = created_at - interval '7 days' where booking_id = $1::uuid`, [
      session.id,
    ]);
    expect(await rate(1)).toMatchObject({ status: 409, body: { error: { code: 'too_late' } } });
    const log = await rows<{ details: unknown }>(
      `select details from public.audit_logs where resource_type = 'rating' order by created_at, action`,
    );
    expect(log.map(({ details }) => details)).toEqual([
      { after: { score: 3 } },
      { before: { score: 3 }, after: { score: 4 } },
    ]);
  });

  it('customers, guests and staff without the permission see no doors and open none', async () => {
    const [customer, colleague] = [await server.addCustomer(), await server.addCustomer()];
    await server.call('staff-set-permissions', { userId: colleague.id, permissions: ['money'] }, staff.token);
    for (const token of [customer.token, colleague.token, server.app.keys.anonKey])
      for (const name of ['staff-doors', 'staff-open-door', 'staff-door-log'])
        expect([401, 403]).toContain((await server.call(name, { studioId: STUDIO_A, reason: 'x' }, token)).status);
  });

  it('a guest opens the door once with a code of their own, until the host takes them back; strangers get nothing [spec 10.14]', async () => {
    const [host, stranger] = [await server.addCustomer(), await server.addCustomer()];
    await rows(
      `update private.booking set status = 'cancelled', cancel_reason = 'staff' where studio_id = $1::uuid and status = 'confirmed'`,
      [STUDIO_A],
    );
    const { id, reference } = await addSession(10, 60, STUDIO_A);
    await rows('update private.booking set user_id = $2::uuid where id = $1::uuid', [id, host.id]);
    const refused = (status: number, code: string) => ({ status, body: { error: { code } } });
    expect(await server.call('crew-invite', { bookingId: id }, stranger.token)).toMatchObject(
      refused(404, 'not_found'),
    );
    expect(await server.call('crew-invite', { bookingId: id })).toMatchObject(refused(401, 'not_signed_in'));
    expect(await server.call('crew-invite', { bookingId: 'x' }, host.token)).toMatchObject(
      refused(400, 'invalid_request'),
    );
    const invited = await server.call('crew-invite', { bookingId: id }, host.token);
    expect(invited.status).toBe(200);
    const { url, inviteId } = invited.body;
    expect(url).toMatch(/\/crew#[\w-]{43}$/);
    const token = String(url).split('#')[1] ?? '';
    for (const name of ['crew-page', 'crew-code'])
      expect(await server.call(name, { token: 'x'.repeat(43) })).toMatchObject(refused(404, 'not_found'));
    const [{ version }] = (await rows<{ version: string }>(
      `select private.business_settings() ->> 'termsVersion' as version`,
    )) as [{ version: string }];
    const join = (name: string, termsVersion = version) => server.call('crew-join', { token, name, termsVersion });
    for (const name of ['', ' ', 'x'.repeat(41), 'a\u202eb', 'a\nb'])
      expect(await join(name)).toMatchObject(refused(400, 'invalid_request'));
    expect(await join('Sam', 'older')).toMatchObject(refused(403, 'terms_required'));
    expect(await server.call('door-help', { crew: token })).toMatchObject(refused(403, 'terms_required'));
    expect(await server.call('crew-page', { token })).toMatchObject({
      status: 200,
      body: { state: 'invited', access: null },
    });
    expect(await join(' Sam ')).toMatchObject({
      status: 200,
      body: { state: 'joined', name: 'Sam', access: { own: true } },
    });

    server.advance(6 * MINUTE);
    await server.settle();
    const page = await server.call('crew-page', { token });
    expect(Object.keys(page.body).toSorted()).toEqual(
      ['access', 'arrivalNotes', 'booking', 'host', 'name', 'state', 'termsVersion'].toSorted(),
    );
    const getPin = (answer: { body: Record<string, unknown> }) => (answer.body['access'] as { pin: string | null }).pin;
    const pin = getPin(page);
    expect(pin).toMatch(/^\d{6}$/);
    const type = async (digits: string | null) => {
      await server.sandbox('/api/clock', { now: server.now().toISOString() });
      return server.sandbox('/api/doors/SPA1X0001/keypad', { pin: digits });
    };
    const door = async () =>
      (
        (await server.call('staff-doors', {}, staff.token)).body['doors'] as { codes: unknown; lastOpening: unknown }[]
      )[0];
    const named = { reference: `${reference} (Sam)` };
    expect((await door())?.codes).toContainEqual(expect.objectContaining(named));
    expect(await type(pin)).toMatchObject({ opened: true });
    await server.settle();
    await server.settle();
    expect((await door())?.lastOpening).toMatchObject(named);
    expect((await door())?.codes).not.toContainEqual(expect.objectContaining(named));
    // On a busy machine, the removal from the lock needs another round.
    const typeAgain = async () => {
      await server.settle();
      return type(pin);
    };
    await expect.poll(typeAgain, { timeout: 20_000, interval: 500 }).toMatchObject({ opened: false });
    expect(getPin(await server.call('crew-page', { token }))).toBeNull();
    server.advance(MINUTE);
    const next = getPin(await server.call('crew-code', { token }));
    expect(next).toMatch(/^\d{6}$/);
    expect(await server.call('door-help', { crew: token })).toMatchObject({ status: 200, body: { hasCode: true } });

    const crewFor = async (caller: string) =>
      (await server.client(caller).rpc('booking_crew', { bookings: [id] })).data;
    expect(await crewFor(host.token)).toMatchObject([
      { id: inviteId, state: 'joined', name: 'Sam', saw_shared_code: false },
    ]);
    expect(await crewFor(staff.token)).toHaveLength(1);
    expect(await crewFor(stranger.token)).toEqual([]);
    const revoke = (caller: string) => server.call('crew-revoke', { inviteId }, caller);
    expect(await revoke(stranger.token)).toMatchObject(refused(404, 'not_found'));
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await revoke(host.token)).toEqual({ status: 200, body: { revoked: true, sawShared: false } });
    for (const name of ['crew-page', 'crew-code'])
      expect(await server.call(name, { token })).toMatchObject(refused(410, 'invitation_ended'));
    expect(await server.call('door-help', { crew: token })).toMatchObject(refused(410, 'invitation_ended'));
    await server.settle();
    expect(await type(next)).toMatchObject({ opened: false });
    expect(await server.call('export-my-data', {}, host.token)).toMatchObject({
      body: { crew: [{ name: 'Sam', state: 'revoked' }] },
    });
  });
});
