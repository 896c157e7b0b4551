import { expect, test } from 'vitest';
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
