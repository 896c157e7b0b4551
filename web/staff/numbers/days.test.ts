import { expect, test } from 'vitest';
import { daysBefore, formatDays, countDays, periods, findProblem } from './days.ts';

test.each([
  ['whole months', '2031-01-01', '2031-03-31', '2030-10-01', '2030-12-31'],
  ['a month after a shorter one', '2031-03-01', '2031-03-31', '2031-02-01', '2031-02-28'],
  ['days', '2031-03-02', '2031-03-31', '2031-01-31', '2031-03-01'],
  ['one day', '2031-03-02', '2031-03-02', '2031-03-01', '2031-03-01'],
])('the range before %s, %s to %s, is %s to %s', (_name, first, last, beforeFirst, beforeLast) => {
  expect(daysBefore({ first, last })).toEqual({ first: beforeFirst, last: beforeLast });
});

test.each([
  ['2031-03-01', '2032-02-29', null],
  ['2031-03-01', '2032-03-01', 'Choose at most a year.'],
  ['2031-03-02', '2031-03-01', 'The last day must not be before the first.'],
  ['', '2031-03-01', 'Choose the first day.'],
  ['2031-03-01', '2031-02-29', 'Choose the last day.'],
])('%s to %s: %s', (first, last, problem) => {
  expect(findProblem({ first, last })).toBe(problem);
});

test('on 31 January the offered ranges are the month, December, 28 days until yesterday, and the year', () => {
  expect(periods('2031-01-31').map(({ days }) => formatDays(days))).toEqual([
    '1 Jan to 31 Jan 2031',
    '1 Dec to 31 Dec 2030',
    '3 Jan to 30 Jan 2031',
    '1 Jan to 31 Dec 2031',
  ]);
  expect(periods('2032-02-10').map(({ days }) => countDays(days))).toEqual([29, 31, 28, 366]);
});

test('a range over new year names both years', () => {
  expect(formatDays({ first: '2030-12-30', last: '2031-01-02' })).toBe('30 Dec 2030 to 2 Jan 2031');
});
