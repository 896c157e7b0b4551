import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openService, type OpenStore } from '#tests/support/stores.ts';
import { createDiskStore } from './disk-store.ts';
import type { ObjectStore } from './ports.ts';
import { createS3Store } from './s3-store.ts';

const KEY = 'objects/0b9f3a52-8a9c-4a4e-9f57-1f1b2c3d4e5f';
const OTHER = 'objects/1b9f3a52-8a9c-4a4e-9f57-1f1b2c3d4e5f';

type Open = {
  readonly store: ObjectStore;
  readonly folder: string;
  readonly outside: Awaited<ReturnType<typeof openService>> | null;
};
async function openDisk(): Promise<Open> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  return { store: createDiskStore(folder), folder, outside: null };
}
async function openS3(): Promise<Open> {
  const folder = await mkdtemp(join(tmpdir(), 'spool-'));
  const outside = await openService({ pageSize: 2 });
  const { url: endpoint, bucket, credentials } = outside.service;
  const settings = { endpoint, bucket, ...credentials, prefix: 'house/', pathStyle: true };
  return { store: createS3Store(settings, folder), folder, outside };
}

async function* inPieces(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const [index, size] of sizes.entries()) yield new Uint8Array(size).fill(index + 1);
}
async function* broken(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(70_000);
  await Promise.resolve();
  throw new Error('the sender went away');
}
async function read(stream: ReadableStream<Uint8Array> | null): Promise<number[] | null> {
  if (stream === null) return null;
  const parts = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Array.from(Buffer.concat(parts));
}
async function listKeys(store: ObjectStore, folder: string): Promise<string[]> {
  const keys = [];
  for await (const { key } of store.list(folder)) keys.push(key);
  return keys.toSorted();
}

describe.each([
  ['disk', openDisk],
  ['S3', openS3],
] as const)('the store on %s', (_, openStore) => {
  let open: Open;
  let store: ObjectStore;
  beforeEach(async () => {
    open = await openStore();
    store = open.store;
  });
  afterEach(async () => {
    await open.outside?.close();
    await rm(open.folder, { recursive: true });
  });

  test('an object can be read until it is removed', async () => {
    await store.put(KEY, new Uint8Array([1, 2, 3]));
    expect([...((await store.get(KEY)) ?? [])]).toEqual([1, 2, 3]);
    await store.put(KEY, new Uint8Array([4]));
    expect([...((await store.get(KEY)) ?? [])]).toEqual([4]);
    await store.remove(KEY);
    expect(await store.get(KEY)).toBeNull();
    expect(await store.open(KEY, { from: 0, to: 0 })).toBeNull();
    await store.remove(KEY);
  });

  test('a stream is stored whole, and read whole or in part', async () => {
    await store.put(KEY, inPieces(300_000, 5, 300_000));
    expect((await store.get(KEY))?.byteLength).toBe(600_005);
    expect(await read(await store.open(KEY, { from: 299_998, to: 300_006 }))).toEqual([1, 1, 2, 2, 2, 2, 2, 3, 3]);
    expect((await read(await store.open(KEY, { from: 0, to: 600_004 })))?.length).toBe(600_005);
    await store.put(OTHER, inPieces());
    expect((await store.get(OTHER))?.byteLength).toBe(0);
  });

  test('a broken stream leaves nothing', async () => {
    await expect(store.put(KEY, broken())).rejects.toThrow('the sender went away');
    expect(await store.get(KEY)).toBeNull();
    expect(await listKeys(store, 'objects')).toEqual([]);
    expect(await filesIn(open.folder)).toEqual([]);
  });

  test('a copy is independent of its source', async () => {
    await store.put(KEY, new Uint8Array([1, 2]));
    expect(await store.copy(KEY, OTHER)).toBe(true);
    await store.remove(KEY);
    expect([...((await store.get(OTHER)) ?? [])]).toEqual([1, 2]);
    expect(await store.copy(KEY, OTHER)).toBe(false);
  });

  test('a folder lists everything in it with its time, and nothing of its neighbours', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'].map((name) => `objects/${name}`);
    for (const key of [...keys, 'pieces/x']) await store.put(key, new Uint8Array(1));
    expect(await listKeys(store, 'objects')).toEqual(keys);
    for await (const { writtenAt } of store.list('pieces'))
      expect(Math.abs(writtenAt.getTime() - Date.now())).toBeLessThan(60_000);
    expect(await listKeys(store, 'nothing')).toEqual([]);
  });
});

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe('on disk', () => {
  let open: Open;
  beforeEach(async () => {
    open = await openDisk();
  });
  afterEach(() => rm(open.folder, { recursive: true }));

  test('only the owner of the process can read the files', async () => {
    await open.store.put(KEY, new Uint8Array([1, 2, 3]));
    await open.store.copy(KEY, OTHER);
    for (const key of [KEY, OTHER]) expect((await stat(join(open.folder, key))).mode & 0o777).toBe(0o600);
  });

  test('a broken write cannot be read, is listed in its folder, and is removed with its key', async () => {
    await open.store.put(KEY, new Uint8Array([1]));
    await open.store.remove(KEY);
    await writeFile(join(open.folder, `${KEY}.part`), 'half');
    expect(await open.store.get(KEY)).toBeNull();
    expect(await listKeys(open.store, 'objects')).toEqual([KEY]);
    await open.store.remove(KEY);
    expect(await filesIn(open.folder)).toEqual([]);
  });

  test('no key leads out of the folder', async () => {
    const store = createDiskStore(join(open.folder, 'inside'));
    const piece = fc.constantFrom('..', '.', '/', '\\', '%2e', '\u0000', 'a', 'objects', '~', 'C:', '//', 'é');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const key = pieces.join('');
        // A valid key consists of words between slashes, of which all but the first may have an extension.
        if (/^[a-z]+(\/[a-z]+(\.[a-z]{1,8})?)*$/.test(key)) return;
        const acts = [
          () => store.get(key),
          () => store.open(key, { from: 0, to: 0 }),
          () => store.remove(key),
          () => store.put(key, new Uint8Array(1)),
          () => store.copy(key, KEY),
          () => listKeys(store, `../${key}`),
        ];
        for (const act of acts) await expect(act()).rejects.toThrow(/not a storage (key|folder)/);
      }),
      { numRuns: process.env['TEST_LONG'] ? 100_000 : 500 },
    );
    expect((await readdir(open.folder)).filter((name) => name !== 'inside')).toEqual([]);
  }, 600_000);
});

