import { describe, expect, test } from 'vitest';
import { slotEnd, slotStart } from '../studio-time.ts';
import { describeSpan } from './span-words.ts';

/** Thursday 3 December 2026. */
const TODAY = '2026-12-03';
/** Describes the span from the start of one hour to the end of another. */
const words = (date: string, hour: number, lastDate: string, last: number, today = TODAY): string =>
  describeSpan(slotStart(date, hour) ?? new Date(Number.NaN), slotEnd(lastDate, last), today);

describe('hours are described as people say them', () => {
  test.each([
    ['2026-12-03', 9, '2026-12-03', 10, '9 am to 11 am today'],
    ['2026-12-03', 19, '2026-12-03', 21, '7 pm to 10 pm tonight'],
    ['2026-12-03', 21, '2026-12-04', 1, '9 pm to 2 am tonight'],
    ['2026-12-04', 19, '2026-12-04', 23, '7 pm to midnight tomorrow'],
    ['2026-12-04', 21, '2026-12-05', 1, '9 pm to 2 am, tomorrow night'],
    ['2026-12-05', 21, '2026-12-06', 1, '9 pm to 2 am, Sat night'],
    ['2026-12-11', 21, '2026-12-12', 1, '9 pm to 2 am, Fri night, 11 Dec'],
    ['2026-12-05', 0, '2026-12-05', 2, 'midnight to 3 am, early Sat'],
    ['2026-12-05', 13, '2026-12-05', 13, '1 pm to 2 pm, Sat'],
    ['2026-12-10', 13, '2026-12-10', 13, '1 pm to 2 pm, Thu 10 Dec'],
    ['2027-01-02', 13, '2027-01-02', 13, '1 pm to 2 pm, Sat 2 Jan 2027'],
    ['2026-12-05', 0, '2026-12-05', 23, 'all day Saturday'],
    ['2026-12-03', 0, '2026-12-03', 23, 'all day today'],
    ['2026-12-12', 0, '2026-12-12', 23, 'all day Sat 12 Dec'],
    ['2026-12-05', 10, '2026-12-06', 8, '10 am Sat to 9 am Sun'],
    ['2026-12-05', 18, '2026-12-06', 11, '6 pm Sat to noon Sun'.replace('noon', '12 pm')],
  ])('%s %i to %s %i is "%s"', (date, hour, lastDate, last, expected) => {
    expect(words(date, hour, lastDate, last)).toBe(expected);
  });

  test('a day of 23 and a day of 25 hours are all day, and a night over the change keeps the times of the clock', () => {
    expect(words('2026-10-04', 0, '2026-10-04', 23, '2026-10-01')).toBe('all day Sunday');
    expect(words('2027-04-04', 0, '2027-04-04', 23, '2027-04-01')).toBe('all day Sunday');
    expect(words('2026-10-03', 22, '2026-10-04', 3, '2026-10-01')).toBe('10 pm to 4 am, Sat night');
    expect(words('2027-04-03', 22, '2027-04-04', 8, '2027-04-01')).toBe('10 pm to 9 am, Sat night');
    expect(words('2026-10-03', 22, '2026-10-04', 8, '2026-10-01')).toBe('10 pm to 9 am, Sat night');
  });
});
