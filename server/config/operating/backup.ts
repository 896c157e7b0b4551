import { z } from 'zod';
import { text, whole } from '../fields.ts';

/** The environment variables for backups, spread into the schema in config.ts. */
export const backupFields = {
  BACKUP_PASSPHRASE: z.string().min(12, 'needs at least 12 characters').optional(),
  BACKUP_DIR: text.optional(),
  BACKUP_KEEP: whole(1, 3_650).default(14),
};
type BackupEnvironment = z.output<z.ZodObject<typeof backupFields>>;

/** `dir`: folder to which a backup is written every night, or null. `keep`: number of backups that are kept. */
export type BackupConfig = { readonly passphrase: string | null; readonly dir: string | null; readonly keep: number };

export function readBackupConfig(env: BackupEnvironment): BackupConfig {
  return { passphrase: env.BACKUP_PASSPHRASE ?? null, dir: env.BACKUP_DIR ?? null, keep: env.BACKUP_KEEP };
}

/** Lists the faults of the settings, one line each. */
export function backupFaults(env: BackupEnvironment): string[] {
  return env.BACKUP_DIR !== undefined && env.BACKUP_PASSPHRASE === undefined
    ? ['BACKUP_DIR: needs BACKUP_PASSPHRASE, which encrypts the backups']
    : [];
}
