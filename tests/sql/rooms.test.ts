import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRows, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';

const STAFF = uuid(7);
let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const rolledBack = (work: (rows: Rows) => Promise<void>) => (): Promise<void> => database.rolledBack(work);
const set = ({ value }: Rows, studio: unknown, room: unknown): Promise<unknown> =>
  value('select private.set_room($1::uuid, $2::jsonb, $3::uuid)', [studio, room, STAFF]);
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
    // What changes nothing is no entry.
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
