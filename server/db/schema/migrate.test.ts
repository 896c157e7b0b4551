import { expect, test } from 'vitest';
import { objectsIn } from './code-objects.ts';
import { migrate } from './migrate.ts';
import type { Migrator } from './migrator.ts';
import type { Migration, Schema } from './schema.ts';

/** Returns an engine that records the scripts it runs, on a database where these migrations have run. */
function engineWith(...names: readonly string[]): Migrator & { scripts: string[] } {
  const scripts: string[] = [];
  return {
    scripts,
    script: async (sql) => void scripts.push(sql),
    rows: async (sql) => {
      if (sql.includes('to_regclass')) return [{ exists: names.length > 0 }];
      return sql.includes('from private.migrations') ? names.map((name) => ({ name, checksum: name })) : [];
    },
  };
}
const migration = (name: string): Migration => ({ name, sql: `create schema "${name}"`, checksum: name });
const functionNamed = (name: string) =>
  objectsIn(`create or replace function private.${name}() returns int language sql as $$ select 1 $$;`, 'a.sql');
const schema: Schema = {
  version: '0.2.0',
  migrations: [migration('0001_a'), migration('0002_b'), migration('0003_c')],
  code: { beforeTables: functionNamed('is_plain'), others: functionNamed('hold') },
  releases: [],
};
const steps = (scripts: readonly string[]) =>
  scripts.flatMap((sql) => sql.match(/(?<=create schema ")\w+|(?<=replace function )[\w.]+/g) ?? []);

test('an empty database gets the first migration, the code that tables need, the other migrations, and the other code', async () => {
  const engine = engineWith();
  const reported: string[] = [];
  expect(await migrate(engine, schema, (line) => reported.push(line))).toEqual({
    migrations: ['0001_a', '0002_b', '0003_c'],
    objects: ['function private.is_plain()', 'function private.hold()'],
  });
  expect(steps(engine.scripts)).toEqual(['0001_a', 'private.is_plain', '0002_b', '0003_c', 'private.hold']);
  expect(reported).toEqual(['migrating 0001_a', 'migrating 0002_b', 'migrating 0003_c']);
});

test('migrations that ran are skipped', async () => {
  const engine = engineWith('0001_a', '0002_b');
  expect(await migrate(engine, schema, () => undefined)).toMatchObject({ migrations: ['0003_c'] });
  expect(steps(engine.scripts)).toEqual(['private.is_plain', '0003_c', 'private.hold']);
});

const earlier = { version: '0.1.0', commit: 'c0ffee', migrations: { '0000_a': '0000_a', '0000_b': '0000_b' } };
const adopting: Schema = { ...schema, releases: [{ ...earlier, baseline: '0003_c' }] };

test('adopted migrations are recorded once all code is loaded: until then the earlier release can start', async () => {
  const engine = engineWith('0000_a', '0000_b');
  expect(await migrate(engine, adopting, () => undefined)).toMatchObject({ migrations: [] });
  expect(steps(engine.scripts)).toEqual(['private.is_plain', 'private.hold']);
  const recording = engine.scripts.findIndex((sql) => sql.includes(`values ('0003_c'`));
  expect(recording).toBe(engine.scripts.length - 1);
});

test('a database that is refused is not changed', async () => {
  const engine = engineWith('0000_a');
  await expect(migrate(engine, adopting, () => undefined)).rejects.toThrow('start commit c0ffee once');
  expect(engine.scripts).toEqual([]);
});

test('a migration without a transaction runs statement by statement, and is recorded at its end', async () => {
  const sql = '-- Runs without a transaction.\ndrop index if exists a;\ncreate index concurrently a on public.b (c);';
  const engine = engineWith('0001_a', '0002_b');
  await migrate(
    engine,
    { ...schema, migrations: [migration('0001_a'), migration('0002_b'), { ...migration('0003_c'), sql }] },
    () => undefined,
  );
  const from = engine.scripts.indexOf('drop index if exists a');
  expect(engine.scripts.slice(from, from + 3)).toEqual([
    'drop index if exists a',
    'create index concurrently a on public.b (c)',
    expect.stringContaining(`values ('0003_c'`),
  ]);
});
