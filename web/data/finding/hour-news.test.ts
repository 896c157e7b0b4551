import { describe, expect, test } from 'vitest';
import { slotEnd, slotStart } from '#rules/studio-time.ts';
import type { Taken } from './taken.ts';
import { addNews, compareHours, describeNews, NO_NEWS } from './hour-news.ts';

const DAY = '2026-11-21';
const NOON = new Date('2026-11-21T01:00:00Z'); // 12 noon in Sydney
const span = (from: number, to: number, more: Partial<Taken> = {}, date = DAY): Taken => ({
  start: slotStart(date, from)!,
  end: slotEnd(date, to),
  status: 'confirmed',
  mine: false,
  ...more,
});
const compare = (before: readonly Taken[], after: readonly Taken[]) => compareHours(DAY, before, after, NOON, 90);

describe('news about hours', () => {
  test('are the hours that others took and gave back', () => {
    expect(compare([span(14, 15)], [span(15, 15), span(19, 20)])).toEqual({ taken: [19, 20], freed: [14] });
  });

  test('are not what the customer does, here or on another device', () => {
    expect(compare([], [span(19, 20, { mine: true, status: 'pending' })])).toEqual(NO_NEWS);
    expect(compare([span(19, 20, { mine: true })], [])).toEqual(NO_NEWS);
    expect(compare([span(19, 19)], [span(19, 19, { mine: true })])).toEqual(NO_NEWS);
  });

  test('are not the payment for a hold, nor hours that have passed', () => {
    expect(compare([span(19, 19, { status: 'pending' })], [span(19, 19)])).toEqual(NO_NEWS);
    expect(compare([span(9, 10)], [])).toEqual(NO_NEWS);
  });

  test('that arrive together are one sentence, and hours that were given back meanwhile drop out', () => {
    const both = addNews({ taken: [19], freed: [14] }, { taken: [20], freed: [] });
    expect(both).toEqual({ taken: [19, 20], freed: [14] });
    expect(addNews(both, { taken: [14], freed: [19, 20] })).toEqual(NO_NEWS);
  });

  test('name consecutive hours as one span, across the end of the day', () => {
    expect(describeNews(DAY, { taken: [18, 19, 22, 23], freed: [14] })).toBe(
      'Just taken: 6 pm to 8 pm, 10 pm to 12 am. Free again: 2 pm to 3 pm.',
    );
    expect(describeNews('2026-10-04', { taken: [1, 3], freed: [] })).toBe('Just taken: 1 am to 4 am.');
    expect(describeNews(DAY, NO_NEWS)).toBe('');
  });
});
