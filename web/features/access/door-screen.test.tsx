import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { DoorHelp } from './door-help.tsx';
import { DoorScreen } from './door-screen.tsx';
import type { Access } from './queries.ts';

const lock = { release: vi.fn(() => Promise.resolve()) };
const request = vi.fn(() => Promise.resolve(lock));
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  request.mockClear();
  Object.defineProperty(navigator, 'wakeLock', { value: { request }, configurable: true });
});
afterEach(() => void vi.useRealTimers());

const BOOKING_ID = '55555555-5555-4555-8555-555555555555';
const access: Access = {
  success: true,
  pin: '123456789',
  pinId: 'code-1',
  held: false,
  booking: {
    id: BOOKING_ID,
    studio_name: 'Studio A',
    start_time: '2026-11-21T08:00:00Z',
    end_time: '2026-11-21T10:00:00Z',
    reference: 'HC-ABC123',
  },
  releaseAt: '2026-11-21T07:45:00Z',
  worksFrom: '2026-11-21T07:55:00Z',
  worksUntil: '2026-11-21T10:00:00Z',
  openedAt: null,
  nextCodeAt: null,
  codesLeft: 3,
  codesPerBooking: 5,
  mode: 'onetime',
  singleUse: true,
};
function show(now: string, change: Partial<Access> = {}, offline = false): () => void {
  vi.setSystemTime(new Date(now));
  return renderPart(<DoorScreen access={{ ...access, ...change }} offline={offline} back="/" />).unmount;
}
const code = () => screen.getByRole('region', { name: 'Access code' }).textContent;

test('the code is shown with how long is left and from when it opens the door, and the screen stays on', async () => {
  const unmount = show('2026-11-21T07:50:00Z');
  expect(screen.getByRole('timer').textContent).toBe('Starts in 10:00');
  expect([...screen.getByTestId('pin').children].map((group) => group.textContent)).toEqual(['123', '456', '789']);
  expect(code()).toContain('Opens the door from 6:55 pm, until 9 pm.');
  act(() => void vi.advanceTimersByTime(5 * 60_000));
  expect(code()).toContain('Opens the door now');
  expect(request).toHaveBeenCalledWith('screen');
  unmount();
  await vi.advanceTimersByTimeAsync(0);
  expect(lock.release).toHaveBeenCalled();
});

test('what was kept is shown as such without a network; after the session there is no code', () => {
  show('2026-11-21T09:00:00Z', {}, true);
  expect(screen.getByRole('status').textContent).toContain('No connection');
  act(() => void vi.advanceTimersByTime(60 * 60_000));
  expect(code()).toBe('Your booking session has ended. You can no longer generate new PINs.');
  expect(screen.queryByTestId('pin')).toBeNull();
  expect(screen.queryByRole('timer')).toBeNull();
});

/** The lock has the code, and there was no attempt at the door yet. */
const QUIET = { online: true, hasCode: true, wrongAt: null, openedAt: null, held: false, asked: false };
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
function openHelp(change: Partial<Access>, token: string | null): () => void {
  const { unmount } = renderPart(withAccount(<DoorHelp access={{ ...access, ...change }} token={token} />));
  act(() => button('The door doesn’t open').click());
  return unmount;
}

test('a door that does not open says first what the lock says, and tells staff when asked', async () => {
  vi.setSystemTime(new Date('2026-11-21T09:00:00Z'));
  wire.answer('door-help', { ...QUIET, online: false });
  openHelp({}, 't1');
  expect(await screen.findByText('The lock doesn’t answer at the moment. Ask us to open the door.')).toBeDefined();
  act(() => button('Make a new code').click());
  await wire.expectRequests('regenerate-pin', 1);
  const [renewal] = wire.sentTo('regenerate-pin', 'POST');
  expect(Object.fromEntries(renewal?.search ?? [])).toEqual({ booking_id: BOOKING_ID, token: 't1' });
  act(() => button('Ask for help now').click());
  expect(await screen.findByText(/We’ve told the team/)).toBeDefined();
  // After this, the page reads the state of the lock again.
  const request = { bookingId: BOOKING_ID, token: 't1' };
  await wire.expectSent('door-help', request, { ...request, ask: true }, request);
});

test('a door that does not open says in place when a new code can be made, that one failed, and that there are no more', async () => {
  vi.setSystemTime(new Date('2026-11-21T09:00:00Z'));
  wire.answer('door-help', QUIET);
  const close = openHelp({ nextCodeAt: '2026-11-21T09:00:02Z' }, null);
  expect(button('Make a new code').disabled).toBe(true);
  expect(screen.getByText('You can make a new code in 2 seconds.')).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(button('Make a new code').disabled).toBe(false);
  close();
  wire.fail('regenerate-pin', 502);
  const closeAgain = openHelp({}, null);
  act(() => button('Make a new code').click());
  expect((await screen.findByRole('alert')).textContent).toBe('Failed to generate new PIN.');
  closeAgain();
  openHelp({ codesLeft: 0 }, null);
  expect(screen.queryByRole('button', { name: 'Make a new code' })).toBeNull();
  expect(screen.getByText(/You can’t make any more for this session/)).toBeDefined();
  await wire.expectRequests('door-help', 3);
});
