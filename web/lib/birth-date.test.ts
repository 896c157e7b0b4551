import { expect, it } from 'vitest';
import {
  birthProblem,
  canBeBirthDate,
  formatDateParts,
  isNoDay,
  toIsoDate,
  noDate,
  toDateParts,
} from './birth-date.ts';

it('a date typed in three parts is understood and echoed in words', () => {
  const parts = { day: '3', month: '4', year: '1998' };
  expect(toIsoDate(parts)).toBe('1998-04-03');
  expect(formatDateParts(parts)).toBe('3 April 1998');
  expect(toDateParts('1998-04-03')).toEqual(parts);
});

it('an incomplete date is not a date and gives no error', () => {
  for (const parts of [noDate, { day: '3', month: '4', year: '98' }, { day: '', month: '4', year: '1998' }]) {
    expect(toIsoDate(parts)).toBe('');
    expect(formatDateParts(parts)).toBe('');
    expect(isNoDay(parts)).toBe(false);
  }
  expect(toDateParts('')).toEqual(noDate);
});

it('31 April and 29 February of a common year are distinguished from unfinished dates', () => {
  expect(isNoDay({ day: '31', month: '4', year: '1998' })).toBe(true);
  expect(isNoDay({ day: '29', month: '2', year: '1999' })).toBe(true);
  expect(isNoDay({ day: '29', month: '2', year: '2000' })).toBe(false);
});

it('a date of birth in the future or less than 18 years ago is an error', () => {
  const today = '2026-11-21';
  expect(birthProblem({ day: '22', month: '11', year: '2026' }, today)).toBe('A date of birth cannot be in the future');
  expect(birthProblem({ day: '22', month: '11', year: '2008' }, today)).toBe('You must be 18 or older');
  expect(birthProblem({ day: '21', month: '11', year: '2008' }, today)).toBeNull();
  expect(birthProblem({ day: '31', month: '4', year: '1998' }, today)).toBe('That date doesn’t exist');
  expect(birthProblem({ ...noDate, day: '3' }, today)).toBeNull();
});

it('parts that can only become a future date are refused, all others accepted [spec 5.7]', () => {
  const today = '2026-11-21';
  const future = [
    { ...noDate, year: '3' },
    { ...noDate, year: '21' },
    { ...noDate, year: '203' },
    { ...noDate, year: '2027' },
    { day: '', month: '12', year: '2026' },
    { day: '22', month: '11', year: '2026' },
  ];
  const possible = [
    noDate,
    { ...noDate, year: '2' },
    { ...noDate, year: '202' },
    { ...noDate, year: '2026' },
    { day: '31', month: '12', year: '' },
    { day: '31', month: '12', year: '202' },
    { day: '30', month: '', year: '2026' },
    { day: '', month: '11', year: '2026' },
    { day: '21', month: '11', year: '2026' },
    { day: '30', month: '10', year: '2026' },
    { day: '22', month: '11', year: '2025' },
    { day: '3', month: '4', year: '1998' },
  ];
  expect(future.filter((parts) => canBeBirthDate(parts, today))).toEqual([]);
  expect(possible.filter((parts) => !canBeBirthDate(parts, today))).toEqual([]);
});
