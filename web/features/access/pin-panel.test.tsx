import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '#web/ui/component-tests.ts';
import { AppError } from '#web/lib/errors.ts';
import { AccessRefused } from './access-refused.tsx';
import { PinPanel } from './pin-panel.tsx';
import type { Access } from './queries.ts';

const session = { status: 'in', user: null as null | { id: string } };
const open = vi.fn();
const renew = { isPending: false, isError: false, error: null as Error | null, mutate: vi.fn() };
vi.mock('#web/data/session.tsx', () => ({ useSession: () => session, useAuthDialog: () => ({ open }) }));
vi.mock('./use-access-code.ts', () => ({
  ENDED: 'Your booking session has ended. You can no longer generate new PINs.',
  FAILED: 'Failed to generate new PIN.',
  useNewPin: () => renew,
}));
beforeEach(() => {
  vi.useFakeTimers();
  renew.mutate.mockClear();
  Object.assign(renew, { isPending: false, isError: false, error: null });
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
function show(now: string, change: Partial<Access> = {}): () => void {
  vi.setSystemTime(new Date(now));
  return renderPart(<PinPanel access={{ ...access, ...change }} token={null} />).unmount;
}
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const timer = () => screen.getByRole('timer').textContent;
const code = () => screen.getByRole('region', { name: 'Access code' }).textContent;

test('before its release the code is not shown, and both clocks count down every second', () => {
  show('2026-11-21T07:30:00Z', { pin: null });
  expect(timer()).toBe('Starts in30:00');
  expect(code()).toContain('Your code will appear here at 6:45 pm');
  expect(code()).toContain('15:00');
  expect(button('Generate New PIN').disabled).toBe(true);
  act(() => void vi.advanceTimersByTime(1_000));
  expect(timer()).toBe('Starts in29:59');
  expect(code()).toContain('14:59');
});

test('a held code is neither shown nor made: the page says how to reach us', () => {
  show('2026-11-21T07:50:00Z', { held: true });
  expect(code()).toMatch(/^Your access code is on hold\. Please (call us on|write to) .+ before you come\./);
  expect(screen.queryByTestId('pin')).toBeNull();
  expect(button('Generate New PIN').disabled).toBe(true);
  expect(screen.queryByText(/You can make/)).toBeNull();
});

test('during the session the code is shown in groups, with how many more can be made', () => {
  show('2026-11-21T09:00:00Z');
  expect(timer()).toBe('Time remaining1:00:00');
  expect([...screen.getByTestId('pin').children].map((group) => group.textContent)).toEqual(['123', '456', '789']);
  expect(code()).toContain('Your code works from 6:55 pm to 9 pm');
  expect(screen.getByText(/Each PIN is single-use.*You can make 3 more\./)).toBeTruthy();
});

test('replacing a code that works asks first; one that can be used again is not ended', () => {
  const unmount = show('2026-11-21T09:00:00Z');
  act(() => button('Generate New PIN').click());
  expect(renew.mutate).not.toHaveBeenCalled();
  expect(screen.getByText(/this one stops working, even for friends you sent it to/)).toBeTruthy();
  act(() => button('Make a new one').click());
  expect(renew.mutate).toHaveBeenCalledOnce();
  unmount();
  show('2026-11-21T09:00:00Z', { singleUse: false });
  act(() => button('Generate New PIN').click());
  expect(renew.mutate).toHaveBeenCalledTimes(2);
});

test('once the PIN has opened the door the page says so, with the time left and the way back in', () => {
  show('2026-11-21T09:00:00Z', { pin: null, codesLeft: 2, openedAt: '2026-11-21T07:56:00Z' });
  expect(code()).toBe(
    'You’re in1:00:00 left, until 9 pm. The door opened at 6:56 pm.The door locks behind you. Going out? Make a new PIN to get back in.',
  );
  expect(button('Generate New PIN').disabled).toBe(false);
  act(() => void vi.advanceTimersByTime(1_000));
  expect(code()).toContain('59:59 left');
});

test('no PIN that works, a pause between codes and the last code each say what can be done', () => {
  const none = show('2026-11-21T09:00:00Z', { pin: null, codesLeft: 2 });
  expect(code()).toBe('No PIN works right now. Make a new one to get in.');
  none();
  const pause = show('2026-11-21T09:00:00Z', { nextCodeAt: '2026-11-21T09:00:20Z' });
  expect(screen.getByText('You can make a new PIN in 20 seconds.')).toBeTruthy();
  expect(button('Generate New PIN').disabled).toBe(true);
  pause();
  show('2026-11-21T09:00:00Z', { codesLeft: 0 });
  expect(screen.getByText(/You can’t make any more\. Please email/)).toBeTruthy();
  expect(button('Generate New PIN').disabled).toBe(true);
});

test('a new code that could not be made is reported in place, with whether the PIN on the page still works', () => {
  Object.assign(renew, { isError: true, error: new TypeError('Failed to fetch') });
  const unmount = show('2026-11-21T09:00:00Z', { pin: null, codesLeft: 2 });
  expect(screen.getByRole('alert').textContent).toBe('Failed to generate new PIN.');
  unmount();
  show('2026-11-21T09:00:00Z');
  expect(screen.getByRole('alert').textContent).toBe('Failed to generate new PIN. The PIN above still works.');
});

test('an ended session shows no code and makes no new one', () => {
  show('2026-11-21T10:00:00Z');
  expect(code()).toBe('Your booking session has ended. You can no longer generate new PINs.');
  expect(button('Session Ended').disabled).toBe(true);
  expect(screen.queryByTestId('pin')).toBeNull();
});

test('a refused access code says why, and a guest can sign in', () => {
  session.status = 'out';
  const onRetry = vi.fn();
  renderPart(<AccessRefused error={new AppError('not_yours', 'This booking is not yours.', 403)} onRetry={onRetry} />);
  expect(screen.getByRole('alert').textContent).toContain('This booking is not yours.');
  expect(screen.getByText(/sign in with the account that booked/)).toBeTruthy();
  act(() => button('Sign In').click());
  act(() => button('Try again').click());
  expect([open, onRetry].map((one) => one.mock.calls.length)).toEqual([1, 1]);
});
