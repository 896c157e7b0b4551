import { randomUUID } from 'node:crypto';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CheckedConfig } from './checked-config.ts';
import { createStore } from '../open-adapters.ts';
import { type Finding, findingsOf, reasonOf } from './finding.ts';

const { ok, warn, fail } = findingsOf('files');
const MEGABYTE = 1024 * 1024;
/** The embedded database, uploads and the spool need room to grow. */
const ROOM_MB = 2_000;
const LEAST_MB = 200;

/** Whether the folders can be written and have room, and whether the bucket keeps what is put there. */
export async function fileFindings(config: Pick<CheckedConfig, 'dataDir' | 'backup' | 'storage'>): Promise<Finding[]> {
  const folders = [config.dataDir, ...(config.backup.dir === null ? [] : [config.backup.dir])];
  const found = await Promise.all(folders.map((folder) => folderFinding(resolve(folder))));
  return [...found, ...(config.storage.s3 === null ? [] : [await bucketFinding(config)])];
}

async function folderFinding(folder: string): Promise<Finding> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `.doctor-${randomUUID()}`);
    await writeFile(file, 'x');
    await rm(file);
    return roomFinding(folder, await statfs(folder));
  } catch (error) {
    return fail(
      `${folder} cannot be written (${reasonOf(error)})`,
      'Give the folder to the user that the server runs as, and free space on its disk.',
    );
  }
}

/** Judges the free space of a folder's disk. */
export function roomFinding(folder: string, { bavail, bsize }: { bavail: number; bsize: number }): Finding {
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  const text = `${free} MB are free at ${folder}`;
  const advice = 'Free space, or move the folder to a larger disk.';
  if (free < LEAST_MB) return fail(text, advice);
  return free < ROOM_MB ? warn(text, advice) : ok(text);
}

async function bucketFinding(config: Pick<CheckedConfig, 'dataDir' | 'storage'>): Promise<Finding> {
  const key = `doctor/${randomUUID()}`;
  try {
    const store = await createStore(config);
    await store.put(key, Buffer.from(key));
    const kept = await store.get(key);
    await store.remove(key);
    if (kept === null || Buffer.from(kept).toString() !== key) throw new Error('it returned something else');
    return ok(`the bucket ${config.storage.s3?.bucket} keeps files`);
  } catch (error) {
    return fail(
      `the bucket ${config.storage.s3?.bucket}: ${reasonOf(error)}`,
      'Check the settings STORAGE_S3_…: the key needs to read, write, list and delete.',
    );
  }
}
