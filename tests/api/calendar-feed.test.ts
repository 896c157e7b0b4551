import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneEngine } from '#tests/support/engines.ts';
import { type Customer, span, STUDIO_A, STUDIO_B, type TestServer } from '#tests/support/test-server.ts';

describe.each(oneEngine)('calendar feeds on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  let customer: Customer;
  beforeAll(async () => {
    server = await open();
    [staff, customer] = [await server.addCustomer(), await server.addCustomer()];
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff.id]);
  }, 180_000);
  afterAll(() => server.close());

  const call = (action: 'create' | 'revoke', studioId: string = STUDIO_A, token = staff.token) =>
    server.call('staff-calendar-feed', { studioId, action }, token);
  const createFeed = async (studioId?: string): Promise<string> =>
    // The address points to the public site, which is not this test server.
    new URL(String((await call('create', studioId)).body['url'])).search;
  const read = (search: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/functions/v1/calendar-feed${search}`, { headers });
  /** Returns the file with its folded lines joined. */
  const readFile = async (search: string): Promise<string> =>
    (await (await read(search)).text()).replaceAll(/\r\n[ \t]/g, '');
  const book = async (hoursAhead: number, customerName: string, studioId = STUDIO_A): Promise<string> => {
    const created = await server.call(
      'staff-create-booking',
      {
        studioId,
        ...span(server.now(), hoursAhead),
        customerEmail: 'guest@example.com',
        customerName,
        payment: 'elsewhere',
      },
      staff.token,
    );
    expect(created.status).toBe(200);
    return String(created.body['reference']);
  };

  it('a feed has the confirmed bookings of its studio with first name and reference, and its closed hours, in UTC', async () => {
    const reference = await book(48, 'Sam Guest');
    const other = await book(48, 'Kim Guest', STUDIO_B);
    const late = await book(24 * 89, 'Lou Guest');
    const trial = await book(50, 'Test Guest');
    await server.app.db.query(`update private.booking set notes = 'test' where reference = $1`, [trial]);
    const held = await server.call(
      'staff-create-booking',
      {
        studioId: STUDIO_A,
        ...span(server.now(), 72),
        customerEmail: 'guest@example.com',
        customerName: 'Held Guest',
        payment: 'link',
      },
      staff.token,
    );
    const closed = span(server.now(), 96);
    const closure = { studioId: null, ...closed, reason: 'New mixer, at last', weeks: 20 };
    expect((await server.call('staff-close', closure, staff.token)).status).toBe(200);
    const file = await readFile(await createFeed());
    expect(file).toContain(`SUMMARY:Sam\\, ${reference}`);
    expect(file).toContain(`SUMMARY:Lou\\, ${late}`);
    expect(file).not.toContain(other);
    expect(file).not.toContain(trial);
    expect(file).not.toContain(String(held.body['reference']));
    expect(file).not.toContain('Guest');
    expect(file).not.toContain('guest@example.com');
    expect(file.match(/SUMMARY:Closed: New mixer\\, at last/g)?.length).toBe(13);
    const stamp = (text: string): string => text.replaceAll(/[-:]|\.000/g, '');
    expect(file).toContain(`DTSTART:${stamp(closed.startTime)}\r\n`);
    expect(file).toContain(`DTEND:${stamp(closed.endTime)}\r\n`);
    expect(file).not.toContain('TZID');
    // If the time of writing were in the file, each request would return a different file.
    const getTimes = (name: string) => [...file.matchAll(new RegExp(`^${name}:(.*)$`, 'gm'))].map(([, time]) => time);
    expect(getTimes('DTSTAMP')).toEqual(getTimes('DTSTART'));
  });

  it('the file stays the same until something changes, and 304 says so', async () => {
    const search = await createFeed(STUDIO_B);
    const tag = (await read(search)).headers.get('etag') ?? '';
    expect((await read(search, { 'if-none-match': tag })).status).toBe(304);
    await book(120, 'Pat Guest', STUDIO_B);
    expect((await read(search, { 'if-none-match': tag })).status).toBe(200);
  });

  it('an address stays the same until it is revoked, a new one is another, and each step is logged', async () => {
    const studioId = STUDIO_B;
    const since = (await server.app.db.queryRow<{ at: Date }>('select clock_timestamp() as at'))?.at;
    const first = await createFeed(studioId);
    expect(await createFeed(studioId)).toBe(first);
    expect(await call('revoke', studioId)).toMatchObject({ status: 200, body: { revoked: true } });
    expect(await call('revoke', studioId)).toMatchObject({ status: 200, body: { revoked: false } });
    expect((await read(first)).status).toBe(404);
    const second = await createFeed(studioId);
    expect(second).not.toBe(first);
    expect((await read(second)).status).toBe(200);
    const { rows } = await server.app.db.query<{ action: string }>(
      `select action from public.audit_logs where resource_type = 'calendar_feed' and actor = $1::uuid and created_at > $2 order by created_at`,
      [staff.id, since],
    );
    expect(rows.map(({ action }) => action)).toEqual(['view', 'view', 'delete', 'create']);
  });

  it('an address that the keys of the server no longer make is replaced', async () => {
    const before = await createFeed();
    await server.app.db.query(
      `update private.calendar_feed set token_hash = repeat('0', 64) where studio_id = $1::uuid and revoked_at is null`,
      [STUDIO_A],
    );
    const after = await createFeed();
    expect(after).not.toBe(before);
    expect((await read(after)).status).toBe(200);
  });

  it('the database stores no token', async () => {
    const token = new URLSearchParams(await createFeed()).get('token') ?? '';
    const { rows } = await server.app.db.query<{ row: string }>('select f::text as row from private.calendar_feed f');
    expect(rows.length).toBeGreaterThan(0);
    for (const part of [token, token.split('.')[2]]) for (const { row } of rows) expect(row).not.toContain(part);
  });

  it('wrong tokens, no token, an unknown studio and other callers are refused', async () => {
    const search = await createFeed();
    for (const wrong of ['', '?token=', `${search}x`, `?token=${randomUUID()}`])
      expect((await read(wrong)).status, wrong).toBe(404);
    expect((await call('create', randomUUID())).status).toBe(404);
    expect((await call('create', STUDIO_A, customer.token)).status).toBe(403);
    const { error } = await server.client(customer.token).rpc('calendar_feeds');
    expect(error?.code).toBe('42501');
    const { data } = await server.client(staff.token).rpc('calendar_feeds');
    expect(data?.map(({ studio_id: id }) => id).toSorted()).toEqual([STUDIO_A, STUDIO_B]);
  });
});
