import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { queryKeys } from '#web/data/query-keys.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { Calendar, type CalendarForms, type CalendarView } from './calendar.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock('#web/lib/use-now.ts', () => ({ useNow: () => NOW }));
const DAY = '2031-03-03';
const { NOW } = vi.hoisted(() => ({ NOW: new Date('2031-03-01T00:00:00Z') }));
/** Returns the id of a room with this letter. */
const idFrom = (letter: string): string => `00000000-0000-4000-8000-00000000000${letter.toLowerCase()}`;
const STUDIOS = ['A', 'B', 'C'].map((letter) => ({ id: idFrom(letter), name: `Studio ${letter}` }));
const at = (hour: number): Date => new Date(Date.parse(`${DAY}T00:00:00+11:00`) + hour * 3_600_000);
const entry = (kind: queries.Entry['kind'], letter: string, from: number, to: number) => ({
  kind,
  id: `${kind} ${letter}`,
  studio_id: idFrom(letter),
  start_time: at(from),
  end_time: at(to),
  reason: kind === 'closure' ? 'Cleaning' : null,
  customer_name: 'Sam Guest',
  customer_email: 'sam@example.com',
  reference: kind === 'closure' ? null : 'ABCD-2345',
  is_test: false,
  public: false,
  weeks: 3,
});
const FREE = Array.from({ length: 28 }, (_, n) => ({
  day: `2031-03-${String(n + 3).padStart(2, '0')}`,
  hours: 72,
  free: 36,
}));
const forms: CalendarForms = {
  book: ({ first, hours }, onBooked) => (
    <button type="button" onClick={() => onBooked('NEW')}>{`book ${first.date} ${first.hour} ${hours}`}</button>
  ),
  close: ({ start, end }) => <p>{`close ${start.toISOString()} ${end.toISOString()}`}</p>,
  move: ({ id }, { studioId, start, end }, onDone) => (
    <button
      type="button"
      onClick={onDone}
    >{`move ${id} ${studioId} ${start.toISOString()} ${end.toISOString()}`}</button>
  ),
  reopen: ({ id, weeks }, where) => <p>{`reopen ${id} ${weeks} ${where}`}</p>,
};
const [onShow, onBooking] = [vi.fn<(view: CalendarView) => void>(), vi.fn<(reference: string) => void>()];

const answer = (...entries: readonly ReturnType<typeof entry>[]): void => wire.answerRows('staff_calendar', entries);
/** Answers with one entry of each kind. */
const answerWhole = (): void =>
  answer(entry('booking', 'A', 10, 12), entry('hold', 'B', 14, 15), entry('closure', 'C', 16, 18));
beforeEach(() => {
  vi.resetAllMocks();
  answerWhole();
  wire.answerRows('free_hours', FREE);
  Element.prototype.scrollIntoView = vi.fn();
  HTMLElement.prototype.setPointerCapture = vi.fn();
});

/** Opens the calendar with the area of its blocks 300 by 480 pixels: 100 for a room, 20 for an hour. */
async function open(view: Partial<CalendarView> = {}): Promise<HTMLElement> {
  const { client } = renderPart(
    <Calendar
      studios={STUDIOS}
      shown={{ view: 'day', day: DAY, studioId: null, ...view }}
      forms={forms}
      onShow={onShow}
      onBooking={onBooking}
    />,
  );
  const grid = await screen.findByRole('grid');
  const area = grid.querySelector<HTMLElement>('[aria-hidden="true"]');
  if (!area) throw new Error('no area');
  area.getBoundingClientRect = () => new DOMRect(0, 0, 300, 480);
  readAgain = () => client.invalidateQueries({ queryKey: queryKeys.staffCalendar.all });
  return area;
}
let readAgain: () => Promise<void>;
const cell = (name: RegExp | string) => screen.getByRole('gridcell', { name });
const active = (): string =>
  document
    .getElementById(screen.getByRole('grid').getAttribute('aria-activedescendant') ?? '')
    ?.getAttribute('aria-label') ?? '';
