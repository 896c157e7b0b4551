import { expect, test } from 'vitest';
import { fetchSource } from './fetched.ts';
import type { LiveTopic, Source } from './source.ts';

const topics = (...list: LiveTopic[]): ReadonlySet<LiveTopic> => new Set(list);
const settled = (): Promise<void> => new Promise((done) => setTimeout(done));

test('a source is fetched once, when a topic is first followed, and then follows what was last asked for', async () => {
  const calls: string[] = [];
  const real: Source = {
    follow: (requested) => void calls.push(`follow ${[...requested].join(' ')}`),
    reset: () => void calls.push('reset'),
  };
  const source = fetchSource(() => {
    calls.push('fetch');
    return Promise.resolve(real);
  });
  source.follow(topics());
  source.reset();
  expect(calls).toEqual([]);
  source.follow(topics('staff'));
  source.follow(topics('studio:a', 'user:b'));
  await settled();
  source.follow(topics());
  source.reset();
  expect(calls).toEqual(['fetch', 'follow studio:a user:b', 'follow ', 'reset']);
});

test('a source that could not be fetched is fetched again with the next call', async () => {
  const followed: number[] = [];
  const tries = [
    () => Promise.reject(new Error('offline')),
    () =>
      Promise.resolve({
        follow: (requested: ReadonlySet<LiveTopic>) => void followed.push(requested.size),
        reset: () => {},
      }),
  ];
  const source = fetchSource(async () => {
    const next = tries.shift();
    if (!next) throw new Error('fetched too often');
    return next();
  });
  source.follow(topics('staff'));
  await settled();
  expect(followed).toEqual([]);
  source.follow(topics('staff'));
  await settled();
  expect(followed).toEqual([1]);
});
