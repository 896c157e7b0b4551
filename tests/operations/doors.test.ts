import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { checkLocks } from '#server/operations/access/check-locks.ts';
import { openDoor, readDoorLog, readDoors } from '#server/operations/access/doors.ts';
import { recordBridge, recordReport } from '#server/operations/access/record-report.ts';
import type { Services } from '#server/operations/core/services.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { LockDevice, Locks } from '#server/providers/ports.ts';
import { addPerson, embedded, HOUR, LOCK, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

const DAY = 24 * HOUR;
const silent = new ProviderError('igloohome', 'no_response', { retryable: true });

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
let staff: string;
let services: Services;
let locks: { -readonly [Name in keyof Locks]: Locks[Name] };
beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  cases = await createPaymentCases(db);
  staff = await addPerson(db);
  for (const table of ['lock_event', 'lock_state', 'lease']) await db.query(`delete from private.${table}`);
  await db.query('update public.studios set active = id = $1::uuid', [STUDIO]);
  locks = { ...cases.system.services.locks };
  services = { ...cases.system.services, locks, plugs: new Map() };
});

const device = (more: Partial<LockDevice> = {}): LockDevice => ({
  id: LOCK,
  name: 'Lock',
  isLock: true,
  batteryPercent: 80,
  ...more,
});
const readLockState = () =>
  db.queryRow(
    `select lock_id as lock, online, battery_percent as battery, checked_at as checked, offline_since as offline, low_since as low, unknown_since as unknown
     from private.lock_state where studio_id = $1::uuid`,
    [STUDIO],
  );
const report = (minutes: number, more: Partial<Parameters<typeof recordReport>[1]> = {}) =>
  recordReport(services, {
    lockId: LOCK,
    kind: 'from_inside',
    pin: null,
    at: new Date(START + minutes * MINUTE),
    ...more,
  });
const door = async (by = services) => (await readDoors(by)).doors.find(({ studioId }) => studioId === STUDIO);
const leaseEnd = async () => (await db.queryRow<{ until: Date }>('select until from private.lease'))?.until;

describe('the check of the locks', () => {
  const run = (stop = () => false) => checkLocks(services, 15 * MINUTE, stop);

  test('stores battery and answer of each lock, once in its time', async () => {
    let calls = 0;
    locks.readStatus = async () => ({ online: (calls += 1) > 0 });
    await run();
    await run();
    expect(calls).toBe(1);
    expect(await readLockState()).toEqual({
      lock: LOCK,
      online: true,
      battery: 80,
      checked: new Date(START),
      offline: null,
      low: null,
      unknown: null,
    });
    expect(await leaseEnd()).toEqual(new Date(START + 15 * MINUTE));
    cases.system.state.now += 15 * MINUTE;
    await run();
    expect(calls).toBe(2);
  });

  test('stores a lock with a low battery, one that is unknown without asking it, and asks one that does not answer again after two minutes', async () => {
    locks.check = () => Promise.resolve({ devices: [device({ batteryPercent: 20 })] });
    locks.readStatus = () => Promise.resolve({ online: false });
    await run();
    const now = new Date(START);
    expect(await readLockState()).toMatchObject({ online: false, battery: 20, offline: now, low: now, unknown: null });
    expect(await leaseEnd()).toEqual(new Date(START + 2 * MINUTE));
    cases.system.state.now += 2 * MINUTE;
    locks.check = () => Promise.resolve({ devices: [device({ id: 'other' })] });
    locks.readStatus = () => Promise.reject(new Error('an unknown lock is not asked'));
    await run();
    expect(await readLockState()).toMatchObject({ online: null, battery: null, unknown: new Date(START + 2 * MINUTE) });
    expect(await leaseEnd()).toEqual(new Date(START + 17 * MINUTE));
  });

  test('asks a lock of two rooms once, and begins again at once when it is stopped or the bridge reports', async () => {
    const other = randomUUID();
    await db.query(`insert into public.studios (id, name, hourly_rate, active) values ($1::uuid, 'Other', 49, false)`, [
      other,
    ]);
    services = { ...services, studioLocks: new Map([STUDIO, other].map((id) => [id, LOCK])) };
    let calls = 0;
    locks.readStatus = async () => ({ online: (calls += 1) > 0 });
    await run(() => true);
    expect([calls, await leaseEnd()]).toEqual([0, services.clock()]);
    await run();
    expect(calls).toBe(1);
    expect((await db.query('select online from private.lock_state')).rows).toEqual([
      { online: true },
      { online: true },
    ]);
    await recordBridge(services);
    expect(await leaseEnd()).toEqual(services.clock());
  });

  test('changes nothing while the lock service does not answer', async () => {
    await run();
    const before = await readLockState();
    cases.system.state.now += 15 * MINUTE;
    locks.check = () => Promise.reject(silent);
    await expect(run()).rejects.toBe(silent);
    expect(await readLockState()).toEqual(before);
  });
});

