import { expect, test } from 'vitest';
import { equalInConstantTime } from './constant-time.ts';

test.each([
  ['', '', true],
  ['secret', 'secret', true],
  ['secret', Buffer.from('secret'), true],
  ['Straße', Buffer.from('Straße'), true],
  ['secret', 'secreT', false],
  ['Secret', 'secret', false],
  ['secre', 'secret', false],
  ['secret0', 'secret', false],
  ['', 'secret', false],
  [Buffer.from([1, 2]), Buffer.from([1, 3]), false],
])('%j and %j are equal: %j', (given, expected, equal) => {
  expect(equalInConstantTime(given, expected)).toBe(equal);
});
