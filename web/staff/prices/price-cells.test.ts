import { expect, test } from 'vitest';
import { applyEntry, listChanges, readEntry, rectangle, step } from './price-cells.ts';
import { mondayFirst, sundayFirst } from './week.ts';

test('a rectangle has the same cells from any of its corners', () => {
  const cells = [25, 26, 27, 49, 50, 51];
  for (const [from, to] of [
    [25, 51],
    [51, 25],
    [27, 49],
    [49, 27],
  ] as const)
    expect(rectangle(from, to)).toEqual(cells);
  expect(rectangle(5, 5)).toEqual([5]);
});

test('keys lead to the cell beside and to the ends, and never out of the table', () => {
  const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown', 'x'];
  const lead = (cell: number) => keys.map((key) => step(cell, key, 7));
  expect(lead(30)).toEqual([29, 31, 6, 54, 6, 150, 24, 47, null]);
  expect(lead(0)).toEqual([null, 1, null, 24, 0, 144, 0, 23, null]);
  expect(lead(167)).toEqual([166, null, 143, null, 23, 167, 144, 167, null]);
});

test.each([
  ['59', { cents: 5_900 }],
  [' $59.5 ', { cents: 5_950 }],
  ['1', { cents: 100 }],
  ['1000', { cents: 100_000 }],
  ['+10%', { percent: 10 }],
  ['-5 %', { percent: -5 }],
  ['0.99', null],
  ['1000.01', null],
  ['59.999', null],
  ['10%', null],
  ['', null],
  ['cheap', null],
])('what is typed, %j, is %j', (text, entry) => {
  expect(readEntry(text)).toEqual(entry);
});

test('an entry changes the chosen cells only; a percentage gives whole dollars from $1 to $1,000', () => {
  const cents = [4_900, 5_900, 100, 99_900];
  expect(applyEntry(cents, new Set([1]), { cents: 7_250 })).toEqual([4_900, 7_250, 100, 99_900]);
  expect(applyEntry(cents, new Set([0, 2, 3]), { percent: 10 })).toEqual([5_400, 5_900, 100, 100_000]);
  expect(applyEntry(cents, new Set([0, 2]), { percent: -90 })).toEqual([500, 5_900, 100, 99_900]);
});

test('changes are listed by runs of hours of one day', () => {
  const before = Array.from({ length: 48 }, () => 4_900);
  const after = before.map((cents, cell) => (cell >= 22 && cell <= 25 ? 5_900 : cell === 26 ? 6_000 : cents));
  expect(listChanges(before, before)).toEqual([]);
  expect(listChanges(before, after)).toEqual([
    { column: 0, hours: '10 pm to 12 am', before: '$49', after: '$59' },
    { column: 1, hours: '12 am to 2 am', before: '$49', after: '$59' },
    { column: 1, hours: '2 am to 3 am', before: '$49', after: '$60' },
  ]);
});

test('the table begins with Monday, the price list with Sunday', () => {
  const list = Array.from({ length: 168 }, (_, index) => index);
  expect([mondayFirst(list)[0], mondayFirst(list).at(-1)]).toEqual([24, 23]);
  expect(sundayFirst(mondayFirst(list))).toEqual(list);
});
