import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openAuthDialog, withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { AppError } from '#web/lib/errors.ts';
import { AccessRefused } from './access-refused.tsx';
import { PinPanel } from './pin-panel.tsx';
import type { Access } from './queries.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] }));
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
function show(now: string, change: Partial<Access> = {}): () => void {
  vi.setSystemTime(new Date(now));
  return renderPart(withAccount(<PinPanel access={{ ...access, ...change }} token="t1" />)).unmount;
}
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const timer = () => screen.getByRole('timer').textContent;
/** The parameters of the requests for a new code, oldest first. */
const renewals = () => wire.sentTo('regenerate-pin', 'POST').map(({ search }) => Object.fromEntries(search));
const RENEWAL = { booking_id: BOOKING_ID, token: 't1' };
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

test('replacing a code that works asks first; one that can be used again is not ended', async () => {
  const unmount = show('2026-11-21T09:00:00Z');
  act(() => button('Generate New PIN').click());
  expect(renewals()).toEqual([]);
  expect(screen.getByText(/this one stops working, even for friends you sent it to/)).toBeTruthy();
  act(() => button('Make a new one').click());
  await expect.poll(renewals).toEqual([RENEWAL]);
  unmount();
  show('2026-11-21T09:00:00Z', { singleUse: false });
  act(() => button('Generate New PIN').click());
  await expect.poll(renewals).toEqual([RENEWAL, RENEWAL]);
});

test('a server that is too busy for the call says so in words', async () => {
  const busy = { error: { code: 'unavailable', message: 'We’re busy right now. Please try again.' } };
  const fetched = vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(Response.json(busy, { status: 503 }));
  show('2026-11-21T09:00:00Z', { pin: null, codesLeft: 2 });
  act(() => button('Generate New PIN').click());
  expect(await screen.findByText('We’re busy right now. Please try again.')).toBeTruthy();
  fetched.mockRestore();
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

test('a new code that could not be made is reported in place, with whether the PIN on the page still works', async () => {
  wire.fail('regenerate-pin', 502);
  const unmount = show('2026-11-21T09:00:00Z', { pin: null, codesLeft: 2 });
  act(() => button('Generate New PIN').click());
  expect((await screen.findByRole('alert')).textContent).toBe('Failed to generate new PIN.');
  unmount();
  wire.refuse('regenerate-pin', 'code_limit');
  show('2026-11-21T09:00:00Z');
  act(() => button('Generate New PIN').click());
  act(() => button('Make a new one').click());
  expect((await screen.findByRole('alert')).textContent).toBe(
    'No more codes can be made for this session. Please contact us. The PIN above still works.',
  );
});

test('an ended session shows no code and makes no new one', () => {
  show('2026-11-21T10:00:00Z');
  expect(code()).toBe('Your booking session has ended. You can no longer generate new PINs.');
  expect(button('Session Ended').disabled).toBe(true);
  expect(screen.queryByTestId('pin')).toBeNull();
});

test('a refused access code says why, and a guest can sign in', () => {
  const onRetry = vi.fn();
  const error = new AppError('not_yours', 'This booking is not yours.', 403);
  renderPart(withAccount(<AccessRefused error={error} onRetry={onRetry} />));
  expect(screen.getByRole('alert').textContent).toContain('This booking is not yours.');
  expect(screen.getByText(/sign in with the account that booked/)).toBeTruthy();
  act(() => button('Sign In').click());
  act(() => button('Try again').click());
  expect(openAuthDialog()).toBe('sign-in');
  expect(onRetry).toHaveBeenCalledOnce();
});
