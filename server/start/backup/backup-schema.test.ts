import { expect, test } from 'vitest';
import { objectsIn } from '#server/db/schema/code-objects.ts';
import type { Schema } from '#server/db/schema/schema.ts';
import { toBackupSchema } from './backup-schema.ts';
import { BackupUnreadable } from './encrypted-file.ts';

const code = (name: string) =>
  objectsIn(`create or replace function private.${name}() returns integer language sql as $$ select 1 $$;`, 'a.sql');
/** Release 0.1.0 had its own chain of migrations, which the first two migrations replaced. */
const schema: Schema = {
  version: '0.3.0',
  migrations: ['0200_a', '0201_b', '0202_c'].map((name) => ({ name, sql: '', checksum: name })),
  code: { beforeTables: code('early'), others: code('late') },
  releases: [{ version: '0.1.0', commit: 'c0ffee', migrations: { '0001_a': 'a', '0002_b': 'b' }, baseline: '0201_b' }],
};
const fitting = (ran: readonly string[]) => {
  const { migrations, code: objects } = toBackupSchema(ran, schema);
  return [migrations.map(({ name }) => name), objects.beforeTables.length, objects.others.length];
};

test('a backup of this version gets the whole schema', () => {
  expect(fitting(['0200_a', '0201_b', '0202_c'])).toEqual([['0200_a', '0201_b', '0202_c'], 1, 1]);
});

test('an older backup gets the tables that it had, and no code that needs later ones', () => {
  expect(fitting(['0200_a'])).toEqual([['0200_a'], 1, 0]);
  expect(fitting(['0001_a', '0002_b'])).toEqual([['0200_a', '0201_b'], 1, 0]);
});

test.each([
  ['a newer version', ['0200_a', '0203_d'], 'by a newer version, with the migration 0203_d'],
  ['a version before the first release', ['0001_a'], 'before 0.1.0; restore it with the version of commit c0ffee'],
])('a backup of %s is refused', (_, ran, fault) => {
  expect(() => toBackupSchema(ran, schema)).toThrow(BackupUnreadable);
  expect(() => toBackupSchema(ran, schema)).toThrow(fault);
});