describe('with S3', () => {
  let open: Open;
  let outside: OpenStore & { service: NonNullable<OpenStore['service']> };
  beforeEach(async () => {
    open = await openS3();
    outside = open.outside!;
  });
  afterEach(async () => {
    await outside.close();
    await rm(open.folder, { recursive: true });
  });

  test('keys have the prefix, and the spool stays empty', async () => {
    await open.store.put(KEY, inPieces(10));
    expect([...outside.service.objects.keys()]).toEqual([`house/${KEY}`]);
    expect(await filesIn(open.folder)).toEqual([]);
  });

  test('a failed call is repeated, also for a stream', async () => {
    outside.service.failNext(2, 503);
    await open.store.put(KEY, inPieces(100_000, 7));
    expect(outside.service.objects.get(`house/${KEY}`)?.byteLength).toBe(100_007);
    outside.service.failNext(50, 500);
    await expect(open.store.put(OTHER, inPieces(3))).rejects.toMatchObject({ name: 'ProviderError', retryable: true });
    await expect(open.store.get(KEY)).rejects.toMatchObject({ name: 'ProviderError' });
  }, 60_000);

  test('a wrong secret throws, and is not mistaken for a missing object', async () => {
    const { url: endpoint, bucket, credentials } = outside.service;
    const settings = { endpoint, bucket, ...credentials, prefix: '', pathStyle: true };
    const wrong = createS3Store({ ...settings, secretAccessKey: 'guessed' }, open.folder);
    for (const act of [() => wrong.get(KEY), () => wrong.put(KEY, inPieces(3)), () => wrong.copy(KEY, OTHER)])
      await expect(act()).rejects.toMatchObject({ name: 'ProviderError', retryable: false });
    const elsewhere = createS3Store({ ...settings, bucket: 'another' }, open.folder);
    await expect(elsewhere.get(KEY)).rejects.toMatchObject({ name: 'ProviderError', reason: 'NoSuchBucket' });
  });
});
