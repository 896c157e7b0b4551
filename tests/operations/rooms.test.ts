import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { Services } from '#server/operations/core/services.ts';
import { listLocks } from '#server/operations/settings/room-locks.ts';
import { setPriceList, setSpecialDays } from '#server/operations/settings/set-prices.ts';
import { orderRooms, setRoom } from '#server/operations/settings/set-room.ts';
import { setSettings } from '#server/operations/settings/set-settings.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { LockDevice, Power } from '#server/providers/ports.ts';
import { embedded, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

const STAFF = randomUUID();

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
let services: Services;
let check: () => Promise<{ devices: readonly LockDevice[] }>;
beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  cases = await createPaymentCases(db);
  await db.query('update public.studios set active = false');
  await db.query('delete from private.studio_lock');
  const device = (id: string, isLock = true): LockDevice => ({ id, name: `Lock ${id}`, isLock, batteryPercent: 80 });
  check = () => Promise.resolve({ devices: [device('a'), device('b'), device('bridge', false)] });
  services = {
    ...cases.system.services,
    studioLocks: new Map(),
    locks: { ...cases.system.services.locks, check: () => check() },
    plugs: new Map([
      ['', {} as Power],
      ['Green', {} as Power],
    ]),
  };
});

let count = 0;
const newName = (): string => `Room ${(count += 1)}`;
type Room = Parameters<typeof setRoom>[1]['room'];
const set = (studioId: string | null, room: Room, by = services) => setRoom(by, { studioId, room }, STAFF);
const add = (room: Room = {}): Promise<string> => set(null, { name: newName(), ...room });
const readRoom = (id: string) =>
  db.queryRow<{ name: string; active: boolean; lock: string | null; plug: string | null }>(
    `select s.name, s.active, l.lock_id as lock, p.plug from public.studios s left join private.studio_lock l on l.studio_id = s.id
     left join private.studio_plug p on p.studio_id = s.id where s.id = $1::uuid`,
    [id],
  );
const refused = (message: string, field = 'room.lockId') => ({ code: 'invalid_request', message, details: { field } });

