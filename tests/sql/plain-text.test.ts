import { afterAll, beforeAll, expect, test } from 'vitest';
import { isPlain, isPlainLines } from '#rules/people.ts';
import { openRows, type TestRows, uuid } from '#tests/support/rows.ts';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

test('the database and the rules refuse the same characters', () =>
  database.rolledBack(async ({ query }) => {
    // All characters except NUL, which PostgreSQL cannot store, and surrogates.
    const points = [...Array(0xffff).keys()].map((at) => at + 1).filter((at) => at < 0xd800 || at > 0xdfff);
    for (const [lines, plain] of [
      [false, isPlain],
      [true, isPlainLines],
    ] as const) {
      const refused = await query<{ at: number }>(
        `select i as at from generate_series(1, 65535) i
         where i not between 55296 and 57343 and not private.is_plain('a' || chr(i) || 'b', $1) order by 1`,
        [lines],
      );
      expect(refused.map(({ at }) => at)).toEqual(points.filter((at) => !plain(`a${String.fromCharCode(at)}b`)));
    }
  }));

/** Columns whose text callers cannot choose freely, because the server, a list of values or a pattern determines it. */
const NOT_FREE = [
  'bookings.cancel_reason',
  'bookings.contact_phone',
  'bookings.reference',
  'bookings.status',
  'bookings.studio_name',
  'discount_codes.customer_email',
  'discount_codes.discount_type',
  'profiles.email',
  'scheduled_emails.email_type',
  'scheduled_emails.recipient_email',
  'scheduled_emails.status',
];

test('every text that callers write through the data API is in a constraint that refuses hidden characters', () =>
  database.rolledBack(async ({ query }) => {
    const found = await query<{ name: string; covered: boolean }>(
      `select c.relname || '.' || a.attname as name, exists (
         select from pg_constraint k join pg_class t on t.oid = k.conrelid
         where t.relname = case c.relname when 'bookings' then 'booking' else c.relname end and k.contype = 'c'
           and pg_get_constraintdef(k.oid) ~ ('is_plain\\(' || a.attname || '\\M')) as covered
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.atttypid = 'text'::regtype
       where n.nspname = 'public' and c.relkind in ('r', 'v') and exists (
         select from unnest('{anon,authenticated}'::text[]) r
         where has_column_privilege(r, c.oid, a.attnum, 'insert') or has_column_privilege(r, c.oid, a.attnum, 'update'))
       order by 1`,
    );
    expect(found.filter(({ covered }) => !covered).map(({ name }) => name)).toEqual(NOT_FREE);
    expect(found.length).toBeGreaterThan(NOT_FREE.length + 8);
  }));

test('names of a sign-up lose hidden characters on their way into the profile', () =>
  database.rolledBack(async ({ query }) => {
    const data = { full_name: '\u202eAlex \u0007Doe', phone: '0400\u200b111222', dj_name: '\u2066' };
    await query(`insert into auth.users (id, email, raw_user_meta_data) values ($1, 'a@example.com', $2::jsonb)`, [
      uuid(1),
      data,
    ]);
    const profile = () => query('select full_name, phone, dj_name from public.profiles');
    expect(await profile()).toEqual([{ full_name: 'Alex Doe', phone: '0400111222', dj_name: null }]);
    await query('update auth.users set raw_user_meta_data = $1::jsonb', [{ ...data, full_name: 'Bea\u2069' }]);
    expect(await profile()).toEqual([{ full_name: 'Bea', phone: '0400111222', dj_name: null }]);
  }));
