import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '#web/ui/component-tests.ts';
import { RoomLinks } from './room-links.tsx';

/** Saturday, 7.10 pm in Sydney. */
const NOW = new Date('2026-11-21T08:10:00Z');
const ask = vi.fn<(path: string) => Promise<unknown>>();
const room = { words: 'Studio A is free now, $69 an hour', query: '?room=a&from=x&hours=1' };
const answers = (found: unknown) => ask.mockResolvedValue({ json: () => Promise.resolve({ room: found }) });
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  vi.stubGlobal('fetch', ask);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the first view has a link to each room, and the lowest price until it is known which room is free first', async () => {
  answers(room);
  renderPart(<RoomLinks />);
  expect(screen.getByText('From $49 an hour')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Studio B' }).getAttribute('href')).toBe(
    '/booking?room=5a000000-0000-4000-8000-00000000000b',
  );
  await wait(1_010);
  const link = screen.getByRole('link', { name: 'Studio A is free now, $69 an hour' });
  expect(link.getAttribute('href')).toBe('/booking?room=a&from=x&hours=1');
  expect(ask.mock.calls.map(([path]) => path)).toEqual(['/functions/v1/next-free']);
});

test('the room that is free first is asked for again each minute, and not named once that is unknown', async () => {
  answers({ ...room, words: 'Studio A is free from 9 pm' });
  renderPart(<RoomLinks />);
  await wait(1_010);
  expect(screen.getByRole('link', { name: 'Studio A is free from 9 pm' })).toBeTruthy();
  for (const failure of [
    () => answers(null),
    () => ask.mockResolvedValue({ json: () => Promise.resolve({ error: { code: 'too_many_requests' } }) }),
    () => ask.mockRejectedValue(new Error()),
  ]) {
    failure();
    await wait(60_000);
    expect(screen.getByText('From $49 an hour')).toBeTruthy();
    answers(room);
    await wait(60_000);
    expect(screen.queryByText('From $49 an hour')).toBeNull();
  }
});
