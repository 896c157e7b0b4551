import { describe, expect, test } from 'vitest';
import * as choices from './choice-state.ts';

const DAY = '2026-11-21';
const NEXT = '2026-11-22';
const at = (hour: number, date = DAY) => ({ date, hour });
const nothing = choices.firstChoice(DAY);
const evening = choices.select(choices.chooseStudio(nothing, 'a'), [at(22), at(23)]);

describe('a selection', () => {
  test('goes with another studio, and Undo restores both', () => {
    const other = choices.chooseStudio(evening, 'b');
    expect(other).toMatchObject({ studioId: 'b', slots: [], removed: { studioId: 'a', date: DAY } });
    expect(choices.undo(other, other.removed!)).toMatchObject({ studioId: 'a', slots: evening.slots, removed: null });
  });

  test('stays with the same studio', () => {
    expect(choices.chooseStudio(evening, 'a')).toEqual(evening);
  });

  test('stays on its own day and the next, and goes with any other', () => {
    expect(choices.chooseDay(evening, NEXT)).toMatchObject({ date: NEXT, slots: evening.slots });
    expect(choices.chooseDay(evening, '2026-11-23')).toMatchObject({
      date: '2026-11-23',
      slots: [],
      removed: { date: DAY, slots: evening.slots },
    });
    expect(choices.chooseDay(evening, '2026-11-20').slots).toEqual([]);
  });

  test('of nothing leaves nothing to undo', () => {
    expect(choices.clear(choices.chooseStudio(nothing, 'a')).removed).toBeNull();
    expect(choices.clear(evening).removed).toEqual({ studioId: 'a', date: DAY, slots: evening.slots });
  });

  test('that changes ends the note about lost hours', () => {
    const noted = choices.settle(evening, [at(22)], 'Someone else has just booked 11 pm.');
    expect(noted).toMatchObject({ slots: [at(22)], lostNote: 'Someone else has just booked 11 pm.' });
    expect(choices.select(noted, [at(21), at(22)]).lostNote).toBeNull();
  });
});

describe('an earlier selection', () => {
  const found = { studioId: 'b', slots: [at(23), at(0, NEXT)], tell: true };

  test('is shown on its first day, and checked before it counts', () => {
    expect(choices.takeOver(nothing, found)).toMatchObject({ studioId: 'b', date: DAY, restoring: 'telling' });
    expect(choices.takeOver(nothing, { ...found, tell: false }).restoring).toBe('quietly');
  });

  test('without hours restores only the studio, and nothing after signing in', () => {
    expect(choices.takeOver(nothing, { ...found, slots: [], tell: false })).toMatchObject({ studioId: 'b', slots: [] });
    expect(choices.takeOver(nothing, { ...found, slots: [] })).toEqual(nothing);
  });

  test('focuses its first hour when it is announced', () => {
    const settled = choices.settle(choices.takeOver(nothing, found), found.slots, null);
    expect(settled).toMatchObject({ restoring: 'no', arrival: at(23), slots: found.slots, lostNote: null });
    const quiet = choices.takeOver(nothing, { ...found, tell: false });
    expect(choices.settle(quiet, found.slots, null).arrival).toBeNull();
  });

  test('of a studio that does not exist is given up; of one that cannot be read it stays', () => {
    const restoring = choices.takeOver(nothing, found);
    expect(choices.giveUp(restoring, false)).toMatchObject({ studioId: null, slots: [], restoring: 'no' });
    expect(choices.giveUp(restoring, true)).toMatchObject({ studioId: 'b', slots: found.slots, restoring: 'no' });
  });
});
