import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import { slotStart } from '#rules/studio-time.ts';
import * as connection from '#web/data/live.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { answerTaken } from '#web/data/testing/taken-hours.ts';
import * as wire from '#web/data/testing/wire.ts';
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

vi.mock('#web/data/live.ts', () => ({
  useLive: vi.fn(),
  pollWhile: (live: boolean, ms: number) => (live ? 60_000 : ms),
}));
// Without this mock, the provider's own client would keep answers from test to test.
vi.mock('#web/data/query-provider.tsx', () => ({ QueryProvider: ({ children }: { children: unknown }) => children }));

beforeEach(() => {
  vi.useFakeTimers({ now: at(19, 10), toFake: ['Date', 'setInterval', 'clearInterval'] });
  wire.answerRows('studios', studios);
  vi.mocked(connection.useLive).mockReset().mockReturnValue(true);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const taken = (start: Date, end: Date): Taken => ({ start, end, status: 'confirmed', mine: false });
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const show = () =>
  renderPart(
    <>
      {['A', 'B', 'C'].map((letter) => (
        <p key={letter} aria-label={letter}>
          <RoomState name={`Studio ${letter}`} />
        </p>
      ))}
    </>,
  );
const texts = (): string[] => ['A', 'B', 'C'].map((letter) => screen.getByLabelText(letter).textContent);

test('each room says whether it is free now, from when or until when, in Sydney time, and follows changes', async () => {
  answerTaken({ b: [taken(at(18), at(21))], c: [taken(at(21), at(23))] });
  const { settled } = show();
  await settled();
  expect(texts()).toEqual(['Free now', 'Busy until 9 pm (Sydney time)', 'Free now, until 9 pm (Sydney time)']);
  expect(connection.useLive).toHaveBeenCalledWith(['studio:a', 'studio:b', 'studio:c'], ['rooms-now']);
  // The request asks for the rooms that can be booked, with the prices of special days since yesterday.
  const [{ search } = { search: null }] = wire.sentTo('studios');
  expect([search?.get('active'), search?.get('special_days.last_day')]).toEqual(['eq.true', 'gte.2026-11-20']);
  answerTaken({ a: [taken(at(19), at(2, 0, '2026-11-22'))] });
  // After the thirtieth minute, the current hour can no longer be booked.
  await wait(25 * 60_000);
  await settled();
  expect(texts()).toEqual([
    'Busy until 2 am tomorrow (Sydney time)',
    'Free from 8 pm (Sydney time)',
    'Free from 8 pm (Sydney time)',
  ]);
});

test('a room whose state is unknown says nothing before the answer', async () => {
  answerTaken({});
  const release = wire.pause('bookings');
  const { settled } = show();
  await wire.expectRequests('bookings', 1);
  expect(texts()).toEqual(['', '', '']);
  release();
  await settled();
  expect(texts()).toEqual(['Free now', 'Free now', 'Free now']);
});

test('the lowest price of a free hour tonight is said with a link that chooses it, and nothing when none is free [spec 10.2]', async () => {
  answerTaken({});
  const { unmount, settled } = renderPart(<TonightPrice />);
  await settled();
  // On Saturday night an hour costs $69 until 2 AM on Sunday, and $59 from 3 AM on.
  expect(screen.getByRole('link', { name: 'Tonight from $59 an hour' }).getAttribute('href')).toBe(
    '/booking?room=a&from=2026-11-22T03&hours=1',
  );
  unmount();
  const all = [taken(at(0), at(10, 0, '2026-11-22'))];
  answerTaken({ a: all, b: all, c: all });
  await renderPart(<TonightPrice />).settled();
  expect(screen.queryByRole('link')).toBeNull();
});

test('a room says nothing any more once the connection is lost or an answer fails', async () => {
  answerTaken({});
  const { settled } = show();
  await settled();
  expect(texts()).toEqual(['Free now', 'Free now', 'Free now']);
  wire.fail('bookings', 500);
  await wait(61_000);
  await settled();
  expect(texts()).toEqual(['', '', '']);
  answerTaken({});
  await wait(61_000);
  await settled();
  expect(texts()[0]).toMatch(/^Free/);
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  await wait(16_000);
  expect(texts()).toEqual(['', '', '']);
});
