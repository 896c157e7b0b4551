import { expect, test } from 'vitest';
import { createSingleFlight } from './single-flight.ts';

test('callers with the same key share work in progress, and start it again afterwards', async () => {
  const share = createSingleFlight<number>();
  let runs = 0;
  const work = async (): Promise<number> => (runs += 1);
  expect(await Promise.all([share('a', work), share('a', work), share('b', work)])).toEqual([1, 1, 2]);
  expect(await share('a', work)).toBe(3);
});
