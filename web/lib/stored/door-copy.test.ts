import { beforeEach, expect, test } from 'vitest';
import { dropDoorCopy, dropEndedDoorCopy, readDoorCopy, saveDoorCopy } from './door-copy.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  globalThis.localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
});
const copy = { booking: { id: 'b1', end_time: '2031-03-01T02:00:00Z' }, pin: '1234' };
const before = new Date('2031-03-01T01:59:59Z');
const after = new Date('2031-03-01T02:00:00Z');

test('a code is kept for its booking until the session ends', () => {
  saveDoorCopy(copy);
  expect(readDoorCopy('b1', before)).toEqual(copy);
  expect(readDoorCopy('b2', before)).toBeNull();
  dropEndedDoorCopy(before);
  expect(kept.size).toBe(1);
  expect(readDoorCopy('b1', after)).toBeNull();
  expect(kept.size).toBe(0);
});

test('a code is removed when somebody signs out, and when it cannot be read', () => {
  saveDoorCopy(copy);
  dropDoorCopy();
  expect(kept.size).toBe(0);
  kept.set('door', '{"booking"');
  expect(readDoorCopy('b1', before)).toBeNull();
  expect(kept.size).toBe(0);
});
