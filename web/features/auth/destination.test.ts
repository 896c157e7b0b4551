import { expect, it } from 'vitest';
import { destination } from './destination.ts';

const nothing = { hasDraft: false, hasSelection: false, from: null, justVerified: false };
const everything = { hasDraft: true, hasSelection: true, from: '/regenerate-pin?booking_id=1', justVerified: true };

it('a booking that waits to be paid comes before everything', () => {
  expect(destination(everything)).toBe('/checkout');
});

it('then the hours somebody chose before signing in', () => {
  expect(destination({ ...everything, hasDraft: false })).toBe('/booking');
});

it('then the page they were sent away from', () => {
  expect(destination({ ...everything, hasDraft: false, hasSelection: false })).toBe('/regenerate-pin?booking_id=1');
});

it('a new account without a plan sees its profile, everybody else the first page', () => {
  expect(destination({ ...nothing, justVerified: true })).toBe('/profile');
  expect(destination(nothing)).toBe('/');
});
