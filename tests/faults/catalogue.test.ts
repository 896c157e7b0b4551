import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CATALOGUE, occurrences } from './catalogue.ts';

const faults = Object.entries(CATALOGUE).flatMap(([area, list]) => list.map((fault) => ({ area, ...fault })));

test('there are 60 faults with 60 titles', () => {
  expect(new Set(faults.map(({ title }) => title)).size).toBe(60);
  expect(faults).toHaveLength(60);
});

test.each(faults)('$area: “$title” can be put into its file, and has tests that should notice it', (fault) => {
  const { file, find, replace, tests } = fault;
  expect(existsSync(file) && occurrences(readFileSync(file, 'utf8'), fault), `${find} in ${file}`).toBe(1);
  expect(replace).not.toBe(find);
  for (const glob of tests) expect(globSync(glob), glob).not.toEqual([]);
});
