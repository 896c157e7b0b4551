import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ObjectStore } from './ports.ts';

/** Keys are made by the server; nothing in one can lead out of the folder. */
const KEY = /^[a-z0-9-]{1,64}(\/[a-z0-9-]{1,64}(\.[a-z0-9]{1,8})?){1,3}$/;

/** Keeps bytes as files under `folder`. A file appears as a whole or not at all, and is on the disk when `put` resolves. */
export function createDiskStore(folder: string): ObjectStore {
  const pathOf = (key: string): string => {
    if (!KEY.test(key)) throw new Error('not a storage key');
    return join(folder, key);
  };
  const draftOf = (path: string): string => `${path}.part`;
  return {
    async put(key, bytes) {
      const path = pathOf(key);
      const draft = draftOf(path);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        await writeSynced(draft, bytes);
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    },
    async get(key) {
      return readFile(pathOf(key)).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      });
    },
    async remove(key) {
      const path = pathOf(key);
      await rm(path, { force: true });
      // What a write that was killed half-way left.
      await rm(draftOf(path), { force: true });
    },
  };
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A new name is on the disk only when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
