import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import { type Slot, toggleSlot } from '#rules/slots.ts';
import { slotEnd, slotStart } from '#rules/studio-time.ts';
import * as connection from '#web/data/live.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { answerTaken } from '#web/data/testing/taken-hours.ts';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { RoomTimeline } from './room-timeline.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: vi.fn(() => true), pollWhile: () => 60_000 }));

/** A Saturday. The test runs on the day before. */
const DAY = '2026-11-21';
const NEXT = '2026-11-22';
const FRIDAY = new Date('2026-11-20T04:00:00Z');
const at = (hour: number, date = DAY): Slot => ({ date, hour });
const taken = (from: Slot, to: Slot, more: Partial<Taken> = {}): Taken => ({
  start: slotStart(from.date, from.hour) ?? FRIDAY,
  end: slotEnd(to.date, to.hour),
  status: 'confirmed',
  mine: false,
  ...more,
});
const rooms = ['Studio A', 'Studio B', 'Studio C'].map((name) => ({
  id: name.slice(-1).toLowerCase(),
  name,
  rates: specifiedRates,
}));
const answer = (hours: Record<string, readonly Taken[]>): void => answerTaken(hours, 'me');

let wide = true;
beforeEach(() => {
  wide = true;
  vi.spyOn(window, 'matchMedia').mockImplementation(
    () => ({ matches: wide, addEventListener: vi.fn(), removeEventListener: vi.fn() }) as unknown as MediaQueryList,
  );
  vi.mocked(connection.useLive).mockClear();
});
afterEach(() => void vi.useRealTimers());

const onTaken = vi.fn();
const onReach = vi.fn();
type Chosen = { readonly studioId: string | null; readonly slots: readonly Slot[] };
function Timeline({
  start = { studioId: null, slots: [] },
  arrival = null,
  now = FRIDAY,
}: {
  start?: Chosen;
  arrival?: Slot | null;
  now?: Date;
}) {
  const [chosen, setChosen] = useState<Chosen>(start);
  return (
    <RoomTimeline
      rooms={rooms}
      userId="me"
      ready
      date={DAY}
      selection={{ ...chosen, arrival }}
      now={now}
      paused={false}
      onToggle={(studioId, slot) =>
        setChosen({ studioId, slots: studioId === chosen.studioId ? toggleSlot(chosen.slots, slot) : [slot] })
      }
      onReach={onReach}
      onTaken={onTaken}
    />
  );
}
// With ninety cells, queries by role and name take seconds.
const cells = () => [...document.querySelectorAll<HTMLElement>('[role="gridcell"]')];
const named = (name: string | RegExp) =>
  cells().find((cell) => new RegExp(name).test(cell.getAttribute('aria-label') ?? ''));
const cell = (name: string | RegExp) =>
  vi.waitFor(() => {
    const found = named(name);
    if (!found) throw new Error(`no cell ${name}`);
    return found;
  });
const focused = () => document.activeElement?.getAttribute('aria-label');
const selected = () =>
  cells()
    .filter((cell) => cell.getAttribute('aria-selected') === 'true')
    .map((cell) => cell.getAttribute('aria-label')?.split(' to')[0]);

test('all rooms of a day and the next morning are one grid with headers for rooms and hours, read in one query [spec 10.1]', async () => {
  answer({
    a: [taken(at(20), at(21))],
    b: [taken(at(23), at(1, NEXT), { mine: true })],
    c: [taken(at(5), at(6), { status: 'closed' })],
  });
  renderPart(<Timeline />);
  const grid = await screen.findByRole('grid', { name: 'Hours of all rooms, Saturday 21 November 2026, Sydney time' });
  expect(screen.getAllByRole('rowheader').map((header) => header.textContent)).toEqual([
    'Studio A',
    'Studio B',
    'Studio C',
  ]);
  expect(screen.getAllByRole('columnheader').map((header) => header.textContent)).toHaveLength(31);
  expect(grid.contains(cells()[0] ?? null)).toBe(true);
  expect(cells()).toHaveLength(90);
  for (const name of [
    'Studio A, 7 PM to 8 PM, 69 dollars, free',
    'Studio A, 8 PM to 9 PM, taken',
    'Studio B, 11 PM to 12 AM, yours',
    'Studio B, 12 AM to 1 AM on Sun 22 Nov 2026, yours',
    'Studio C, 5 AM to 6 AM, closed',
    'Studio C, 5 AM to 6 AM on Sun 22 Nov 2026, 59 dollars, free',
  ])
    await cell(name);
  const requests = [...wire.sentTo('bookings'), ...wire.sentTo('closed_hours')].map(({ search }) => [
    search.get('studio_id'),
    search.get('end_time'),
    search.getAll('start_time').at(-1),
  ]);
  // The range is from the beginning of the day to the end of the next, in Sydney.
  const query = ['in.(a,b,c)', 'gt.2026-11-20T13:00:00.000Z', 'lt.2026-11-22T13:00:00.000Z'];
  expect(requests).toEqual([query, query]);
  expect(connection.useLive).toHaveBeenCalledWith(['studio:a', 'studio:b', 'studio:c'], expect.anything());
});

