import { describe, expect, test } from 'vitest';
import * as choices from './choice-state.ts';

const DAY = '2026-11-21';
const NEXT = '2026-11-22';
const at = (hour: number, date = DAY) => ({ date, hour });
const lost = {
  studioId: 'a',
  slots: [at(22), at(23)],
  note: 'Someone else has just booked 11 pm.',
  at: new Date('2026-11-20T00:00:00Z'),
};
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
    const noted = choices.settle(evening, [at(22)], lost);
    expect(noted).toMatchObject({ slots: [at(22)], lost });
    expect(choices.select(noted, [at(21), at(22)]).lost).toBeNull();
  });

  test('to an offer shows its studio and day, focuses its first hour and ends the note', () => {
    const noted = choices.settle(evening, [], lost);
    const offer = { studioId: 'b', slots: [at(0, NEXT), at(1, NEXT)] };
    expect(choices.takeOffer(noted, offer)).toEqual({
      ...choices.firstChoice(NEXT),
      ...offer,
      arrival: at(0, NEXT),
    });
  });
});

test('hours in another room replace the selection, and Undo restores room, day and hours', () => {
  const other = choices.startIn(evening, 'b', [at(9)]);
  expect(other).toMatchObject({ studioId: 'b', slots: [at(9)] });
  expect(choices.undo(other, { studioId: 'a', date: DAY, slots: evening.slots })).toMatchObject({
    studioId: 'a',
    slots: evening.slots,
  });
});

describe('an earlier selection', () => {
  const found = { studioId: 'b', slots: [at(23), at(0, NEXT)], announce: true };

  test('is shown on its first day, and checked before it counts', () => {
    expect(choices.restoreSelection(nothing, found)).toMatchObject({
      studioId: 'b',
      date: DAY,
      restoring: 'announced',
    });
    expect(choices.restoreSelection(nothing, { ...found, announce: false }).restoring).toBe('silent');
  });

  test('without hours restores only the studio, and nothing after signing in', () => {
    expect(choices.restoreSelection(nothing, { ...found, slots: [], announce: false })).toMatchObject({
      studioId: 'b',
      slots: [],
    });
    expect(choices.restoreSelection(nothing, { ...found, slots: [] })).toEqual(nothing);
  });

  test('focuses its first hour when it is announced', () => {
    const settled = choices.settle(choices.restoreSelection(nothing, found), found.slots, null);
    expect(settled).toMatchObject({ restoring: 'no', arrival: at(23), slots: found.slots, lost: null });
    const quiet = choices.restoreSelection(nothing, { ...found, announce: false });
    expect(choices.settle(quiet, found.slots, null).arrival).toBeNull();
  });

  test('lets Book Now go on with all of its hours, and not once some are lost or others are chosen', () => {
    const pressed = choices.restoreSelection(nothing, { ...found, bookNow: true });
    const settled = choices.settle(pressed, found.slots, null);
    expect([pressed.bookNowWaits, settled.bookNowWaits]).toEqual([true, true]);
    expect(choices.settle(pressed, [at(0, NEXT)], lost).bookNowWaits).toBe(false);
    expect(choices.select(settled, [at(23)]).bookNowWaits).toBe(false);
    expect(choices.endRestoring(pressed, true).bookNowWaits).toBe(false);
    expect(choices.restoreSelection(nothing, found).bookNowWaits).toBe(false);
    // A guest who reloads the page has not signed in.
    expect(choices.restoreSelection(nothing, { ...found, announce: false, bookNow: true }).bookNowWaits).toBe(false);
  });

  test('that a link asked for is not announced, and focuses what is free of it', () => {
    const linked = choices.restoreSelection(nothing, { ...found, announce: false, linked: true });
    expect(linked.restoring).toBe('linked');
    const settled = choices.settle(linked, [at(0, NEXT)], { ...lost, linked: true });
    expect(settled).toMatchObject({ arrival: at(0, NEXT), slots: [at(0, NEXT)], lost: { linked: true } });
  });

  test('of a studio that does not exist is dropped; of one that cannot be read it stays', () => {
    const restoring = choices.restoreSelection(nothing, found);
    expect(choices.endRestoring(restoring, false)).toMatchObject({ studioId: null, slots: [], restoring: 'no' });
    expect(choices.endRestoring(restoring, true)).toMatchObject({ studioId: 'b', slots: found.slots, restoring: 'no' });
  });
});
