import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstRooms } from '#rules/business/rooms.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { checkout, type Customer, span, STUDIO_A, type TestServer } from '#tests/support/test-server.ts';

describe.each(oneEngine)('rooms as data on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  let customer: Customer;
  beforeAll(async () => {
    server = await open();
    [staff, customer] = [await server.addCustomer(), await server.addCustomer()];
    for (const { id } of [await server.addCustomer(), staff])
      await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [id]);
    await server.app.db.query(`update public.staff_permissions set permission = 'settings' where user_id = $1::uuid`, [
      staff.id,
    ]);
  }, 180_000);
  afterAll(() => server.close());

  const set = (studioId: string | null, room: unknown, token = staff.token) =>
    server.call('staff-set-room', { studioId, room }, token);
  const hold = (hours: number, studioId: unknown) =>
    server.call('create-payment', checkout(span(server.now(), hours), {}, String(studioId)), customer.token);

  it('the business begins with the rooms that the build renders', async () => {
    const row = await server.app.db.queryRow<{ rooms: unknown }>('select private.site_rooms() as rooms');
    expect(row?.rooms).toEqual(firstRooms);
  });

  it('the locks of the lock service are listed with their rooms, for staff who may change rooms', async () => {
    const { body } = await server.call('staff-locks', {}, staff.token);
    expect(body['locks']).toEqual([
      { id: 'SPA1X0001', name: 'Studio A', batteryPercent: 91, room: 'Studio A' },
      { id: 'SPB1X0002', name: 'Studio B', batteryPercent: 91, room: 'Studio B' },
      { id: 'SPC1X0003', name: 'Studio C', batteryPercent: 91, room: 'Studio C' },
      { id: 'SPD1X0004', name: 'Spare lock', batteryPercent: 91, room: null },
    ]);
    expect(await server.call('staff-locks', {}, customer.token)).toMatchObject({ status: 403 });
  });

  it('a room is not opened with a lock that the lock service does not know, that another open room has, or that cannot be checked', async () => {
    const refused = (message: RegExp) => ({
      status: 400,
      body: { error: { code: 'invalid_request', field: 'room.lockId', message: expect.stringMatching(message) } },
    });
    const id = String((await set(null, { name: 'Studio E', lockId: 'SPX1X0009' })).body['studioId']);
    expect(await set(id, { active: true })).toMatchObject(refused(/does not know this lock/));
    expect(await set(id, { active: true, lockId: 'SPB1X0002' })).toMatchObject(
      refused(/^Studio B already uses this lock/),
    );
    expect(await set(id, { lockId: 'SPD1X0004' })).toMatchObject({ status: 200 });
    await server.sandbox('/api/faults', { provider: 'igloohome', kind: 'status', status: 503, seconds: 86_400 });
    expect(await set(id, { active: true })).toMatchObject({ body: { error: { code: 'provider_unavailable' } } });
    // The details of an open room can be changed in the meantime.
    expect(await set(STUDIO_A, { title: 'The vinyl room', active: true })).toMatchObject({ status: 200 });
    await fetch(`${server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await expect.poll(() => set(id, { active: true })).toMatchObject({ status: 200 });
    expect(await set(STUDIO_A, { lockId: 'SPD1X0004' })).toMatchObject(refused(/^Studio E already uses this lock/));
    expect(await set(id, { active: false })).toMatchObject({ status: 200 });
  });

  it('a new room can be booked once it has a lock, and a retired one keeps its bookings and takes no new ones', async () => {
    const created = await set(null, { name: 'Studio D', title: 'The quiet room' });
    expect(created).toMatchObject({ status: 200 });
    const id = String(created.body['studioId']);
    expect(await hold(30, id)).toMatchObject({ status: 400 });
    expect(await set(id, { active: true })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', field: 'room.lockId' } },
    });
    expect(await set(id, { active: true, lockId: 'SPD1X0004' })).toMatchObject({ status: 200 });
    const held = await hold(30, id);
    expect(held).toMatchObject({ status: 200 });
    expect(await set(id, { active: false })).toMatchObject({ status: 200 });
    expect(await hold(40, id)).toMatchObject({ status: 400 });
    const own = await server.client(customer.token).rpc('own_bookings');
    expect(own.data?.map((booking) => booking.studio_name)).toEqual(['Studio D']);
    const shown = await server.client().from('studios').select('name').order('sort_order');
    expect(shown.data?.map(({ name }) => name)).toEqual(['Studio A', 'Studio B', 'Studio C']);
    const rooms = await server.client(staff.token).rpc('staff_rooms');
    expect(rooms.data?.at(-1)).toMatchObject({
      id,
      room: { active: false, lockId: 'SPD1X0004' },
      upcoming: 1,
      opened: true,
    });
    const draft = (await set(null, { name: 'Never open' })).body['studioId'];
    const after = await server.client(staff.token).rpc('staff_rooms');
    expect(after.data?.find((room) => room.id === draft)).toMatchObject({ room: { active: false }, opened: false });
  });

  it('an order of the rooms that names an unknown room is refused and changes nothing', async () => {
    const readNames = async () =>
      (await server.client().from('studios').select('name').order('sort_order')).data?.map(({ name }) => name);
    const before = await readNames();
    const order = (studioIds: readonly string[]) => server.call('staff-set-room', { order: studioIds }, staff.token);
    expect(await order([crypto.randomUUID(), STUDIO_A])).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
    expect(await readNames()).toEqual(before);
    expect(await order([STUDIO_A])).toMatchObject({ status: 200 });
    expect((await readNames())?.[0]).toBe('Studio A');
  });

  it('a room with another name keeps the lock that the operator gave to its old one', async () => {
    expect(await set(STUDIO_A, { name: 'The Loft' })).toMatchObject({ status: 200 });
    const stored = await server.app.db.queryRow<{ lock: string }>(
      'select lock_id as lock from private.studio_lock where studio_id = $1::uuid',
      [STUDIO_A],
    );
    expect(stored?.lock).toMatch(/\S/);
    expect(await set(STUDIO_A, { name: 'Studio B' })).toMatchObject({
      status: 400,
      body: { error: { message: 'Another room has this name.', field: 'room.name' } },
    });
    expect(await set(STUDIO_A, { name: 'Studio A' })).toMatchObject({ status: 200 });
  });

  it('pages follow the lowest price of an hour and whether every hour is open', async () => {
    let heard = 0;
    const stop = await server.app.db.listen('business_settings', () => void (heard += 1));
    const offer = async () =>
      (
        await server.app.db.queryRow<{ room: unknown }>(
          `select r.room from jsonb_array_elements(private.site_rooms()) r (room) where r.room ->> 'name' = 'Studio C'`,
        )
      )?.room;
    expect(await offer()).toMatchObject({ fromCents: 4_900, alwaysOpen: true });
    await server.app.db.query(`update public.studios set hourly_rate = 39.5 where name = 'Studio C'`);
    await expect.poll(() => heard).toBe(1);
    const openHours = Array.from({ length: 168 }, (_, hour) => hour !== 3);
    const { rows } = await server.app.db.query<{ id: string }>(`select id from public.studios where name = 'Studio C'`);
    expect(await set(String(rows[0]?.id), { openHours })).toMatchObject({ status: 200 });
    await expect.poll(() => heard).toBe(2);
    expect(await offer()).toMatchObject({ fromCents: 3_950, alwaysOpen: false });
    await stop();
  });

  it('only staff with the permission upload photos and read the locks, and everybody gets photos in the size of the page', async () => {
    const photo = await sharp({ create: { width: 1600, height: 900, channels: 3, background: '#123' } })
      .jpeg()
      .toBuffer();
    const name = '0a1b2c3d-0000-4000-8000-000000000001.jpg';
    const upload = (token: string) =>
      server.client(token).storage.from('rooms').upload(name, photo, { contentType: 'image/jpeg' });
    expect((await upload(customer.token)).error).not.toBeNull();
    expect((await upload(staff.token)).error).toBeNull();
    expect(await set(STUDIO_A, { photos: [name, 'drawn-a'] })).toMatchObject({ status: 200 });
    const address = `${server.url}/storage/v1/render/image/public/rooms/${name}?width=480&height=300&resize=cover&format=webp`;
    const picture = await sharp(await (await fetch(address)).arrayBuffer()).metadata();
    expect([picture.format, picture.width, picture.height]).toEqual(['webp', 480, 300]);
    expect((await server.client(customer.token).rpc('staff_rooms')).data).toEqual([]);
    expect(await set(STUDIO_A, { name: 'Mine' }, customer.token)).toMatchObject({ status: 403 });
    expect(await set(STUDIO_A, { photos: ['../secret.jpg'] })).toMatchObject({ status: 400 });
  });
});
