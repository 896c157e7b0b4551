import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import { slotStart } from '#rules/studio-time.ts';
import * as availability from '#web/data/finding/availability.ts';
import * as connection from '#web/data/live.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { RoomState, TonightPrice } from './rooms-now.tsx';

const DAY = '2026-11-21';
const at = (hour: number, minute = 0, date = DAY): Date =>
  new Date((slotStart(date, hour)?.getTime() ?? 0) + minute * 60_000);
const prices = {
  current_price_lists: specifiedRates.lists.map(({ validFrom, hourCents, volumePercents }) => ({
    valid_from: validFrom,
    hour_cents: hourCents,
    volume_percents: volumePercents,
  })),
  special_days: [],
};
const studios = ['A', 'B', 'C'].map((letter) => ({ id: letter.toLowerCase(), name: `Studio ${letter}`, ...prices }));
const answer = { gte: () => ({ eq: () => Promise.resolve({ data: studios, error: null }) }) };

vi.mock('#web/data/rest.ts', () => ({
  rest: { from: () => ({ select: () => answer }) },
}));
vi.mock('#web/data/finding/availability.ts', () => ({ readRooms: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({
  useLive: vi.fn(),
  pollWhile: (live: boolean, ms: number) => (live ? 60_000 : ms),
}));
// The provider's own client would keep answers from test to test.
vi.mock('#web/data/query-provider.tsx', () => ({ QueryProvider: ({ children }: { children: unknown }) => children }));
const { readRooms } = vi.mocked(availability);

beforeEach(() => {
  vi.useFakeTimers({ now: at(19, 10) });
  readRooms.mockReset();
  vi.mocked(connection.useLive).mockReset().mockReturnValue(true);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const taken = (start: Date, end: Date) => ({ start, end, status: 'confirmed', mine: false });
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
async function show(): Promise<string[]> {
  renderPart(
    <>
      {['A', 'B', 'C'].map((letter) => (
        <p key={letter} aria-label={letter}>
          <RoomState name={`Studio ${letter}`} />
        </p>
      ))}
    </>,
  );
  await wait(50);
  return texts();
}
const texts = (): string[] => ['A', 'B', 'C'].map((letter) => screen.getByLabelText(letter).textContent);

test('each room says whether it is free now, from when or until when, in Sydney time, and follows changes', async () => {
  readRooms.mockResolvedValue(
    new Map([
      ['b', [taken(at(18), at(21))]],
      ['c', [taken(at(21), at(23))]],
    ]),
  );
  expect(await show()).toEqual(['Free now', 'Busy until 9 pm (Sydney time)', 'Free now, until 9 pm (Sydney time)']);
  expect(connection.useLive).toHaveBeenCalledWith(['studio:a', 'studio:b', 'studio:c'], ['rooms-now']);
  readRooms.mockResolvedValue(new Map([['a', [taken(at(19), at(2, 0, '2026-11-22'))]]]));
  // Past the thirtieth minute the current hour cannot be booked any more.
  await wait(25 * 60_000);
  expect(texts()).toEqual([
    'Busy until 2 am tomorrow (Sydney time)',
    'Free from 8 pm (Sydney time)',
    'Free from 8 pm (Sydney time)',
  ]);
});

test('a room whose state is unknown says nothing: without an answer, without a connection, and after an error', async () => {
  readRooms.mockReturnValueOnce(new Promise(() => {}));
  expect(await show()).toEqual(['', '', '']);
});

test('the lowest price of a free hour tonight is said with a link that chooses it, and nothing when none is free', async () => {
  readRooms.mockResolvedValue(new Map());
  const { unmount } = renderPart(<TonightPrice />);
  await wait(50);
  // Saturday night: $69 until 2 AM on Sunday, then $59 from 3 AM on.
  expect(screen.getByRole('link', { name: 'Tonight from $59 an hour' }).getAttribute('href')).toBe(
    '/booking?room=a&from=2026-11-22T03&hours=1',
  );
  unmount();
  readRooms.mockResolvedValue(new Map(['a', 'b', 'c'].map((id) => [id, [taken(at(0), at(10, 0, '2026-11-22'))]])));
  renderPart(<TonightPrice />);
  await wait(50);
  expect(screen.queryByRole('link')).toBeNull();
});

test('a room says nothing any more once the connection is lost or an answer fails', async () => {
  readRooms.mockResolvedValue(new Map());
  expect(await show()).toEqual(['Free now', 'Free now', 'Free now']);
  readRooms.mockRejectedValue(new Error('down'));
  await wait(61_000);
  expect(texts()).toEqual(['', '', '']);
  readRooms.mockResolvedValue(new Map());
  await wait(61_000);
  expect(texts()[0]).toMatch(/^Free/);
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  await wait(16_000);
  expect(texts()).toEqual(['', '', '']);
});
