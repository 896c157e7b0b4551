import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '#server/db/database.ts';
import { readDiskSpace } from '#server/http/health/readiness.ts';
import type { BackupConfig } from '#server/config/operating/backup.ts';
import { engineWarnings, isEmbedded } from './embedded.ts';
import type { Warning } from './warnings.ts';

const HOUR_S = 3_600;
/** One day, plus two hours to make and retry the backup. */
const BACKUP_LATE_SECONDS = 26 * HOUR_S;
/** A server that has just started gets this long to make its first backup. */
const FIRST_BACKUP_SECONDS = 2 * HOUR_S;
const DISK_LOW_BYTES = 1e9;

/** Possible faults of a server's machine, for `warningJobs`. `upSeconds`: how long this process has run. */
export function machineWarnings(
  { db, dataDir, backup }: { readonly db: Database; readonly dataDir: string; readonly backup: BackupConfig },
  upSeconds: () => number = () => process.uptime(),
): readonly Warning[] {
  const { dir } = backup;
  return [
    ...(dir === null ? [] : [{ name: 'backup', read: () => readBackups(dir, upSeconds()) }]),
    { name: 'disk', read: () => readDisk(dataDir) },
    ...(isEmbedded(db) ? engineWarnings(db, join(dataDir, 'database')) : []),
  ];
}

async function readBackups(dir: string, upSeconds: number): Promise<string | null> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.backup'));
  const times = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).mtimeMs));
  if (times.length === 0) return upSeconds < FIRST_BACKUP_SECONDS ? null : `There is no backup in ${dir}.`;
  const age = (Date.now() - Math.max(...times)) / 1000;
  return age < BACKUP_LATE_SECONDS ? null : `The newest backup in ${dir} is ${Math.round(age / HOUR_S)} hours old.`;
}

async function readDisk(dataDir: string): Promise<string | null> {
  const { free } = await readDiskSpace(dataDir);
  return free >= DISK_LOW_BYTES ? null : `The disk of DATA_DIR has ${Math.round(free / 1e6)} MB free.`;
}
