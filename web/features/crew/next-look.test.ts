import { expect, test } from 'vitest';
import { nextLook } from './next-look.ts';

const NOW = new Date('2031-03-01T07:00:00Z');
const page = (seconds: number, pin: string | null = null) => ({
  booking: { studioName: 'A', startTime: NOW, endTime: new Date(NOW.getTime() + 3_600_000) },
  access: {
    own: true,
    pin,
    held: false,
    releaseAt: new Date(NOW.getTime() + seconds * 1000),
    worksFrom: NOW,
    worksUntil: NOW,
    openedAt: null,
    nextCodeAt: null,
    codesLeft: 20,
    codesPerBooking: 20,
    mode: 'bridge' as const,
    singleUse: true,
  },
});

test('a guest’s page is read often while its code is due, at its release, and else twice a minute', () => {
  expect(nextLook(page(-1), NOW)).toBe(3_000);
  expect(nextLook(page(10), NOW)).toBe(10_000);
  expect(nextLook(page(600), NOW)).toBe(30_000);
  expect(nextLook(page(-1, '123456'), NOW)).toBe(30_000);
  expect(nextLook({ ...page(-1), access: null }, NOW)).toBe(30_000);
  expect(nextLook(page(-1), page(-1).booking.endTime)).toBe(30_000);
  expect(nextLook(undefined, NOW)).toBe(30_000);
});
