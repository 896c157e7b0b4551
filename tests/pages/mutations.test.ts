import { expect, test } from 'vitest';
import { readSourceFiles } from '#tests/support/source-files.ts';
import { findMutations } from './mutations.ts';
import { REREADS, UNWATCHED } from './rereads.ts';

const mutations = findMutations();

test('every mutation of the pages reads again exactly the queries of its row, and a new one needs a row', () => {
  const found = Object.fromEntries(mutations.map(({ name, rereads }) => [name, rereads.join(' ')]));
  const rows = Object.fromEntries(
    Object.entries(REREADS).map(([name, queries]) => [name, queries.split(' ').toSorted().join(' ')]),
  );
  expect(found).toEqual(rows);
});

test('every mutation is watched while it runs, so that its button cannot be pressed twice, or has a reason', () => {
  const unwatched = mutations.filter(({ isWatched }) => !isWatched).map(({ name }) => name);
  expect(unwatched).toEqual(Object.keys(UNWATCHED));
});

test('every key that a mutation names belongs to a query that some page reads', () => {
  const pages = readSourceFiles().filter(({ path }) => path.startsWith('web/') && !/\.test\.tsx?$/.test(path));
  const isRead = (name: string): boolean =>
    pages.some(({ text }) => new RegExp(`\\bqueryKeys\\.${name}\\.of\\b`).test(text));
  expect([...new Set(mutations.flatMap(({ rereads }) => rereads))].filter((name) => !isRead(name))).toEqual([]);
});
