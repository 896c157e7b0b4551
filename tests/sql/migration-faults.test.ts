import { expect, test } from 'vitest';
import { getCreatedTables } from '#server/db/schema/long-locks.ts';
import { checkedOutSchema } from '#tests/support/image.ts';
import { findMigrationFaults } from './migration-faults.ts';

const NEW = new Set(['private.fresh']);

test.each([
  ['a dropped table', 'drop table private.note', 'drops what the last release may use'],
  ['a dropped function', 'drop function private.price()', 'drops what the last release may use'],
  ['a dropped column', 'alter table private.note drop column body', 'drops what the last release may use'],
  ['a dropped constraint', 'alter table private.note drop constraint a', 'drops what the last release may use'],
  ['a renamed column', 'alter table private.note rename column a to b', 'renames what the last release may use'],
  ['a validated check', 'alter table private.note add constraint a check (b > 0)', 'checks all rows under a lock'],
  ['a check without a name', 'alter table private.note add check (b > 0)', 'checks all rows under a lock'],
  [
    'a validated reference',
    'alter table private.note add constraint a foreign key (b) references private.c',
    'checks all rows under a lock',
  ],
  ['a unique rule', 'alter table private.note add constraint a unique (b)', 'builds an index under a lock'],
  ['an exclusion', 'alter table private.note add constraint a exclude using gist (b with &&)', 'builds an index'],
  ['an index', 'create index a on private.note (b)', 'builds an index under a lock'],
  ['a unique index', 'create unique index a on private.note (b)', 'builds an index under a lock'],
  ['not null', 'alter table private.note alter column b set not null', 'reads all rows under a lock'],
  ['another type', 'alter table private.note alter column b type bigint', 'may write all rows under a lock'],
  [
    'a stored column',
    'alter table private.note add column c int generated always as (b + 1) stored',
    'writes all rows under a lock',
  ],
  [
    'a default that differs from row to row',
    'alter table private.note add column c uuid not null default gen_random_uuid()',
    'writes all rows under a lock',
  ],
])('%s on a table of a release is refused', (_, sql, fault) => {
  expect(findMigrationFaults(`-- About it.\n${sql};`, NEW)).toEqual([expect.stringContaining(fault)]);
  expect(findMigrationFaults(`-- Allowed: one row.\n${sql};`, NEW)).toEqual([]);
});

test.each([
  ['a new table', 'create table private.other (a int check (a > 0), b int unique)'],
  ['what a new table gets', 'alter table private.fresh add constraint a check (b > 0)'],
  ['an index of a new table', 'create index a on private.fresh (b)'],
  ['a column without a default', 'alter table private.note add column c text'],
  ['a column with a constant default', `alter table private.note add column c text not null default ''`],
  ['a check that is not validated', 'alter table private.note add constraint a check (b > 0) not valid'],
  ['the validation of a check', 'alter table private.note validate constraint a'],
  ['an index that is built beside the readers', 'create index concurrently a on private.note (b)'],
  ['a unique rule on an index', 'alter table private.note add constraint a unique using index b'],
  ['a default of later rows', 'alter table private.note alter column b set default gen_random_uuid()'],
])('%s is accepted', (_, sql) => {
  expect(findMigrationFaults(`${sql};`, NEW)).toEqual([]);
});

test('no migration since the last release breaks its servers or locks a table for long', async () => {
  const { migrations, releases } = await checkedOutSchema();
  const released = new Set(releases.flatMap((release) => Object.keys(release.migrations)));
  const unreleased = migrations.filter(({ name }) => !released.has(name));
  const newTables = new Set(unreleased.flatMap(({ sql }) => getCreatedTables(sql)));
  const faults = unreleased.flatMap(({ name, sql }) =>
    findMigrationFaults(sql, newTables).map((fault) => `${name}: ${fault}`),
  );
  expect(faults).toEqual([]);
});
