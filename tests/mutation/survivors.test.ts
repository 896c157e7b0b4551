import { expect, test } from 'vitest';
import { changed } from './survivors.ts';

test.each([
  ['in a line', { line: 2, column: 3 }, { line: 2, column: 5 }, 'one\ntwXXthree\nfour'],
  ['over several lines', { line: 1, column: 4 }, { line: 3, column: 1 }, 'oneXXfour'],
])('a change %s replaces exactly the text between its places', (_, start, end, after) => {
  const text = 'one\ntwo three\nfour'.replace('two three', 'twoothree');
  expect(changed(text, { start, end, replacement: 'XX' })).toBe(after);
});
