import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { studioDate } from '#rules/studio-time.ts';
import type { Clock } from '#server/http/caller.ts';
import type { Metrics } from '#server/http/metrics/metrics.ts';
import { enqueue, type JobKinds } from '#server/queue/jobs.ts';
import type { Task } from '#server/queue/scheduler.ts';
import type { BackupConfig } from '#server/config/operating/backup.ts';
import { type BackupSource, streamBackup, writeWhole } from './write-backup.ts';

const MINUTE_MS = 60_000;
/** Two hours after midnight in Sydney, when rooms are least booked. */
const HOURS_AFTER_MIDNIGHT_MS = 2 * 60 * MINUTE_MS;
const NOBODY = '00000000-0000-0000-0000-000000000000';
const FILE = /^studio-\d{4}-\d{2}-\d{2}\.backup$/;
const KIND = 'system.backup';

/** Backups have a separate worker, because a backup takes minutes. */
export const BACKUP_WORKERS = { backups: { atOnce: 1, later: true } } as const;

/**
 * Makes a backup every night as a job: only one of several servers makes it, a failed backup is retried, and the owner is emailed from the
 * third failure on. Does nothing without BACKUP_DIR.
 */
export function nightlyBackup(context: {
  readonly source: BackupSource;
  readonly backup: BackupConfig;
  readonly clock: Clock;
  readonly metrics: Metrics;
}): { kinds: JobKinds; tasks: readonly Task[] } {
  const { source, backup, clock, metrics } = context;
  const { dir, passphrase } = backup;
  if (dir === null || passphrase === null) return { kinds: {}, tasks: [] };
  metrics.gauge('backup_age_seconds', 'Age of the newest backup in BACKUP_DIR; -1 when there is none', async () => {
    const newest = (await backupsIn(dir)).at(-1);
    return newest === undefined ? -1 : (Date.now() - (await stat(join(dir, newest))).mtimeMs) / 1000;
  });
  const night = (): string => studioDate(new Date(clock().getTime() - HOURS_AFTER_MIDNIGHT_MS));
  return {
    kinds: {
      [KIND]: {
        worker: 'backups',
        async handle(job) {
          const name = `studio-${String(job.payload['night'])}.backup`;
          await writeWhole(join(dir, name), (out) => streamBackup(source, out, passphrase, clock()));
          for (const old of (await backupsIn(dir)).slice(0, -backup.keep)) await rm(join(dir, old), { force: true });
          return 'done';
        },
      },
    },
    tasks: [
      {
        name: 'begin the backup of the night',
        everyMs: 10 * MINUTE_MS,
        run: () =>
          enqueue(source.db, {
            kind: KIND,
            subjectId: NOBODY,
            dedupe: night(),
            payload: { night: night() },
            dueAt: clock(),
          }),
      },
    ],
  };
}

/** Returns the names of the nightly backups, oldest first. */
async function backupsIn(dir: string): Promise<readonly string[]> {
  const found = await readdir(dir).catch(() => []);
  return found.filter((name) => FILE.test(name)).toSorted();
}