const point = (room: number, hour: number, pointerType = 'mouse') => ({
  clientX: room * 100 + 50,
  clientY: hour * 20 + 10,
  button: 0,
  pointerId: 1,
  pointerType,
});
const dialog = () => within(screen.getByRole('dialog'));
/** Returns the text of the move form in these tests. */
const moveTo = (studio: string, from: number, to: number): string =>
  `move booking A ${idFrom(studio)} ${at(from).toISOString()} ${at(to).toISOString()}`;

test('a day shows each room with what is booked, held, closed and free, and the days with the share that is free', async () => {
  await open();
  expect(screen.getByRole('heading', { name: 'Monday 3 March 2031' })).toBeTruthy();
  expect(cell('Studio A, Mon 3 Mar 2031, 11 AM: Sam Guest, 10 am to 12 pm')).toBeTruthy();
  expect(cell('Studio B, Mon 3 Mar 2031, 2 PM: held for Sam Guest, 2 pm to 3 pm')).toBeTruthy();
  expect(cell('Studio C, Mon 3 Mar 2031, 5 PM: closed 4 pm to 6 pm, Cleaning')).toBeTruthy();
  expect(cell('Studio C, Mon 3 Mar 2031, 6 PM: free')).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: 'Tuesday 4 March 2031: 50% free' }));
  const days = within(screen.getByRole('list', { name: 'Free hours' })).getAllByRole('button');
  expect(days.filter((day) => day.tabIndex === 0)).toEqual([days[0]]);
  days[0]?.focus();
  await user.keyboard('{ArrowRight}{ArrowDown}');
  expect(document.activeElement).toBe(days[8]);
  await user.keyboard('{End}{ArrowRight}');
  expect(document.activeElement).toBe(days[27]);
  expect(onShow).toHaveBeenLastCalledWith({ view: 'day', day: '2031-03-04', studioId: null });
});

test('a week shows the days of one room, and the buttons and keys go on by weeks', async () => {
  await open({ view: 'week', studioId: idFrom('B') });
  expect(screen.getByRole('heading', { name: '3 Mar to 9 Mar 2031' })).toBeTruthy();
  expect(
    screen
      .getAllByRole('columnheader')
      .slice(1)
      .map((head) => head.getAttribute('aria-label')),
  ).toContain('Studio B, Sun 9 Mar 2031');
  expect(wire.sentTo('staff_calendar').map(({ body }) => body)).toContainEqual({
    first_day: DAY,
    days: 7,
    studio: idFrom('B'),
  });
  await user.click(screen.getByRole('button', { name: 'Next week' }));
  expect(onShow).toHaveBeenLastCalledWith({ view: 'week', day: '2031-03-10', studioId: idFrom('B') });
  screen.getByRole('grid').focus();
  await user.keyboard('{PageUp}');
  expect(onShow).toHaveBeenLastCalledWith({ view: 'week', day: '2031-02-24', studioId: idFrom('B') });
  await user.selectOptions(screen.getByLabelText('Room'), 'All rooms');
  expect(onShow).toHaveBeenLastCalledWith({ view: 'week', day: DAY, studioId: null });
});

test('the keyboard walks, selects free hours, and books or closes them', async () => {
  await open();
  screen.getByRole('grid').focus();
  expect(active()).toBe('Studio A, Mon 3 Mar 2031, 9 AM: free');
  await user.keyboard('{ArrowRight}{ArrowDown}{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
  expect(screen.getByText('Selected: Studio B, Mon 3 Mar 2031, 10 am to 1 pm.')).toBeTruthy();
  expect(screen.getAllByRole('gridcell', { selected: true })).toHaveLength(3);
  await user.keyboard('{Enter}');
  expect(dialog().getByText('Studio B, Mon 3 Mar 2031, 10 am to 1 pm. Sydney time.')).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'New booking' }));
  await user.click(dialog().getByRole('button', { name: 'book 2031-03-03 10 3' }));
  expect(onBooking).toHaveBeenCalledExactlyOnceWith('NEW');
  expect(screen.queryByRole('dialog')).toBeNull();
  screen.getByRole('grid').focus();
  await user.keyboard('{Enter}');
  await user.click(dialog().getByRole('button', { name: 'Close these hours' }));
  expect(dialog().getByText(/^close 2031-03-02T23:00:00.000Z/)).toBeTruthy();
});

