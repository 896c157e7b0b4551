import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { REREADS } from '#tests/pages/rereads.ts';
import { createQueryClient } from '#web/lib/query-client.ts';
import { watchReads, type WatchedReads } from '#web/ui/testing/watched-reads.ts';
import { queryKeys } from './query-keys.ts';

const kinds: Readonly<Record<string, { readonly all: readonly unknown[] }>> = queryKeys;
/** Returns the keys that a mutation invalidates. Throws if no query has the name. */
function getKeys(names: readonly string[]): (readonly unknown[])[] {
  return names.map((name) => {
    const kind = kinds[name];
    if (!kind) throw new Error(`no query is named ${name}`);
    return kind.all;
  });
}

const client = createQueryClient({ onError: () => {}, showFailure: () => {} });
let watched: WatchedReads;
beforeEach(async () => {
  watched = await watchReads(client, queryKeys);
});
afterEach(() => {
  watched.stop();
  client.clear();
});

/** Starts a mutation that invalidates these keys. `resolve` and `reject` let its request succeed or fail. */
function start(invalidates: readonly (readonly unknown[])[]) {
  const end = Promise.withResolvers<void>();
  const mutation = client
    .getMutationCache()
    .build(client, { mutationFn: () => end.promise, meta: { handled: true, invalidates } });
  const done = vi.fn();
  const running = mutation
    .execute(undefined)
    .catch(() => undefined)
    .finally(() => done());
  return { ...end, running, done };
}

// `tests/pages/mutations.test.ts` checks that these rows match the mutations of the pages.
const mutations = Object.entries(REREADS).map(([name, queries]) => ({
  name,
  rereads: queries
    .split(' ')
    .filter((query) => query !== '')
    .toSorted(),
}));

test.each(mutations)('after $name exactly its queries are read again, before it ends', async ({ rereads }) => {
  const { resolve, running, done } = start(getKeys(rereads));
  await Promise.resolve();
  expect(watched.take()).toEqual([]);
  resolve();
  await expect.poll(() => watched.take()).toEqual(rereads);
  // The buttons of the page stay disabled until it shows the change.
  if (rereads.length > 0) expect(done).not.toHaveBeenCalled();
  watched.answer();
  await running;
  expect(watched.take()).toEqual([]);
});

test.each(mutations)(
  'after a failure of $name its queries are read again, and it ends without waiting for them',
  async ({ rereads }) => {
    const { reject, running } = start(getKeys(rereads));
    reject(new Error('no'));
    await running;
    expect(watched.take()).toEqual(rereads);
  },
);

test('a name that no query has is an error', () => {
  expect(() => getKeys(['ownBookings', 'ownBoking'])).toThrow('no query is named ownBoking');
});
