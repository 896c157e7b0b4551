import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { objectsIn } from './code-objects.ts';
import { dropRetired, loadCode } from './load-code.ts';
import { migrate } from './migrate.ts';
import type { Migrator } from './migrator.ts';

const database = await PGlite.create();
afterAll(() => database.close());
const engine: Migrator = {
  script: async (sql) => void (await database.exec(sql)),
  rows: async (sql) => (await database.query<Record<string, unknown>>(sql)).rows,
};
const value = async (sql: string): Promise<unknown> => Object.values((await engine.rows(sql))[0] ?? {})[0];

beforeEach(async () => {
  await database.exec('drop schema if exists private cascade; drop role if exists reader; create role reader');
  const empty = { version: '0.2.0', migrations: [], code: { beforeTables: [], others: [] }, releases: [] };
  await migrate(engine, empty, () => undefined);
  await database.exec('create table private.note (body text)');
});

const price = (cents: number, grants = ''): string =>
  `create or replace function private.price() returns integer language sql as $$ select ${cents} $$; ${grants}`;
const view = 'create or replace view private.prices as select private.price() as cents;';
const trigger = `create or replace function private.keep() returns trigger language plpgsql as $$ begin return new; end $$;
  create trigger keep before insert on private.note for each row execute function private.keep();`;
const load = (sql: string, release = '0.2.0') => loadCode(engine, objectsIn(sql, 'a.sql'), release);
const drop = (sql: string, release: string) => dropRetired(engine, objectsIn(sql, 'a.sql'), release);
const canRead = () => value(`select has_function_privilege('reader', 'private.price()', 'execute')`);

test('loads only what has changed, and nothing the second time', async () => {
  expect(await load(price(1) + view + trigger)).toEqual([
    'function private.price()',
    'function private.keep()',
    'view private.prices',
    'trigger keep on private.note',
  ]);
  expect(await load(price(1) + view + trigger)).toEqual([]);
  const before = await value(`select oid::bigint from pg_trigger where tgname = 'keep'`);
  expect(await load(price(2) + view + trigger)).toEqual(['function private.price()']);
  expect(await value('select cents from private.prices')).toBe(2);
  expect(await value(`select oid::bigint from pg_trigger where tgname = 'keep'`)).toBe(before);
});

test('a view may stand before the functions that it calls', async () => {
  await load(view + price(3));
  expect(await value('select cents from private.prices')).toBe(3);
});

test('a replaced function has exactly the rights that its new text grants', async () => {
  const shut = 'revoke execute on function private.price() from public;';
  await load(price(1, `${shut} grant execute on function private.price() to reader;`));
  expect(await canRead()).toBe(true);
  await load(price(1, shut));
  expect(await canRead()).toBe(false);
});

test('when one statement fails, nothing has changed', async () => {
  await load(price(1));
  await expect(
    load(`${price(2)} create or replace view private.broken as select * from private.missing;`),
  ).rejects.toThrow('private.missing');
  expect(await value('select private.price()')).toBe(1);
  expect(await load(price(1))).toEqual([]);
});

test('an older version loads nothing over the code of a newer one, and drops nothing of it', async () => {
  await load(price(2), '0.10.0');
  expect(await load(price(1), '0.9.0')).toEqual([]);
  await drop('', '0.9.0');
  await drop('', '0.9.1');
  expect(await value('select private.price()')).toBe(2);
});

test('what the code no longer has stays for one release and is dropped by the next, with its record', async () => {
  await load(price(1) + trigger);
  await drop(trigger, '0.3.0');
  await drop(trigger, '0.3.0');
  expect(await value('select private.price()')).toBe(1);
  await drop(trigger, '0.4.0');
  expect(await value(`select to_regproc('private.price') is null`)).toBe(true);
  expect(await value('select count(*)::int from private.code_object')).toBe(2);
});

test('an object that comes back before it is dropped stays, and is kept for another release when it goes again', async () => {
  await load(price(1));
  await drop('', '0.3.0');
  await drop(price(1), '0.4.0');
  await drop('', '0.5.0');
  expect(await value('select private.price()')).toBe(1);
});

test('objects that loading did not record are never dropped', async () => {
  await database.exec('create function private.own() returns integer language sql as $$ select 7 $$');
  await drop('', '0.3.0');
  await drop('', '0.4.0');
  expect(await value('select private.own()')).toBe(7);
});
