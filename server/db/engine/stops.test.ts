import { expect, test } from 'vitest';
import { CallerStopped } from '../database.ts';
import { createStops } from './stops.ts';

test('three stops within a minute suspend a caller until the first is a minute old', () => {
  let now = 1_000_000;
  const stops = createStops(3, () => now);
  stops.add('ip:203.0.113.1');
  now += 20_000;
  stops.add('ip:203.0.113.1');
  expect(stops.wait('ip:203.0.113.1')).toBeNull();
  now += 20_000;
  stops.add('ip:203.0.113.1');
  expect(stops.wait('ip:203.0.113.1')).toBe(20);
  expect(() => stops.check('ip:203.0.113.1')).toThrow(CallerStopped);
  expect(stops.wait('ip:203.0.113.2')).toBeNull();
  now += 19_999;
  expect(stops.wait('ip:203.0.113.1')).toBe(1);
  now += 1;
  expect(stops.wait('ip:203.0.113.1')).toBeNull();
  stops.check('ip:203.0.113.1');
});

test('three stops spread over more than a minute suspend nobody', () => {
  let now = 0;
  const stops = createStops(3, () => now);
  for (const pause of [0, 31_000, 31_000, 31_000]) {
    now += pause;
    stops.add('user:1');
    expect(stops.wait('user:1')).toBeNull();
  }
});