describe('the doors', () => {
  test('show lock, battery, last answer and opening, and the codes that open them now', async () => {
    expect(await door()).toMatchObject({
      lockId: LOCK,
      known: true,
      batteryPercent: 80,
      isBatteryLow: false,
      online: null,
      heardAt: null,
      checkedAt: null,
      lastOpening: null,
      codes: [],
    });
    locks.check = () => Promise.resolve({ devices: [device({ batteryPercent: 20 })] });
    await checkLocks(services, HOUR, () => false);
    await report(1);
    expect(await door()).toMatchObject({
      studioName: 'Studio',
      batteryPercent: 20,
      isBatteryLow: true,
      online: true,
      heardAt: expect.stringContaining('00:01:00'),
      checkedAt: expect.stringContaining('00:00:00'),
    });
    locks.check = () => Promise.resolve({ devices: [device({ id: 'other', batteryPercent: 21 })] });
    expect(await door()).toMatchObject({ known: false, batteryPercent: 20 });
    locks.check = () => Promise.reject(silent);
    expect(await door()).toMatchObject({ known: null, batteryPercent: 20 });
    expect(cases.system.logged).toContain(
      'the lock service or a plug did not answer; staff see the door data without it',
    );
    // A different lock from the one that was checked.
    const other = { ...services, studioLocks: new Map([[STUDIO, 'other']]) };
    expect(await door(other)).toMatchObject({
      lockId: 'other',
      batteryPercent: null,
      online: null,
      heardAt: null,
      checkedAt: null,
    });
    expect(await door({ ...services, studioLocks: new Map() })).toMatchObject({ lockId: null });
    locks.check = () => Promise.reject(new Error('an error of our own'));
    await expect(readDoors(services)).rejects.toThrow('an error of our own');
  });

  test('show the lights of rooms without a plug of their own', async () => {
    const plug = (isOn: () => Promise<boolean>) =>
      new Map([['', { isOn, set: async () => undefined, pulse: async () => undefined }]]);
    expect(await readDoors(services)).toMatchObject({ canOpen: true, lights: [], lightsOn: null });
    const lit = { ...services, plugs: plug(async () => true) };
    expect(await readDoors(lit)).toMatchObject({ lightsOn: true, lights: [{ plug: null, on: true }] });
    expect(await readDoors({ ...services, plugs: plug(() => Promise.reject(silent)) })).toMatchObject({
      lightsOn: null,
      lights: [{ on: null }],
    });
  });

  test('are opened from afar with an entry in the audit log, also when the lock does not answer', async () => {
    const open = (by = services) => openDoor(by, { studioId: STUDIO, reason: 'Locked out' }, staff);
    await open();
    expect(cases.system.door.opened).toEqual([LOCK]);
    expect(await readDoorLog(services, { studioId: null, bookingId: null, before: null })).toMatchObject([
      { kind: 'from_afar', at: new Date(START), studioId: STUDIO, actor: 'Alex Citizen' },
    ]);
    locks.open = () => Promise.reject(silent);
    await expect(open()).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'The lock did not answer. It may still open, so check the door log before you try again.',
    });
    locks.open = () => Promise.reject(new ProviderError('igloohome', 'not_supported', { retryable: false }));
    await expect(open()).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'This lock has no bridge, so you can’t open it from here.',
    });
    locks.open = () => Promise.reject(new Error('an error of our own'));
    await expect(open()).rejects.toThrow('an error of our own');
    await expect(open({ ...services, studioLocks: new Map() })).rejects.toMatchObject({
      code: 'not_found',
      message: 'This studio has no lock.',
    });
    const { rows } = await db.query(
      `select action, resource_type as resource, resource_id as id, details from public.audit_logs where actor = $1::uuid and action = 'open'`,
      [staff],
    );
    expect(rows).toEqual(
      Array.from({ length: 4 }, () => ({
        action: 'open',
        resource: 'door',
        id: STUDIO,
        details: { reason: 'Locked out' },
      })),
    );
  });
});

describe('the door log', () => {
  const log = async (more: Partial<Parameters<typeof readDoorLog>[1]> = {}) =>
    (await readDoorLog(services, { studioId: null, bookingId: null, before: null, ...more })).map(
      ({ at }) => (at.getTime() - START) / MINUTE,
    );

  test('has a month of entries until an hour from now, newest first, each once, of a studio or before a time', async () => {
    const month = 31 * 24 * 60;
    for (const minutes of [1, 1, 59, 61, 60 - month - 1, 60 - month + 1]) await report(minutes);
    expect(await log()).toEqual([59, 1, 60 - month + 1]);
    expect(await log({ before: new Date(START + 30 * MINUTE) })).toEqual([1, 60 - month + 1, 60 - month - 1]);
    expect(await log({ studioId: STUDIO })).toHaveLength(3);
    expect(await log({ studioId: randomUUID() })).toEqual([]);
  });

  test('of a booking has the entries of its session, with reference and customer', async () => {
    const span = { startTime: new Date(START + 7 * DAY), endTime: new Date(START + 7 * DAY + HOUR) };
    const { id } = await cases.system.book(await addPerson(db), span);
    const week = 7 * 24 * 60;
    for (const minutes of [week - 1, week, week + 59, week + 60]) await report(minutes);
    cases.system.state.now = START + 40 * DAY;
    expect(await log({ bookingId: id })).toEqual([week + 59, week]);
    const [entry] = await readDoorLog(services, { studioId: STUDIO, bookingId: id, before: null });
    expect(entry).toMatchObject({
      kind: 'from_inside',
      studioName: 'Studio',
      byCode: false,
      startTime: span.startTime,
      customerName: 'Alex Citizen',
      actor: null,
      reference: expect.stringMatching(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/),
    });
    expect(await log({ bookingId: randomUUID() })).toEqual([]);
  });
});
