import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { objectsIn } from './code-objects.ts';
import { migrate } from './migrate.ts';
import type { Migrator } from './migrator.ts';
import type { Migration, Schema } from './schema.ts';
import { MigrationRefused } from './upgrade-plan.ts';
import { previewUpgrade } from './upgrade-preview.ts';

const database = await PGlite.create();
afterAll(() => database.close());
const engine: Migrator = {
  script: async (sql) => void (await database.exec(sql)),
  rows: async (sql) => (await database.query<Record<string, unknown>>(sql)).rows,
};
beforeEach(async () => void (await database.exec('drop schema if exists private cascade')));

const migration = (name: string, sql: string): Migration => ({ name, sql, checksum: name });
const TABLES = migration('0200_tables', 'create table private.note (body text); create index a on private.note (body)');
const price = (cents: number): string =>
  `create or replace function private.price() returns integer language sql set search_path = '' as $$ select ${cents} $$;`;
const VIEW = 'create or replace view private.prices as select private.price() as cents;';
const NOTES = `
  alter table private.note enable row level security;`;
const POLICY = 'create policy "all read" on private.note for select using (true);';
const TRIGGER = `create or replace function private.keep() returns trigger language plpgsql set search_path = '' as $$ begin return new; end $$;
  create trigger keep before insert on private.note for each row execute function private.keep();`;

const createSchema = (version: string, sql: string, ...migrations: readonly Migration[]): Schema => ({
  version,
  migrations: [TABLES, ...migrations],
  code: { beforeTables: [], others: objectsIn(sql, 'a.sql') },
  releases: [{ version: '0.2.0', commit: 'c0ffee', migrations: { '0200_tables': '0200_tables' } }],
});
const upgrade = (schema: Schema) => migrate(engine, schema, () => undefined);
const NOTHING = { migrations: [], created: [], replaced: [], retired: [], dropped: [] };

test('an empty database gets everything, and the locks of its new tables are not listed', async () => {
  expect(await previewUpgrade(engine, createSchema('0.2.0', price(1) + VIEW))).toEqual({
    ...NOTHING,
    release: null,
    isNewer: false,
    migrations: [{ name: '0200_tables', withoutTransaction: false, longLocks: [] }],
    created: ['function private.price()', 'view private.prices'],
  });
});

test('after an upgrade, there is nothing to do', async () => {
  const schema = createSchema('0.2.0', price(1) + VIEW + POLICY + TRIGGER);
  await upgrade(schema);
  expect(await previewUpgrade(engine, schema)).toEqual({ ...NOTHING, release: '0.2.0', isNewer: false });
});

test('names what a start then does: what it creates, replaces, retires and drops', async () => {
  await upgrade(createSchema('0.2.0', price(1) + VIEW + TRIGGER));
  await upgrade(createSchema('0.3.0', price(1) + TRIGGER));
  const next = createSchema('0.4.0', price(2) + POLICY);
  const preview = await previewUpgrade(engine, next);
  expect(preview).toEqual({
    ...NOTHING,
    release: '0.3.0',
    isNewer: false,
    created: ['policy "all read" on private.note'],
    replaced: ['function private.price()'],
    retired: ['function private.keep()', 'trigger keep on private.note'],
    dropped: ['view private.prices'],
  });
  const { objects } = await upgrade(next);
  expect(objects.toSorted()).toEqual([...preview.created, ...preview.replaced].toSorted());
  expect(await engine.rows(`select name from private.code_object where retired_in = '0.4.0' order by name`)).toEqual(
    preview.retired.map((name) => ({ name })),
  );
  expect(await engine.rows(`select to_regclass('private.prices')::text as view`)).toEqual([{ view: null }]);
});

test('what an earlier release left without a record is replaced, and what it had is not loaded', async () => {
  const [trigger] = objectsIn(TRIGGER, 'a.sql').slice(-1);
  await engine.script(`create schema private; ${TABLES.sql}; ${price(1)} ${TRIGGER} ${NOTES} ${POLICY}
    create table private.migrations (name text primary key, checksum text not null);
    insert into private.migrations values ('0001_old', 'old')`);
  const chain = { version: '0.1.0', commit: 'c0ffee', migrations: { '0001_old': 'old' }, baseline: '0200_tables' };
  const code = { [trigger?.name ?? '']: trigger?.hash ?? '' };
  const schema = { ...createSchema('0.2.0', price(1) + TRIGGER + POLICY), releases: [{ ...chain, code }] };
  expect(await previewUpgrade(engine, schema)).toEqual({
    ...NOTHING,
    release: '0.1.0',
    isNewer: false,
    replaced: ['function private.price()', 'function private.keep()', 'policy "all read" on private.note'],
  });
});

test('pending migrations come in order, with those without a transaction and the statements that lock a table for long', async () => {
  await upgrade(createSchema('0.2.0', ''));
  const checked = migration(
    '0201_check',
    '-- Allowed: few rows.\nalter table private.note add check (body is not null);',
  );
  const index = migration(
    '0202_index',
    '-- Runs without a transaction\ncreate index concurrently b on private.note (body);',
  );
  expect((await previewUpgrade(engine, createSchema('0.3.0', '', checked, index))).migrations).toEqual([
    {
      name: '0201_check',
      withoutTransaction: false,
      longLocks: ['alter table private.note add check (body is not null): checks all rows under a lock'],
    },
    { name: '0202_index', withoutTransaction: true, longLocks: [] },
  ]);
});

test('a database whose code a newer release has loaded stays as it is', async () => {
  await upgrade(createSchema('0.10.0', price(2) + VIEW));
  expect(await previewUpgrade(engine, createSchema('0.9.0', price(1)))).toEqual({
    ...NOTHING,
    release: '0.10.0',
    isNewer: true,
  });
});

test('a database that no path upgrades is refused', async () => {
  await upgrade(createSchema('0.2.0', ''));
  await engine.script(`update private.migrations set checksum = 'other'`);
  await expect(previewUpgrade(engine, createSchema('0.3.0', ''))).rejects.toThrow(MigrationRefused);
});
