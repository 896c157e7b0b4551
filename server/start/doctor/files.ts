import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '#server/config/operating/config.ts';
import { requireWritable } from '../data-dir/require-writable.ts';
import { createStore } from '../open-adapters.ts';
import { attempt, fail, type Finding, ok, getReason, warn } from './finding.ts';

const MEGABYTE = 1024 * 1024;
/** The embedded database, uploads and the spool need room to grow. */
const ROOM_MB = 2_000;
const LEAST_MB = 200;

/** Checks whether the folders are writable and have room, and whether the bucket keeps what is stored in it. */
export async function fileFindings(config: Pick<Config, 'dataDir' | 'backup' | 'storage'>): Promise<Finding[]> {
  const folders = [config.dataDir, ...(config.backup.dir === null ? [] : [config.backup.dir])];
  const found = await Promise.all(folders.map((folder) => folderFinding(resolve(folder))));
  return [...found, ...(await bucketFindings(config))];
}

async function folderFinding(folder: string): Promise<Finding> {
  try {
    await requireWritable(folder);
    return roomFinding(folder, await statfs(folder));
  } catch (error) {
    return fail(
      `${folder} cannot be written (${getReason(error)})`,
      'Give the folder to the user that the server runs as, and free space on its disk.',
    );
  }
}

/** Judges the free space on a folder's disk. */
export function roomFinding(folder: string, { bavail, bsize }: { bavail: number; bsize: number }): Finding {
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  const text = `${free} MB are free at ${folder}`;
  const advice = 'Free space, or move the folder to a larger disk.';
  if (free < LEAST_MB) return fail(text, advice);
  return free < ROOM_MB ? warn(text, advice) : ok(text);
}

async function bucketFindings(config: Pick<Config, 'dataDir' | 'storage'>): Promise<Finding[]> {
  if (config.storage.s3 === null) return [];
  const subject = `the bucket ${config.storage.s3.bucket}`;
  const advice = 'Check the settings STORAGE_S3_…: the key needs to read, write, list and delete.';
  return attempt(subject, advice, async () => {
    const key = `doctor/${randomUUID()}`;
    const store = await createStore(config);
    await store.put(key, Buffer.from(key));
    const kept = await store.get(key);
    await store.remove(key);
    if (kept === null || Buffer.from(kept).toString() !== key) throw new Error('it returned something else');
    return [ok(`${subject} keeps files`)];
  });
}
