import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays, slotEnd, slotStart, studioDate, studioHour } from '#rules/studio-time.ts';
import { openRows, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';
import { force, tryOut } from './booking-rows.ts';

const STAFF = uuid(7);
/** Saturday 1 March 2031, 11 am in Sydney. */
const NOW = '2031-03-01T00:00:00Z';
const ALWAYS = Array.from({ length: 168 }, () => true);
/** Open from 10 AM to 2 AM the next day, every day. */
const LATE = ALWAYS.map((_, index) => index % 24 < 2 || index % 24 >= 10);
let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const rolledBack = (work: (rows: Rows) => Promise<void>) => (): Promise<void> => database.rolledBack(work);
const set = ({ value }: Rows, studio: unknown, room: unknown): Promise<unknown> =>
  value('select private.set_room($1::uuid, $2::jsonb, $3::uuid, $4)', [studio, room, STAFF, NOW]);
const siteRooms = async ({ value }: Rows): Promise<unknown> =>
  ((await value('select private.site_rooms()')) as { name: string }[]).map(({ name }) => name);

test(
  'a new room comes last, is retired until staff open it, has prices, and every change is in the audit log',
  rolledBack(async (rows) => {
    const first = await set(rows, null, { name: 'One', active: true });
    const second = await set(rows, null, { name: 'Two', features: ['Decks', 'Lamps'], lockId: 'lock-2' });
    expect(await siteRooms(rows)).toEqual(['One']);
    expect(await rows.value('select count(*)::int from public.price_lists where studio_id = $1', [second])).toBe(1);
    await set(rows, second, { active: true, photos: ['drawn-a'] });
    expect(await siteRooms(rows)).toEqual(['One', 'Two']);
    // A call without a change does not add an entry.
    await set(rows, second, { name: 'Two' });
    const entries = await rows.query<{ action: string; details: { before?: unknown; after: unknown } }>(
      `select action, details from public.audit_logs where resource_type = 'studio' and resource_id = $1 order by created_at, action`,
      [second],
    );
    const created = {
      name: 'Two',
      title: '',
      summary: '',
      description: '',
      features: ['Decks', 'Lamps'],
      photos: [],
      active: false,
      lockId: 'lock-2',
      openHours: ALWAYS,
    };
    expect(entries).toEqual([
      { action: 'create', details: { after: created } },
      { action: 'update', details: { before: created, after: { ...created, active: true, photos: ['drawn-a'] } } },
    ]);
    expect(await set(rows, uuid(99), { name: 'Nobody' })).toBeNull();
    await rows.query('select private.order_rooms($1::uuid[], $2::uuid)', [[second, first], STAFF]);
    expect(await siteRooms(rows)).toEqual(['Two', 'One']);
  }),
);

test(
  'two rooms that customers can book never have the same lock, a retired one may share it, and rooms that shared one before can be changed',
  rolledBack(async (rows) => {
    const first = await set(rows, null, { name: 'One', lockId: 'lock-1', active: true });
    await set(rows, first, { active: true });
    const second = await set(rows, null, { name: 'Two', lockId: 'lock-1' });
    const taken = { constraint: 'studio_lock_of_one_room' };
    await expect(tryOut(rows, () => set(rows, second, { active: true }))).rejects.toMatchObject(taken);
    await set(rows, second, { lockId: 'lock-2' });
    await set(rows, second, { active: true });
    await expect(tryOut(rows, () => set(rows, second, { lockId: 'lock-1' }))).rejects.toMatchObject(taken);
    await set(rows, first, { active: false });
    await set(rows, second, { lockId: 'lock-1' });
    await expect(tryOut(rows, () => set(rows, first, { active: true }))).rejects.toMatchObject(taken);
    await force(rows, () => rows.query('update public.studios set active = true where id = $1', [first]));
    await set(rows, second, { title: 'The second' });
  }),
);

/** Returns the closed spans of a room as texts. */
const closed = async ({ query }: Rows, studio: unknown): Promise<string[]> =>
  (
    await query<{ span: string }>(
      `select to_char(start_time at time zone 'Australia/Sydney', 'MM-DD HH24:MI') || ' to '
         || to_char(end_time at time zone 'Australia/Sydney', 'MM-DD HH24:MI') as span
       from private.closed_span where studio_id = $1 order by start_time limit 3`,
      [studio],
    )
  ).map(({ span }) => span);

test(
  'the hours outside the opening hours are closed as far ahead as people can book, and open again with the room',
  rolledBack(async (rows) => {
    const id = await set(rows, null, { name: 'Late', openHours: LATE });
    expect(await closed(rows, id)).toEqual([
      '03-02 02:00 to 03-02 10:00',
      '03-03 02:00 to 03-03 10:00',
      '03-04 02:00 to 03-04 10:00',
    ]);
    const last = await rows.value(
      `select (max(end_time) at time zone 'Australia/Sydney')::date from private.closed_span where studio_id = $1`,
      [id],
    );
    expect(String(last)).toBe(addDays('2031-03-01', 92));
    // A later day comes within reach, and correct spans are not changed.
    await rows.query('select private.follow_all_opening_hours($1)', ['2031-03-02T12:00:00Z']);
    expect((await closed(rows, id))[0]).toBe('03-02 02:00 to 03-02 10:00');
    await set(rows, id, { openHours: ALWAYS });
    expect(
      await rows.value(`select count(*)::int from private.closed_span where studio_id = $1 and end_time > $2`, [
        id,
        NOW,
      ]),
    ).toBe(0);
  }),
);

test(
  'a booking outside new opening hours stays, its hours are closed once it is cancelled, and nobody can book closed hours',
  rolledBack(async (rows) => {
    const id = await set(rows, null, { name: 'Late' });
    const book = (start: string, status: string) =>
      rows.value(
        `insert into private.booking (reference, guest_email, guest_name, studio_id, studio_name, start_time, end_time, status, total_hours, base_cost_cents, final_cost_cents, notes)
         values (private.new_reference(), 'a@example.com', 'A', $1, 'Late', $2::timestamptz, $2::timestamptz + interval '1 hour', $3, 1, 0, 0, 'test') returning id`,
        [id, start, status],
      );
    // The booking starts at 4 AM on 2 March in Sydney.
    const booking = await book('2031-03-01T17:00:00Z', 'confirmed');
    await set(rows, id, { openHours: LATE });
    expect((await closed(rows, id)).slice(0, 2)).toEqual(['03-02 02:00 to 03-02 04:00', '03-02 05:00 to 03-02 10:00']);
    expect(await rows.refusal(() => book('2031-03-01T15:00:00Z', 'confirmed'))).toMatchObject({
      constraint: 'booking_not_closed',
    });
    await rows.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1`, [
      booking,
    ]);
    await rows.query('select private.follow_all_opening_hours($1)', [NOW]);
    expect((await closed(rows, id))[0]).toBe('03-02 02:00 to 03-02 10:00');
  }),
);

test(
  'hours begin in SQL when they begin in rules/studio-time.ts, also on the nights when the clocks change',
  rolledBack(async ({ value }) => {
    for (const date of ['2026-04-05', '2026-10-04', '2027-04-04', '2027-10-03', '2031-03-01'])
      for (let hour = 0; hour < 24; hour += 1) {
        const start = (await value('select private.hour_start($1::date, $2)', [date, hour])) as Date | null;
        expect([date, hour, start && new Date(start).toISOString()]).toEqual([
          date,
          hour,
          slotStart(date, hour)?.toISOString() ?? null,
        ]);
      }
  }),
);

test(
  'the closed spans of a night when the clocks change are those of the grid',
  rolledBack(async (rows) => {
    for (const [now, night] of [
      ['2026-10-02T00:00:00Z', '2026-10-04'],
      ['2027-04-02T00:00:00Z', '2027-04-04'],
    ] as const) {
      const id = await rows.value('select private.set_room(null, $1::jsonb, $2::uuid, $3)', [
        // The room closes only from 2 AM to 3 AM, the hour that is skipped in October and repeated in April.
        { name: night, openHours: ALWAYS.map((_, index) => index % 24 !== 2) },
        STAFF,
        now,
      ]);
      const spans = await rows.query<{ start: Date; end: Date }>(
        `select start_time as start, end_time as "end" from private.closed_span where studio_id = $1`,
        [id],
      );
      const there = spans.filter(({ start }) => studioDate(new Date(start)) === night);
      const start = slotStart(night, 2);
      expect(there.map((row) => [new Date(row.start).toISOString(), new Date(row.end).toISOString()])).toEqual(
        start === null ? [] : [[start.toISOString(), slotEnd(night, 2).toISOString()]],
      );
      expect(there.every(({ start: at }) => studioHour(new Date(at)) === 2)).toBe(true);
    }
  }),
);
