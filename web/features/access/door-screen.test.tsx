import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '#web/ui/component-tests.ts';
import { DoorHelp } from './door-help.tsx';
import { DoorScreen } from './door-screen.tsx';
import type { Access } from './queries.ts';

const renew = { isPending: false, isError: false, error: null as Error | null, mutate: vi.fn() };
vi.mock('./use-access-code.ts', () => ({
  ENDED: 'Your booking session has ended.',
  FAILED: 'Failed to generate new PIN.',
  useNewPin: () => renew,
}));
const call = vi.hoisted(() => vi.fn());
vi.mock('#web/data/fetch-client.ts', () => ({ callFunction: call }));
const lock = { release: vi.fn(() => Promise.resolve()) };
const request = vi.fn(() => Promise.resolve(lock));
beforeEach(() => {
  vi.useFakeTimers();
  request.mockClear();
  Object.defineProperty(navigator, 'wakeLock', { value: { request }, configurable: true });
});
afterEach(() => void vi.useRealTimers());

const access: Access = {
  success: true,
  pin: '123456789',
  pinId: 'code-1',
  held: false,
  booking: {
    id: 'b1',
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
  expect(code()).toBe('Your booking session has ended.');
  expect(screen.queryByTestId('pin')).toBeNull();
  expect(screen.queryByRole('timer')).toBeNull();
});

test('a door that does not open says first what the lock says, and tells staff when asked', async () => {
  vi.useRealTimers();
  const answer = { online: true, hasCode: true, wrongAt: null, openedAt: null, asked: false };
  call.mockResolvedValue({ ...answer, online: false });
  renderPart(<DoorHelp access={{ ...access, worksFrom: '2020-01-01T00:00:00Z' }} token="t1" />);
  act(() => screen.getByRole('button', { name: 'The door doesn’t open' }).click());
  expect(await screen.findByText('The lock doesn’t answer at the moment. Ask us to open the door.')).toBeDefined();
  act(() => screen.getByRole('button', { name: 'Make a new code' }).click());
  expect(renew.mutate).toHaveBeenCalledOnce();
  act(() => screen.getByRole('button', { name: 'Ask for help now' }).click());
  expect(await screen.findByText(/We’ve told the team/)).toBeDefined();
  // Then the page reads what the lock says again.
  await expect.poll(() => call.mock.calls).toHaveLength(3);
  expect(call.mock.calls.map(([, body]) => body['ask'])).toEqual([undefined, true, undefined]);
  expect(call).toHaveBeenCalledWith('door-help', { bookingId: 'b1', token: 't1', ask: true });
});

test('a door that does not open says in place when a new code can be made, that one failed, and that there are no more', async () => {
  vi.setSystemTime(new Date('2026-11-21T09:00:00Z'));
  call.mockResolvedValue({ online: true, hasCode: true, wrongAt: null, openedAt: null, asked: false });
  const open = (change: Partial<Access>): (() => void) => {
    const { unmount } = renderPart(<DoorHelp access={{ ...access, ...change }} token={null} />);
    act(() => screen.getByRole('button', { name: 'The door doesn’t open' }).click());
    return unmount;
  };
  const close = open({ nextCodeAt: '2026-11-21T09:00:02Z' });
  const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Make a new code' });
  expect(button().disabled).toBe(true);
  expect(screen.getByText('You can make a new code in 2 seconds.')).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(button().disabled).toBe(false);
  close();
  Object.assign(renew, { isError: true, error: new TypeError('Failed to fetch') });
  const closeAgain = open({});
  expect(screen.getByRole('alert').textContent).toBe('Failed to generate new PIN.');
  closeAgain();
  open({ codesLeft: 0 });
  expect(screen.queryByRole('button', { name: 'Make a new code' })).toBeNull();
  expect(screen.getByText(/You can’t make any more for this session/)).toBeDefined();
});