test('a booking is picked up, moved and dropped by keyboard, and the form gets the new hours', async () => {
  await open();
  screen.getByRole('grid').focus();
  await user.keyboard('{ArrowDown}{Enter}');
  expect(screen.getByText(/^Picked up Sam Guest/)).toBeTruthy();
  await user.keyboard('{ArrowRight}{ArrowUp}{Shift>}{ArrowUp}{/Shift}');
  expect(screen.getByText('Studio B, Mon 3 Mar 2031, 9 am to 10 am.')).toBeTruthy();
  await user.keyboard('{Enter}');
  expect(dialog().getByText('Sam Guest, ABCD-2345')).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: moveTo('B', 9, 10) }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a booking that is picked up stays so when the calendar is read again, and is put back when its hours have changed', async () => {
  await open();
  screen.getByRole('grid').focus();
  await user.keyboard('{ArrowDown}{Enter}');
  answer(entry('booking', 'A', 10, 12), entry('closure', 'C', 20, 22));
  await readAgain();
  await screen.findByRole('gridcell', { name: /^Studio C.* 9 PM: closed/ });
  expect(screen.getByText(/^Picked up Sam Guest/)).toBeTruthy();
  await user.keyboard('{ArrowRight}{Enter}');
  await user.click(dialog().getByRole('button', { name: moveTo('B', 10, 12) }));
  screen.getByRole('grid').focus();
  await user.keyboard('{ArrowLeft}{Enter}');
  answer(entry('booking', 'A', 10, 13));
  await readAgain();
  expect(await screen.findByText('The booking was put back, because it is no longer at these hours.')).toBeTruthy();
  await user.keyboard('{ArrowDown}');
  expect(active()).toBe('Studio A, Mon 3 Mar 2031, 11 AM: Sam Guest, 10 am to 1 pm');
});

test('a mouse drags free hours, a booking, and an edge of it', async () => {
  const area = await open();
  const drag = (from: Element, start: [number, number], end: [number, number]): void => {
    fireEvent.pointerDown(from, point(...start));
    fireEvent.pointerMove(from, point(start[0], start[1] + 1));
    fireEvent.pointerMove(from, point(...end));
    fireEvent.pointerUp(from, point(...end));
    fireEvent.click(from, point(...end));
  };
  drag(area, [1, 9], [1, 16]);
  expect(dialog().getByText('Studio B, Mon 3 Mar 2031, 9 am to 2 pm. Sydney time.')).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'Cancel' }));
  const block = area.querySelector('[data-entry^="booking A"]');
  if (!block) throw new Error('no block');
  drag(block, [0, 11], [2, 13]);
  await user.click(dialog().getByRole('button', { name: moveTo('C', 12, 14) }));
  drag(block.querySelector('[data-edge="end"]') ?? block, [0, 11], [0, 13]);
  await user.click(dialog().getByRole('button', { name: moveTo('A', 10, 14) }));
  drag(block.querySelector('[data-edge="start"]') ?? block, [0, 10], [0, 8]);
  expect(dialog().getByRole('button', { name: moveTo('A', 8, 12) })).toBeTruthy();
});

