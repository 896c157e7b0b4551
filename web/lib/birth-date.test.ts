import { expect, it } from 'vitest';
import { echoOf, isNoDay, isoOf, noDate, partsOf } from './birth-date.ts';

it('a date typed in three parts is understood and echoed in words', () => {
  const parts = { day: '3', month: '4', year: '1998' };
  expect(isoOf(parts)).toBe('1998-04-03');
  expect(echoOf(parts)).toBe('3 April 1998');
  expect(partsOf('1998-04-03')).toEqual(parts);
});

it('half a date is no date yet, and nothing is said of it', () => {
  for (const parts of [noDate, { day: '3', month: '4', year: '98' }, { day: '', month: '4', year: '1998' }]) {
    expect(isoOf(parts)).toBe('');
    expect(echoOf(parts)).toBe('');
    expect(isNoDay(parts)).toBe(false);
  }
  expect(partsOf('')).toEqual(noDate);
});

it('31 April and 29 February of a common year are told apart from unfinished dates', () => {
  expect(isNoDay({ day: '31', month: '4', year: '1998' })).toBe(true);
  expect(isNoDay({ day: '29', month: '2', year: '1999' })).toBe(true);
  expect(isNoDay({ day: '29', month: '2', year: '2000' })).toBe(false);
});
