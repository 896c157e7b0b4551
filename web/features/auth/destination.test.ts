import { expect, it } from 'vitest';
import { destination } from './destination.ts';

const nothing = { hasDraft: false, hasSelection: false, from: null, justVerified: false };
const everything = { hasDraft: true, hasSelection: true, from: '/regenerate-pin?booking_id=1', justVerified: true };

it('an unfinished booking comes first [spec 4.3, 4.12, 4.14]', () => {
  expect(destination(everything)).toBe('/checkout');
});

it('then the hours chosen before signing in', () => {
  expect(destination({ ...everything, hasDraft: false })).toBe('/booking');
});

it('then the page in from', () => {
  expect(destination({ ...everything, hasDraft: false, hasSelection: false })).toBe('/regenerate-pin?booking_id=1');
});

it('otherwise a new account goes to the profile, others to the first page', () => {
  expect(destination({ ...nothing, justVerified: true })).toBe('/profile');
  expect(destination(nothing)).toBe('/');
});
