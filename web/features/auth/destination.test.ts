import { expect, it } from 'vitest';
import { destination } from './destination.ts';

const nothing = { hasDraft: false, hasSelection: false, from: null, justVerified: false };

it('leads back to what somebody was about to book', () => {
  expect(destination({ hasDraft: true, hasSelection: true, from: '/profile', justVerified: true })).toBe('/checkout');
  expect(destination({ ...nothing, hasSelection: true, from: '/profile' })).toBe('/booking');
  expect(destination({ ...nothing, from: '/profile' })).toBe('/profile');
  expect(destination({ ...nothing, justVerified: true })).toBe('/profile');
  expect(destination(nothing)).toBe('/');
});
