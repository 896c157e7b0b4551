import { expect, test } from 'vitest';
import type { Migration, Release, Schema } from './schema.ts';
import { MigrationRefused, planUpgrade } from './upgrade-plan.ts';

const migration = (name: string, checksum = name): Migration => ({ name, sql: '', checksum });
/** Three migrations; the first two replace the chain of release 0.1.0, which had `0001_a` and `0002_b`. */
const schema: Schema = {
  version: '0.3.0',
  migrations: [migration('0200_tables'), migration('0201_rows'), migration('0202_more')],
  code: { beforeTables: [], others: [] },
  releases: [
    { version: '0.1.0', commit: 'c0ffee', migrations: { '0001_a': 'a', '0002_b': 'b' }, baseline: '0201_rows' },
    { version: '0.2.0', commit: 'beef', migrations: { '0200_tables': '0200_tables' } },
  ] satisfies Release[],
};
const planFor = (recorded: Readonly<Record<string, string>>) => {
  const { adopted, pending } = planUpgrade(new Map(Object.entries(recorded)), schema);
  return { adopted: adopted.map(({ name }) => name), pending: pending.map(({ name }) => name) };
};

test.each([
  ['an empty database', {}, [], ['0200_tables', '0201_rows', '0202_more']],
  ['one of this version', { '0200_tables': '0200_tables', '0201_rows': '0201_rows', '0202_more': '0202_more' }, [], []],
  ['an older one', { '0200_tables': '0200_tables' }, [], ['0201_rows', '0202_more']],
  ['the finished chain of 0.1.0', { '0001_a': 'a', '0002_b': 'b' }, ['0200_tables', '0201_rows'], ['0202_more']],
  [
    'one that came from 0.1.0 before',
    { '0001_a': 'a', '0002_b': 'b', '0200_tables': '0200_tables', '0201_rows': '0201_rows' },
    [],
    ['0202_more'],
  ],
  [
    'one that a newer version has extended',
    { '0200_tables': '0200_tables', '0201_rows': '0201_rows', '0202_more': '0202_more', '0203_newer': 'x' },
    [],
    [],
  ],
])('%s adopts and runs the migrations it lacks', (_, recorded, adopted, pending) => {
  expect(planFor(recorded)).toEqual({ adopted, pending });
});

test.each([
  ['with a changed migration', { '0200_tables': 'earlier' }, 'migration 0200_tables has changed'],
  ['with an unknown migration before our last', { '0150_other': 'x' }, 'unknown migration 0150_other'],
  ['with an unfinished chain of 0.1.0', { '0001_a': 'a' }, 'older than version 0.1.0 (migration 0002_b is missing'],
  ['with another chain of 0.1.0', { '0001_a': 'a', '0002_b': 'B' }, 'start commit c0ffee once, then this version'],
])('a database %s is refused with the version that can start', (_, recorded, fault) => {
  expect(() => planFor(recorded)).toThrow(MigrationRefused);
  expect(() => planFor(recorded)).toThrow(fault);
});