test('a finger drags after it has rested, and scrolls before', async () => {
  const area = await open();
  vi.useFakeTimers();
  try {
    fireEvent.pointerDown(area, point(1, 9, 'touch'));
    fireEvent.pointerMove(area, point(1, 11, 'touch'));
    act(() => void vi.advanceTimersByTime(1_000));
    fireEvent.pointerUp(area, point(1, 11, 'touch'));
    expect(screen.queryByRole('dialog')).toBeNull();
    const touch = (): boolean => fireEvent.touchMove(area);
    expect(touch()).toBe(true);
    fireEvent.pointerDown(area, point(1, 9, 'touch'));
    act(() => void vi.advanceTimersByTime(1_000));
    expect(touch()).toBe(false);
    fireEvent.pointerMove(area, point(1, 10, 'touch'));
    fireEvent.pointerUp(area, point(1, 10, 'touch'));
  } finally {
    vi.useRealTimers();
  }
  expect(dialog().getByText('Studio B, Mon 3 Mar 2031, 9 am to 11 am. Sydney time.')).toBeTruthy();
});

test('a press opens a booking, closed hours, or free hours', async () => {
  const area = await open();
  const block = (kind: string): Element => area.querySelector(`[data-entry^="${kind}"]`) ?? area;
  fireEvent.click(block('booking'), point(0, 10));
  expect(onBooking).toHaveBeenCalledExactlyOnceWith('ABCD-2345');
  fireEvent.click(block('closure'), point(2, 16));
  expect(dialog().getByText('reopen closure C 3 Studio C')).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'Close' }));
  fireEvent.click(area, point(2, 20));
  expect(dialog().getByText('Studio C, Mon 3 Mar 2031, 8 pm to 9 pm. Sydney time.')).toBeTruthy();
});

test('hours that have passed can be closed, not booked', async () => {
  answer();
  const area = await open({ day: '2020-03-03' });
  fireEvent.click(area, point(0, 9));
  expect(dialog().getByText('These hours have passed, so they cannot be booked.')).toBeTruthy();
  expect(dialog().queryByRole('button', { name: 'New booking' })).toBeNull();
});

test('what cannot be loaded offers another try', async () => {
  wire.fail('staff_calendar', 500);
  renderPart(
    <Calendar
      studios={STUDIOS}
      shown={{ view: 'day', day: DAY, studioId: null }}
      forms={forms}
      onShow={onShow}
      onBooking={onBooking}
    />,
  );
  const retry = await screen.findByRole('button', { name: 'Try again' });
  answerWhole();
  await user.click(retry);
  expect(await screen.findByRole('grid')).toBeTruthy();
});

test('the address of a room is made, shown, and revoked after a question', async () => {
  wire.answerRows('calendar_feeds', [{ studio_id: idFrom('A'), created_at: '2031-03-01T00:00:00Z' }]);
  wire.answerWith('staff-calendar-feed', ({ action }) =>
    action === 'revoke' ? { revoked: true } : { url: 'https://site.example/feed?token=t' },
  );
  await open();
  await user.click(screen.getByRole('button', { name: 'Subscribe to calendar' }));
  await dialog().findByText('Shared since Saturday 1 March 2031.');
  await user.click(dialog().getByRole('button', { name: 'Create address for Studio B' }));
  const address = await dialog().findByLabelText<HTMLInputElement>('Address for Studio B');
  expect(address.value).toBe('https://site.example/feed?token=t');
  const request = { studioId: idFrom('B'), action: 'create' } as const;
  await wire.expectSent('staff-calendar-feed', request);
  await wire.expectRequests('calendar_feeds', 2);
  await user.click(dialog().getByRole('button', { name: 'Revoke the address for Studio A' }));
  expect(wire.sent('staff-calendar-feed')).toEqual([request]);
  await user.click(dialog().getByRole('button', { name: /empty all subscribed calendars$/ }));
  await wire.expectSent('staff-calendar-feed', request, { studioId: idFrom('A'), action: 'revoke' });
  await wire.expectRequests('calendar_feeds', 3);
});
