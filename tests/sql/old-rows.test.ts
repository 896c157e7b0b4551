import { afterAll, beforeAll, expect, test } from 'vitest';
import { openUpgraded } from '#tests/support/image.ts';
import { uuid } from '#tests/support/rows.ts';
import { AUTH, PRIVATE, PUBLIC, type Values } from './constraint-examples.ts';

/**
 * Rows of an earlier version whose texts have characters that cannot be seen: the version that refuses these characters upgrades them. 0109 came after
 * this migration.
 */
const LAST = '0108_account_notices';
const RIGHT_TO_LEFT = '\u202e';
const ZERO_WIDTH = '\u200b';

type Db = Parameters<Parameters<typeof openUpgraded>[1]>[0];
let db: Db;
beforeAll(async () => {
  db = await openUpgraded(LAST, fill);
}, 240_000);
afterAll(() => db?.close());

/** Adds a row of a table to what its examples say. */
async function add(old: Db, table: string, values: Values): Promise<void> {
  const { base } = { ...AUTH, ...PRIVATE, ...PUBLIC }[table] ?? { base: {} };
  const row = { ...base, ...values };
  const columns = Object.keys(row).map((name) => `"${name}"`);
  await old.query(
    `insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')} from jsonb_populate_record(null::${table}, $1::jsonb)`,
    [JSON.stringify(row)],
  );
}

async function fill(old: Db): Promise<void> {
  await add(old, 'auth.users', { id: uuid(1), email: 'a@example.com' });
  await old.query('update public.profiles set full_name = $1, phone = $2, dj_name = $3, address = $4', [
    `${RIGHT_TO_LEFT}Alex Doe`,
    `0400${ZERO_WIDTH}111222`,
    ZERO_WIDTH,
    `1 High St\n${RIGHT_TO_LEFT}Sydney`,
  ]);
  for (const [id, friendly_name] of [
    [uuid(11), 'Phone'],
    [uuid(12), `Pho${ZERO_WIDTH}ne`],
    [uuid(13), `${RIGHT_TO_LEFT}App`],
  ] as const)
    await add(old, 'auth.mfa_factors', { id, friendly_name });
  await add(old, 'auth.webauthn_credentials', { friendly_name: `${ZERO_WIDTH}Blue key` });
  await add(old, 'public.studios', { id: uuid(1) });
  await old.query('alter table private.booking disable trigger user');
  await add(old, 'private.booking', {
    guest_name: `${RIGHT_TO_LEFT}Bea`,
    guest_email: `b${ZERO_WIDTH}@example.com`,
    notes: `one\n${ZERO_WIDTH}two`,
  });
  await old.query('alter table private.booking enable trigger user');
  for (const code of ['TEN', `T${ZERO_WIDTH}EN`, `DANCE${RIGHT_TO_LEFT}`, ZERO_WIDTH])
    await add(old, 'public.discount_codes', { code, description: `for ${RIGHT_TO_LEFT}friends` });
  await add(old, 'public.discount_codes', { code: 'THIRD', description: 'for friends', min_hours: 1.3, max_uses: 2 });
  for (const email of ['c@example.com', `d${ZERO_WIDTH}@example.com`]) await add(old, 'public.mailing_list', { email });
  await old.query('delete from private.outbox');
}

const rows = (text: string) => db.query(text).then((answer) => answer.rows);

test('texts of customers, bookings and codes lose characters that cannot be seen when the server is upgraded', async () => {
  expect(await rows('select full_name, phone, dj_name, address from public.profiles')).toEqual([
    { full_name: 'Alex Doe', phone: '0400111222', dj_name: null, address: '1 High St\nSydney' },
  ]);
  expect(await rows('select guest_name, guest_email, notes from private.booking')).toEqual([
    { guest_name: 'Bea', guest_email: 'b@example.com', notes: 'one\ntwo' },
  ]);
  expect(await rows('select email from public.mailing_list')).toEqual([{ email: 'c@example.com' }]);
});

test('a discount code that equals another one without these characters gets a name of its own', async () => {
  const found = await rows('select code, description from public.discount_codes order by code collate "C"');
  expect(found.map(({ code }) => String(code).replace(/^CODE-[0-9A-F]{8}$/, 'CODE-'))).toEqual([
    'CODE-',
    'CODE-',
    'DANCE',
    'TEN',
    'THIRD',
  ]);
  expect(new Set(found.map(({ description }) => description))).toEqual(new Set(['for friends']));
});

test('names of second factors and passkeys lose them too, stay different from each other, and no mail is sent', async () => {
  expect(await rows('select friendly_name from auth.mfa_factors order by id')).toEqual([
    { friendly_name: 'Phone' },
    { friendly_name: `Phone ${uuid(12).slice(0, 8)}` },
    { friendly_name: 'App' },
  ]);
  expect(await rows('select friendly_name from auth.webauthn_credentials')).toEqual([{ friendly_name: 'Blue key' }]);
  expect(await rows('select kind from private.outbox')).toEqual([]);
});

test('a code with minimum hours that nobody could set today is still used, turned off and saved with the same hours', async () => {
  for (const change of ['current_uses = 1', 'active = false', `description = 'Old', min_hours = 1.3`])
    expect(await db.query(`update public.discount_codes set ${change} where code = 'THIRD'`)).toMatchObject({
      count: 1,
    });
});
