import { constants } from 'node:fs';
import { copyFile, type FileHandle, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ByteRange, ObjectStore } from './ports.ts';

/** The form of keys, which the server generates. A matching key cannot lead out of the folder. */
const KEY = /^[a-z0-9-]{1,64}(\/[a-z0-9-]{1,64}(\.[a-z0-9]{1,8})?){1,3}$/;
const FOLDER = /^[a-z0-9-]{1,64}$/;
/** The size of one read, in bytes: a megabyte takes four reads, and a thousand slow readers need 256 MB. */
const PIECE = 256 * 1024;

/** Stores bytes as files under `folder`. A file appears whole or not at all, and is on disk once `put` resolves. */
export function createDiskStore(folder: string): ObjectStore {
  const getPath = (key: string): string => {
    if (!KEY.test(key)) throw new Error('not a storage key');
    return join(folder, key);
  };
  return {
    put: async (key, bytes) => writeAtomically(getPath(key), (draft) => writeSynced(draft, bytes)),
    async get(key) {
      const file = await nullIfMissing(open(getPath(key), 'r'));
      return file === null ? null : readWhole(file);
    },
    async open(key, range) {
      const file = await nullIfMissing(open(getPath(key), 'r'));
      return file === null ? null : streamPieces(file, range);
    },
    async copy(from, to) {
      const source = getPath(from);
      if ((await nullIfMissing(stat(source))) === null) return false;
      await writeAtomically(getPath(to), async (draft) => {
        await copyFile(source, draft, constants.COPYFILE_FICLONE);
        const file = await open(draft, 'r+');
        await file.sync();
        await file.close();
      });
      return true;
    },
    async remove(key) {
      const path = getPath(key);
      await rm(path, { force: true });
      // A write that was killed leaves its draft.
      await rm(toDraftPath(path), { force: true });
    },
    async *list(name) {
      if (!FOLDER.test(name)) throw new Error('not a storage folder');
      const found = await nullIfMissing(opendir(join(folder, name)));
      if (found === null) return;
      for await (const entry of found) {
        const key = `${name}/${entry.name.replace(/\.part$/, '')}`;
        const facts =
          entry.isFile() && KEY.test(key) ? await nullIfMissing(stat(join(folder, name, entry.name))) : null;
        if (facts) yield { key, writtenAt: facts.mtime };
      }
    },
  };
}

const toDraftPath = (path: string): string => `${path}.part`;

/** Writes a file that appears whole or not at all. `write` writes a draft and syncs it. */
export async function writeAtomically(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = toDraftPath(path);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await write(draft);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Reads a file in as few reads as possible: one for a megabyte. */
async function readWhole(file: FileHandle): Promise<Uint8Array> {
  try {
    const { size } = await file.stat();
    const bytes = Buffer.allocUnsafeSlow(size);
    for (let index = 0; index < size;) {
      const { bytesRead } = await file.read(bytes, index, size - index, index);
      if (bytesRead === 0) throw new Error('a stored file became shorter');
      index += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

/** Turns "no such file" into null. */
function nullIfMissing<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
}

function streamPieces(file: FileHandle, { from, to }: ByteRange): ReadableStream<Uint8Array> {
  let at = from;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const length = Math.min(PIECE, to + 1 - at);
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(Math.max(length, 0)), 0, length, at);
        if (length > 0 && bytesRead === 0) {
          await file.close();
          throw new Error('a stored file is shorter than its row says');
        }
        at += bytesRead;
        if (bytesRead > 0) controller.enqueue(bytesRead === length ? buffer : buffer.subarray(0, bytesRead));
        if (at <= to) return;
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}

async function writeSynced(path: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Syncs a folder, which is necessary to have the name of a new file on disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
