import { expect, test } from 'vitest';
import type { Schema } from '#server/db/schema/schema.ts';
import { addRelease } from './add-release.ts';

const last = { version: '0.9.0', commit: 'c0ffee', migrations: { '0200_a': 'a' } };
const schema: Schema = {
  version: '0.10.0',
  migrations: [
    { name: '0200_a', sql: '', checksum: 'a' },
    { name: '0201_b', sql: '', checksum: 'b' },
  ],
  code: { beforeTables: [], others: [] },
  releases: [last],
};
const CHANGELOG = '# Changelog\n\n## 0.10.0, 3 May 2027\n\n- A change\n';

test('a release is added behind the others, with its commit and the checksums of its migrations', () => {
  expect(addRelease(schema, 'beef', CHANGELOG)).toEqual([
    last,
    { version: '0.10.0', commit: 'beef', migrations: { '0200_a': 'a', '0201_b': 'b' } },
  ]);
});

test.each([
  ['that is recorded already', { ...schema, version: '0.9.0' }, CHANGELOG, 'is in database/released.json already'],
  ['that is older than the last one', { ...schema, version: '0.8.9' }, CHANGELOG, 'older than the last release, 0.9.0'],
  ['without a section in the changelog', schema, '## 0.10.01', 'no section 0.10.0'],
])('a release %s is refused', (_, changed, changelog, fault) => {
  expect(() => addRelease(changed, 'beef', changelog)).toThrow(fault);
});
