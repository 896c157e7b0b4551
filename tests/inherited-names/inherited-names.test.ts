import { expect, test } from 'vitest';
import { inheritedLookups } from './lookups.ts';
import { lookUp } from './sample.ts';

/** Lookups that cannot encounter an inherited name, with the reason. */
const EXCEPTIONS: readonly (readonly [string, string])[] = [
  ['server/db/pipeline.ts: row[field.name]', 'names the columns of a result, which the server’s own statements choose'],
];

const SAMPLE = 'tests/inherited-names/sample.ts';
const found = inheritedLookups((path) => path === SAMPLE || (path.startsWith('server/') && !path.endsWith('.test.ts')));
const isSample = (place: string): boolean => place.startsWith(`${SAMPLE}: `);

test('no module of server/ looks up a text in a plain object, which inherits names such as constructor', () => {
  expect(found.filter((place) => !isSample(place)).toSorted()).toEqual(EXCEPTIONS.map(([place]) => place).toSorted());
});

test('a key that is checked as the object’s own finds nothing inherited', () => {
  expect(lookUp({}, 'constructor', []).slice(-2)).toEqual([null, false]);
});

test('the check finds lookups by text, and accepts literals, loops over the object and keys checked as its own', () => {
  expect(found.filter(isSample).map((place) => place.slice(SAMPLE.length + 2))).toEqual([
    'words[name]',
    'words[`a${name}`]',
    'name in words',
    'words[name]',
  ]);
});
