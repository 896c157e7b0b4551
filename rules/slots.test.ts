import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adjacent,
  canAdd,
  longestRun,
  nextSlot,
  slotClosed,
  slotKey,
  slotLabel,
  slotRangeLabel,
  slotsOfSpan,
  slotTaken,
  sortSlots,
  toSpan,
  toggleSlot,
  whyNotAdd,
  type Slot,
} from './slots.ts';
import { addDays, slotStart } from './studio-time.ts';

const run = (date: string, from: number, count: number): Slot[] => {
  const slots: Slot[] = [{ date, hour: from }];
  while (slots.length < count) slots.push(nextSlot(slots.at(-1) ?? { date, hour: from }));
  return slots;
};

/** The days the clocks change in two years. */
const CHANGE_DAYS = ['2026-04-05', '2026-10-04', '2027-04-04', '2027-10-03'];
const gridSlot = (date: string, offset: number): Slot => ({
  date: addDays(date, Math.floor(offset / 24)),
  hour: offset % 24,
});

describe('slots', () => {
  it('are labelled as on the grid', () => {
    expect([0, 11, 12, 23].map(slotLabel)).toEqual(['12 AM', '11 AM', '12 PM', '11 PM']);
    expect(slotRangeLabel(23)).toBe('11 PM to 12 AM');
  });

  it('follow each other across midnight and across the skipped hour [spec 4.16]', () => {
    expect(adjacent({ date: '2026-11-21', hour: 23 }, { date: '2026-11-22', hour: 0 })).toBe(true);
    expect(adjacent({ date: '2026-10-04', hour: 1 }, { date: '2026-10-04', hour: 3 })).toBe(true);
    expect(canAdd([{ date: '2026-11-21', hour: 5 }], { date: '2026-11-21', hour: 7 })).toBe(false);
    expect(canAdd([], { date: '2026-10-04', hour: 2 })).toBe(false);
  });

  it('keep the longest remaining run, the earlier of two [spec 4.18]', () => {
    const five = run('2026-11-21', 10, 5);
    expect(toggleSlot(five, { date: '2026-11-21', hour: 12 }).map((slot) => slot.hour)).toEqual([10, 11]);
    expect(toggleSlot(five, { date: '2026-11-21', hour: 11 }).map((slot) => slot.hour)).toEqual([12, 13, 14]);
  });

  it('stay consecutive after any sequence of taps [spec 4.16]', () => {
    const taps = fc.array(fc.record({ day: fc.integer({ min: 0, max: 1 }), hour: fc.integer({ min: 0, max: 23 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(
        fc.constantFrom('2026-11-21', '2026-10-03', '2026-10-04', '2026-04-04', '2026-04-05'),
        taps,
        (date, list) => {
          let selection: Slot[] = [];
          for (const tap of list) {
            selection = toggleSlot(selection, { date: addDays(date, tap.day), hour: tap.hour });
            expect(longestRun(selection)).toEqual(selection);
            expect(selection.length).toBeLessThanOrEqual(24);
            if (selection.length > 0) {
              const span = toSpan(selection);
              expect(slotsOfSpan(span.start, span.end)?.map(slotKey)).toEqual(sortSlots(selection).map(slotKey));
            }
          }
        },
      ),
    );
  });

  it('keep the same run as a brute-force search', () => {
    const days = fc.constantFrom(...CHANGE_DAYS, '2026-11-21');
    const picks = fc.uniqueArray(fc.integer({ min: 0, max: 47 }), { maxLength: 30 });
    fc.assert(
      fc.property(days, picks, (date, offsets) => {
        const chosen = new Set(offsets.map((offset) => slotKey(gridSlot(date, offset))));
        // Brute force: from each hour of the two days, walk while hours are chosen; skip hours that do not exist.
        let best: string[] = [];
        for (let from = 0; from < 48; from += 1) {
          const walked: string[] = [];
          for (let offset = from; offset < 48; offset += 1) {
            const slot = gridSlot(date, offset);
            if (slotStart(slot.date, slot.hour) === null) {
              if (offset === from) break;
              continue;
            }
            if (!chosen.has(slotKey(slot))) break;
            walked.push(slotKey(slot));
          }
          if (walked.length > best.length) best = walked;
        }
        const existing = offsets
          .map((offset) => gridSlot(date, offset))
          .filter((slot) => slotStart(slot.date, slot.hour) !== null);
        expect(longestRun(existing).map(slotKey)).toEqual(best);
      }),
    );
  });

  it('end up the same when the hours of a run are tapped from any hour outwards', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CHANGE_DAYS, '2026-11-21'),
        fc.integer({ min: 3, max: 23 }),
        fc.integer({ min: 1, max: 24 }),
        fc.infiniteStream(fc.boolean()),
        fc.nat(),
        (date, from, count, sides, middle) => {
          const expected = run(date, from, count);
          let low = middle % count;
          let high = low;
          let selection = toggleSlot([], expected[low]!);
          while (selection.length < count) {
            const down = high === count - 1 || (low > 0 && sides.next().value === true);
            selection = toggleSlot(selection, down ? expected[--low]! : expected[++high]!);
          }
          expect(selection).toEqual(expected);
        },
      ),
    );
  });

  it('are limited to 24 hours', () => {
    const whole = run('2026-11-21', 0, 24);
    expect(whyNotAdd(whole, { date: '2026-11-22', hour: 0 })).toBe('too-long');
    expect(whyNotAdd(whole.slice(1), { date: '2026-11-22', hour: 0 })).toBeNull();
    expect(whyNotAdd(whole.slice(0, 2), { date: '2026-11-21', hour: 3 })).toBe('not-consecutive');
    expect(whyNotAdd([], { date: '2027-10-03', hour: 2 })).toBe('closed');
    expect(toggleSlot(whole, { date: '2026-11-22', hour: 0 })).toEqual(whole);
  });

  it.each(CHANGE_DAYS)('survive conversion to spans and back, for every start and length from %s', (date) => {
    for (let hour = 0; hour < 24; hour += 1) {
      if (slotStart(date, hour) === null) continue;
      for (let count = 1; count <= 24; count += 1) {
        const slots = run(date, hour, count);
        const { start, end } = toSpan(slots);
        expect(slotsOfSpan(start, end)).toEqual(slots);
      }
    }
  });

  it('span an hour less in October and an hour more in April', () => {
    const elapsed = (date: string, count: number): number => {
      const { start, end } = toSpan(run(date, 1, count));
      return (end.getTime() - start.getTime()) / 3_600_000;
    };
    expect([elapsed('2026-10-04', 2), elapsed('2027-10-03', 3)]).toEqual([2, 3]);
    expect([elapsed('2026-04-05', 1), elapsed('2026-04-05', 2), elapsed('2027-04-04', 3)]).toEqual([1, 3, 4]);
  });

  it('close when they are past, at minute 31 of their hour, when they do not exist, and after 90 days [spec 4.17, 9.9]', () => {
    const at = (iso: string): Date => new Date(iso);
    const seven = { date: '2026-11-21', hour: 19 };
    expect(slotClosed(seven, at('2026-11-21T08:30:59Z'), 90)).toBeNull();
    expect(slotClosed(seven, at('2026-11-21T08:31:00Z'), 90)).toBe('past');
    expect(slotClosed({ date: '2026-11-21', hour: 18 }, at('2026-11-21T08:00:00Z'), 90)).toBe('past');
    expect(slotClosed({ date: '2026-11-20', hour: 23 }, at('2026-11-21T08:00:00Z'), 90)).toBe('past');
    expect(slotClosed({ date: '2026-10-04', hour: 2 }, at('2026-10-01T00:00:00Z'), 90)).toBe('skipped');
    expect(slotClosed({ date: '2027-02-19', hour: 0 }, at('2026-11-21T08:00:00Z'), 90)).toBeNull();
    expect(slotClosed({ date: '2027-02-20', hour: 0 }, at('2026-11-21T08:00:00Z'), 90)).toBe('beyond-horizon');
    // The second 2 AM in April: the slot started an hour ago.
    expect(slotClosed({ date: '2026-04-05', hour: 2 }, at('2026-04-04T15:10:00Z'), 90)).toBeNull();
    expect(slotClosed({ date: '2026-04-05', hour: 2 }, at('2026-04-04T16:00:00Z'), 90)).toBe('past');
    expect(slotClosed({ date: '2026-04-05', hour: 2 }, at('2026-04-04T16:10:00Z'), 90)).toBe('past');
  });

  it('are taken by anything that overlaps them, also from the day before [spec 4.19, 9.8]', () => {
    const overnight = toSpan(run('2026-11-21', 22, 4));
    expect([0, 1, 2].map((hour) => slotTaken({ date: '2026-11-22', hour }, [overnight]))).toEqual([true, true, false]);
    expect(slotTaken({ date: '2026-11-21', hour: 21 }, [overnight])).toBe(false);
    const noon = toSpan(run('2026-11-22', 12, 1));
    expect([1, 2, 12].map((hour) => slotTaken({ date: '2026-11-22', hour }, [overnight, noon]))).toEqual([
      true,
      false,
      true,
    ]);
    expect(slotTaken({ date: '2026-11-22', hour: 1 }, [])).toBe(false);
  });

  it('are read from spans of slightly more than a day, so that too long differs from off the grid', () => {
    for (const count of [25, 26]) {
      const slots = run('2026-11-21', 0, count);
      const { start, end } = toSpan(slots);
      expect(slotsOfSpan(start, end)).toEqual(slots);
    }
    const { start, end } = toSpan(run('2026-11-21', 0, 48));
    expect(slotsOfSpan(start, end)).toBeNull();
  });

  it('refuse spans that do not lie on the grid', () => {
    const start = slotStart('2026-11-21', 19) ?? new Date(0);
    expect(slotsOfSpan(new Date(start.getTime() + 1), new Date(start.getTime() + 3_600_000))).toBeNull();
    expect(slotsOfSpan(start, new Date(start.getTime() + 5_400_000))).toBeNull();
    expect(slotsOfSpan(start, start)).toBeNull();
    expect(slotsOfSpan(new Date('2026-04-04T16:00:00Z'), new Date('2026-04-04T17:00:00Z'))).toBeNull();
  });
});
