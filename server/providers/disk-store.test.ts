import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDiskStore } from './disk-store.ts';

const KEY = 'objects/0b9f3a52-8a9c-4a4e-9f57-1f1b2c3d4e5f';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('what is put is got, for the owner of the process alone, until it is removed', async () => {
  const store = createDiskStore(folder);
  await store.put(KEY, new Uint8Array([1, 2, 3]));
  expect([...((await store.get(KEY)) ?? [])]).toEqual([1, 2, 3]);
  expect((await stat(join(folder, KEY))).mode & 0o777).toBe(0o600);
  await store.put(KEY, new Uint8Array([4]));
  expect([...((await store.get(KEY)) ?? [])]).toEqual([4]);
  await store.remove(KEY);
  expect(await store.get(KEY)).toBeNull();
  await store.remove(KEY);
});

test('half a write is never got, and goes with its key', async () => {
  const store = createDiskStore(folder);
  await store.put(KEY, new Uint8Array([1]));
  await store.remove(KEY);
  await writeFile(join(folder, `${KEY}.part`), 'half');
  expect(await store.get(KEY)).toBeNull();
  await store.remove(KEY);
  expect(await readdir(join(folder, 'objects'))).toEqual([]);
});

test('no key leads anywhere else', async () => {
  const store = createDiskStore(join(folder, 'inside'));
  const piece = fc.constantFrom('..', '.', '/', '\\', '%2e', '\u0000', 'a', 'objects', '~', 'C:', '//', 'é');
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const key = pieces.join('');
      if (/^[a-z/]+$/.test(key) && !/^\/|\/\/|\/$/.test(key)) return;
      for (const act of [() => store.get(key), () => store.remove(key), () => store.put(key, new Uint8Array(1))])
        await expect(act()).rejects.toThrow('not a storage key');
    }),
    { numRuns: 500 },
  );
  expect((await readdir(folder)).filter((name) => name !== 'inside')).toEqual([]);
});