describe('a room', () => {
  test('opens only with a lock that the lock service knows and no other open room has', async () => {
    const id = await add();
    await expect(set(id, { active: true })).rejects.toMatchObject(
      refused('Choose a lock before the room can be booked. Without one, customers can’t get in.'),
    );
    await expect(set(null, { name: newName(), active: true })).rejects.toMatchObject(
      refused('Choose a lock before the room can be booked. Without one, customers can’t get in.'),
    );
    const unknown = 'The lock service does not know this lock. Choose one from the list, or check the ID for typos.';
    await expect(set(id, { active: true, lockId: 'other' })).rejects.toMatchObject(refused(unknown));
    await set(id, { active: true, lockId: 'a' });
    expect(await readRoom(id)).toMatchObject({ active: true, lock: 'a' });
    const second = await add({ lockId: 'a' });
    const { name } = (await readRoom(id)) ?? { name: '' };
    await expect(set(second, { active: true })).rejects.toMatchObject(
      refused(`${name} already uses this lock. Each room needs its own lock.`),
    );
    await set(id, { active: false });
    await set(second, { active: true });
    expect(await listLocks(services)).toEqual([
      { id: 'a', name: 'Lock a', batteryPercent: 80, room: (await readRoom(second))?.name },
      { id: 'b', name: 'Lock b', batteryPercent: 80, room: null },
    ]);
  });

  test('does not open with a lock that another room takes while the lock service is asked', async () => {
    const [id, other] = [await add(), await add({ lockId: 'a' })];
    const answer = check;
    check = async () => {
      await db.query('update public.studios set active = true where id = $1::uuid', [other]);
      return answer();
    };
    await expect(set(id, { active: true, lockId: 'a' })).rejects.toMatchObject(
      refused('Another room already uses this lock. Each room needs its own lock.'),
    );
    expect(await readRoom(id)).toMatchObject({ active: false, lock: null });
  });

  test('keeps its lock without a question to the lock service, and asks for another one', async () => {
    const id = await add({ active: true, lockId: 'a' });
    check = () => Promise.reject(new ProviderError('igloohome', 'http_503', { retryable: true }));
    const silent = {
      code: 'provider_unavailable',
      message:
        'The lock service did not answer, so we couldn’t check the lock. Nothing was changed. Try again in a moment.',
      details: { field: 'room.lockId' },
    };
    await set(id, { title: 'Quiet', active: true, lockId: 'a' });
    await set(id, { name: newName() });
    expect(await readRoom(id)).toMatchObject({ lock: 'a' });
    await expect(set(id, { lockId: 'b' })).rejects.toMatchObject(silent);
    await expect(listLocks(services)).rejects.toMatchObject(silent);
    await set(id, { active: false, lockId: 'b' });
    await expect(set(id, { active: true })).rejects.toMatchObject(silent);
    check = () => Promise.reject(new Error('an error of our own'));
    await expect(listLocks(services)).rejects.toThrow('an error of our own');
  });

  test('has the lock of the environment, and keeps it under another name', async () => {
    const id = await add();
    const by = { ...services, studioLocks: new Map([[id, 'b']]) };
    await set(id, { active: true }, by);
    expect(await listLocks(by)).toMatchObject([{ room: null }, { room: (await readRoom(id))?.name }]);
    expect((await readRoom(id))?.lock).toBeNull();
    await set(id, { name: newName() }, by);
    expect((await readRoom(id))?.lock).toBe('b');
  });

  test('has a plug that the operator has set up', async () => {
    const id = await add({ plug: 'Green' });
    expect(await readRoom(id)).toMatchObject({ plug: 'Green' });
    await expect(set(id, { plug: 'Blue' })).rejects.toMatchObject(refused('Available plugs: Green.', 'room.plug'));
    const none = { ...services, plugs: new Map([['', {} as Power]]) };
    await expect(set(id, { plug: 'Green' }, none)).rejects.toMatchObject(
      refused('The operator has not named any plugs.', 'room.plug'),
    );
    await set(id, { plug: null }, none);
    expect(await readRoom(id)).toMatchObject({ plug: null });
  });

  test('has a name of its own, and must exist', async () => {
    const [id, other] = [await add(), await add()];
    const { name } = (await readRoom(other)) ?? {};
    await expect(set(id, { name })).rejects.toMatchObject(refused('Another room has this name.', 'room.name'));
    await expect(set(randomUUID(), { title: 'Quiet' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'Studio not found',
    });
  });

  test('that changes makes the locks be checked at once', async () => {
    const later = new Date(cases.system.state.now + 3_600_000);
    await db.query(
      `insert into private.lease (name, until) values ('locks', $1::timestamptz) on conflict (name) do update set until = excluded.until`,
      [later],
    );
    await add();
    expect(await db.queryRow(`select until from private.lease where name = 'locks'`)).toEqual({
      until: services.clock(),
    });
  });

  test('has its place in the order of staff, if all of it exist', async () => {
    const [a, b, c] = [await add(), await add(), await add()];
    await orderRooms(services, [c, a, b], STAFF);
    const order = async () =>
      (
        await db.query<{ id: string }>(
          'select id from public.studios where id = any ($1::uuid[]) order by sort_order',
          [[a, b, c]],
        )
      ).rows.map(({ id }) => id);
    expect(await order()).toEqual([c, a, b]);
    await expect(orderRooms(services, [a, randomUUID()], STAFF)).rejects.toMatchObject({
      code: 'not_found',
      message: 'Studio not found',
    });
    expect(await order()).toEqual([c, a, b]);
  });
});

describe('prices', () => {
  const prices = {
    hourCents: Array.from({ length: 168 }, () => 3_000),
    volumePercents: Array.from({ length: 24 }, () => 0),
  };
  const list = (validFrom: string, more: object = {}) =>
    setPriceList(services, { studioId: STUDIO, validFrom, prices, ...more }, STAFF);
  const days = (firstDay: string, lastDay: string, more: object = {}) =>
    setSpecialDays(
      services,
      {
        studioId: STUDIO,
        firstDay,
        lastDay,
        prices: { name: 'Fair', hourCents: prices.hourCents.slice(0, 24) },
        ...more,
      },
      STAFF,
    );

  test('begin on a day to come, can be removed until then, and are refused for an unknown studio', async () => {
    await list('2031-04-01');
    await list('2031-04-01', { prices: null });
    const none = { code: 'not_found', message: 'No prices start on that day.' };
    await expect(list('2031-04-01', { prices: null })).rejects.toMatchObject(none);
    await expect(list('2031-02-28')).rejects.toMatchObject({
      code: 'too_late',
      message: 'Prices already in effect can’t be changed. Choose a later day.',
    });
    const noStudio = { code: 'not_found', message: 'Studio not found' };
    await expect(list('2031-04-01', { studioId: randomUUID() })).rejects.toMatchObject(noStudio);
    await expect(days('2031-04-01', '2031-04-02', { studioId: randomUUID() })).rejects.toMatchObject(noStudio);
  });

  test('of special days do not overlap', async () => {
    await days('2031-05-01', '2031-05-03');
    await expect(days('2031-05-03', '2031-05-04')).rejects.toMatchObject({
      code: 'days_overlap',
      message: 'Some of these days already have special prices. Remove those first.',
    });
    await days('2031-05-01', '2031-05-03', { prices: null });
    await days('2031-05-03', '2031-05-04');
  });
});

test('settings are stored, and a photo of the way must be uploaded', async () => {
  const settings = await setSettings(services, { notice: 'Closed on Monday' }, STAFF);
  expect(settings).toMatchObject({ notice: 'Closed on Monday', name: services.business().name });
  const photo = `${randomUUID()}.jpg`;
  await expect(setSettings(services, { directionsPhoto: photo }, STAFF)).rejects.toMatchObject(
    refused('The photo was not found. Upload it again.', 'directionsPhoto'),
  );
  const upload = (bucket: string) =>
    db.query(
      `insert into storage.objects (bucket_id, name, storage_key, content_type, size) values ($1, $2, $1 || $2, 'image/jpeg', 1)`,
      [bucket, photo],
    );
  await upload('incidents');
  await expect(setSettings(services, { directionsPhoto: photo }, STAFF)).rejects.toMatchObject(
    refused('The photo was not found. Upload it again.', 'directionsPhoto'),
  );
  await upload('rooms');
  expect(await setSettings(services, { directionsPhoto: photo }, STAFF)).toMatchObject({ directionsPhoto: photo });
  expect(await setSettings(services, { directionsPhoto: '', notice: '' }, STAFF)).toMatchObject({
    directionsPhoto: '',
  });
});
