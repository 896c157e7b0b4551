import { expect, test } from 'vitest';
import { migrate, type Migration, type Migrator, MigrationRefused } from './migrate.ts';

/** An engine that records the scripts it runs, on a database with these migrations: name and checksum. */
function engineWith(...ran: readonly (readonly [name: string, checksum: string])[]): Migrator & { scripts: string[] } {
  const scripts: string[] = [];
  return {
    scripts,
    script: async (sql) => void scripts.push(sql),
    rows: async () => ran.map(([name, checksum]) => ({ name, checksum })),
  };
}
const migration = (name: string, checksum = name): Migration => ({ name, sql: `create schema "${name}"`, checksum });
const ignore = (): void => undefined;

test('missing migrations run in order, and those that ran are skipped', async () => {
  const engine = engineWith(['0001_a', '0001_a']);
  const files = [migration('0001_a'), migration('0002_b'), migration('0003_c')];
  expect(await migrate(engine, files, ignore)).toEqual(['0002_b', '0003_c']);
  expect(engine.scripts.map((sql) => /create schema "(\w+)"/.exec(sql)?.[1])).toEqual([undefined, '0002_b', '0003_c']);
});

test.each([
  ['an unknown migration', engineWith(['0001_a', '0001_a'], ['0009_z', '0009_z']), 'unknown migration 0009_z'],
  ['a changed migration', engineWith(['0001_a', 'earlier']), 'migration 0001_a has changed'],
])('a database with %s is refused before anything runs', async (_, engine, fault) => {
  const refusal: unknown = await migrate(engine, [migration('0001_a'), migration('0002_b')], ignore).catch(
    (error) => error,
  );
  expect(refusal).toBeInstanceOf(MigrationRefused);
  expect(String(refusal)).toContain(fault);
  expect(engine.scripts).toHaveLength(1);
});
