import { describe, expect, test } from 'vitest';
import { countdown, countdownLong, groupPin, pinPhase, nextLook } from './clock.ts';

test('time left is formatted in hours, minutes and seconds', () => {
  expect(countdown(3_909_000)).toBe('1:05:09');
  expect(countdown(299_999)).toBe('4:59');
  expect(countdown(7_000)).toBe('0:07');
  expect(countdown(-5)).toBe('0:00');
  expect(countdownLong(3 * 86_400_000 + 61_000)).toBe('3 days 1:01');
});

test('a PIN is split into groups without losing digits', () => {
  expect(groupPin('123456789')).toEqual(['123', '456', '789']);
  expect(groupPin('123456')).toEqual(['123', '456']);
  expect(groupPin('12345678')).toEqual(['1234', '5678']);
  expect(groupPin('1234567890').join('')).toBe('1234567890');
  expect(groupPin('1234')).toEqual(['1234']);
});

const end = new Date('2026-11-21T12:00:00Z');
const access = {
  pin: null,
  held: false,
  releaseAt: '2026-11-21T09:45:00Z',
  openedAt: null,
  codesLeft: 20,
  codesPerBooking: 20,
} as const;

test('a PIN is shown from its release to the end, never after, and not while it is held', () => {
  const shown = { ...access, pin: '123456' };
  expect(pinPhase(access, end, new Date('2026-11-21T09:44:59Z'))).toBe('waiting');
  expect(pinPhase(shown, end, new Date('2026-11-21T11:59:59Z'))).toBe('shown');
  expect(pinPhase(shown, end, end)).toBe('ended');
  for (const minute of ['09:00', '11:59'])
    expect(pinPhase({ ...shown, held: true }, end, new Date(`2026-11-21T${minute}:00Z`))).toBe('held');
  expect(pinPhase({ ...shown, held: true }, end, end)).toBe('ended');
});

test('before the first code the phase is asking, afterwards used', () => {
  const during = new Date('2026-11-21T10:30:00Z');
  expect(pinPhase(access, end, during)).toBe('requesting');
  expect(pinPhase({ ...access, codesLeft: 19 }, end, during)).toBe('none');
  expect(pinPhase({ ...access, codesLeft: 3, codesPerBooking: 3 }, end, during)).toBe('requesting');
});

describe('the code is read again', () => {
  const now = new Date('2026-11-21T07:30:00Z');
  const released = (seconds: number) => ({
    pin: null,
    held: false,
    releaseAt: new Date(now.getTime() + seconds * 1000).toISOString(),
  });

  test('once a minute by a page that receives changes, and at the moment of its release', () => {
    expect(nextLook({ ...released(-60), pin: '1234' }, true, now)).toBe(60_000);
    expect(nextLook(released(900), true, now)).toBe(60_000);
    expect(nextLook(released(20), true, now)).toBe(20_000);
    expect(nextLook(released(-5), true, now)).toBe(3_000);
    expect(nextLook(released(-60), true, now)).toBe(60_000);
  });

  test('every few seconds by a page that does not hear of changes', () => {
    expect(nextLook(released(-60), false, now)).toBe(3_000);
    expect(nextLook({ ...released(-60), pin: '1234' }, false, now)).toBe(15_000);
    expect(nextLook({ ...released(-60), held: true }, false, now)).toBe(15_000);
  });
});
