import { expect, test } from 'vitest';
import { testsReaching } from './reach.ts';
import { changed } from './survivors.ts';

test.each([
  ['in a line', { line: 2, column: 3 }, { line: 2, column: 5 }, 'one\ntwXXthree\nfour'],
  ['over several lines', { line: 1, column: 4 }, { line: 3, column: 1 }, 'oneXXfour'],
])('a change %s replaces exactly the text between its places', (_, start, end, after) => {
  const text = 'one\ntwo three\nfour'.replace('two three', 'twoothree');
  expect(changed(text, { start, end, replacement: 'XX' })).toBe(after);
});

test('a change is tried on the tests that call its function, first on those that spend most of their calls on it', () => {
  const reach = new Map([
    ['passing-by.test.ts', { 'server/a.ts': { charge: 5, other: 95 } }],
    ['about-it.test.ts', { 'server/a.ts': { charge: 4 }, 'server/b.ts': { start: 1 } }],
    ['elsewhere.test.ts', { 'server/a.ts': { other: 9 }, 'server/b.ts': { charge: 1 } }],
  ]);
  const text = 'function other() {\n}\nexport async function charge() {\n  const amount = 1;\n  return amount;\n}';
  expect(testsReaching(reach, 'server/a.ts', text, 5)).toEqual(['about-it.test.ts', 'passing-by.test.ts']);
});