test('prices stand where they change, with a mark whose height the legend explains', async () => {
  answer({});
  renderPart(<Timeline />);
  const legend = await screen.findByRole('list', { name: 'What the hours look like and cost' });
  expect(legend.textContent).toMatch(/^Free, \$59 an hourFree, \$69 an hour/);
  const marks = await Promise.all(
    [/^Studio A, 5 PM/, /^Studio A, 6 PM/].map(
      async (name) => (await cell(name)).querySelector('[aria-hidden]')?.className,
    ),
  );
  expect(new Set(marks.map((look) => /\bh-\d/.exec(look ?? '')?.[0])).size).toBe(2);
});

test('a span across midnight is chosen with arrows and Enter; up and down change the room; Shift extends [spec 10.1]', async () => {
  answer({ b: [taken(at(22), at(22))] });
  renderPart(<Timeline />);
  await cell('Studio A, 12 AM to 1 AM, 69 dollars, free');
  await user.tab();
  expect(focused()).toMatch(/^Studio A, 12 AM to 1 AM, /);
  await user.keyboard('{End}{ArrowDown}{ArrowDown}');
  expect(focused()).toMatch(/^Studio C, 5 AM to 6 AM on Sun 22 Nov 2026/);
  await user.keyboard('{ArrowDown}{Home}{ArrowLeft}');
  expect(focused()).toMatch(/^Studio C, 12 AM to 1 AM, /);
  (await cell(/^Studio C, 11 PM/)).focus();
  await user.keyboard('{Enter}{ArrowRight}{Enter}');
  expect(selected()).toEqual(['Studio C, 11 PM', 'Studio C, 12 AM']);
  await user.keyboard('{Shift>}{ArrowRight}{/Shift}');
  expect(onReach).toHaveBeenCalledWith('c', at(0, NEXT), at(1, NEXT), expect.any(Function));
  // Tab reaches only one of all hours.
  expect(cells().filter((cell) => cell.tabIndex === 0)).toHaveLength(1);
  await user.keyboard('{ArrowUp}{Enter}');
  expect(selected()).toEqual(['Studio B, 1 AM']);
  await user.click(await cell('Studio B, 10 PM to 11 PM, taken'));
  expect(onTaken).toHaveBeenCalledExactlyOnceWith('b', at(22));
});

test('on a phone the rooms are columns, arrows follow them, and the hours of the night before are folded away', async () => {
  wide = false;
  answer({});
  renderPart(<Timeline />);
  await cell(/^Studio A, 6 AM/);
  expect(screen.getAllByRole('columnheader').map((header) => header.textContent)).toEqual([
    'Hour',
    'Studio A',
    'Studio B',
    'Studio C',
  ]);
  expect(named('Studio A, 12 AM to 1 AM, 69 dollars, free')).toBeUndefined();
  await user.click(screen.getByRole('button', { name: 'Show the hours before 6 AM' }));
  (await cell('Studio A, 12 AM to 1 AM, 69 dollars, free')).focus();
  await user.keyboard('{ArrowRight}{ArrowDown}');
  expect(focused()).toMatch(/^Studio B, 1 AM to 2 AM, /);
});

test('past hours are left out; a day without a free hour says so', async () => {
  answer(Object.fromEntries(rooms.map(({ id }) => [id, [taken(at(0), at(23, NEXT))]])));
  renderPart(<Timeline now={new Date('2026-11-21T08:10:00Z')} />);
  await cell('Studio A, 7 PM to 8 PM, taken');
  expect(named(/^Studio A, 6 PM/)).toBeUndefined();
  screen.getByText(/^No hours are left in any room on this day/);
});

test('what others take and give back is announced with the room, marked, and gone after a while', async () => {
  vi.useFakeTimers({ now: FRIDAY, toFake: ['Date', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  answer({ a: [taken(at(10), at(10))] });
  const { settled } = renderPart(<Timeline />);
  await settled();
  answer({ b: [taken(at(19), at(20)), taken(at(1, NEXT), at(1, NEXT))] });
  await act(() => vi.advanceTimersByTimeAsync(60_100));
  await settled();
  expect(screen.getByRole('status').textContent).toBe(
    'Studio A: Free again: 10 am to 11 am. Studio B: Just taken: 7 pm to 9 pm. Studio B: Just taken: 1 am to 2 am.',
  );
  const marked = [...document.querySelectorAll('[data-marked]')].map((cell) => cell.getAttribute('aria-label'));
  expect(marked).toHaveLength(4);
  await act(() => vi.advanceTimersByTimeAsync(8_100));
  expect(screen.getByRole('status').textContent).toBe('');
  expect(document.querySelector('[data-marked]')).toBeNull();
});

test('hours that cannot be read are not shown as free: an error with another try', async () => {
  wire.fail('bookings', 500);
  wire.answerRows('closed_hours', []);
  renderPart(<Timeline />);
  await screen.findByText('We can’t show which hours are free right now.');
  expect(screen.queryByRole('grid')).toBeNull();
  answer({});
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await cell(/^Studio A, 9 AM/);
});

test('an offer that was taken gets the focus, once', async () => {
  answer({});
  const arrival = { date: DAY, hour: 20 };
  const start = { studioId: 'b', slots: [arrival, { date: DAY, hour: 21 }] };
  const { unmount } = renderPart(<Timeline start={start} arrival={arrival} />);
  await vi.waitFor(() => expect(focused()).toMatch(/^Studio B, 8 PM to 9 PM.*selected$/));
  unmount();
  renderPart(<Timeline start={start} arrival={arrival} />);
  await cell('Studio B, 8 PM to 9 PM');
  expect(focused()).toBeNull();
});
