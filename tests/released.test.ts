import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkedOutSchema } from './support/image.ts';

/** Checks database/released.json: a released migration must never change, because it has already run on existing databases. */

const { version, migrations, releases } = await checkedOutSchema();

test('every migration of a release is here with the text that it had, unless a baseline stands for it', () => {
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const changed = releases
    .filter(({ baseline }) => baseline === undefined)
    .flatMap((release) => Object.entries(release.migrations))
    .filter(([name, checksum]) => checksums.get(name) !== checksum)
    .map(([name]) => name);
  expect(changed).toEqual([]);
});

test('a baseline is one of our migrations', () => {
  const names = new Set(migrations.map(({ name }) => name));
  expect(releases.filter(({ baseline }) => baseline !== undefined && !names.has(baseline))).toEqual([]);
});

test('releases are in order, none is newer than the program, and each has a section in CHANGELOG.md', async () => {
  const versions = releases.map((release) => release.version);
  const inOrder = [...versions, version].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  expect([...versions, version]).toEqual(inOrder);
  const changelog = await readFile(join(import.meta.dirname, '..', 'CHANGELOG.md'), 'utf8');
  const sections = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, name]) => name);
  expect([...versions, version].filter((name) => !sections.includes(name))).toEqual([]);
});
