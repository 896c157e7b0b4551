import { expect, test } from 'vitest';
import { roomChangeSchema } from './room-change.ts';
import { fillOffer, firstRooms, openWords } from './rooms.ts';

const TEXT = '{rooms} in Sydney{open}.{from}';
const [first] = firstRooms;
if (first === undefined) throw new Error('the business begins with rooms');

test('texts say how many rooms there are, 24/7 while every hour of all of them is open, and the lowest price', () => {
  expect(fillOffer(TEXT, firstRooms)).toBe('Three DJ studios in Sydney, open 24/7. From $49 an hour.');
  expect(openWords(firstRooms)).toBe('24/7');
  const changed = [first, { ...first, fromCents: 3_950, alwaysOpen: false }];
  expect(fillOffer(TEXT, changed)).toBe('Two DJ studios in Sydney. From $39.50 an hour.');
  expect(openWords(changed)).toBe('See the booking page');
  expect(fillOffer(TEXT, [first])).toBe('One DJ studio in Sydney, open 24/7. From $49 an hour.');
  expect(fillOffer(TEXT, [])).toBe('No DJ studios in Sydney, open 24/7.');
});

test('the id of a lock has at most 60 characters, which is what its codes and its state can store', () => {
  const change = (lockId: string) =>
    roomChangeSchema.safeParse({ studioId: null, room: { name: 'Studio A', lockId } }).success;
  expect([change('L'.repeat(60)), change('L'.repeat(61))]).toEqual([true, false]);
});
