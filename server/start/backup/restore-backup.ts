import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedded } from '#server/db/engine/pglite.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { lockDirectory } from '#server/db/directory-lock.ts';
import { readSchema, type Schema } from '#server/db/schema/schema.ts';
import { asOwner } from '#server/db/postgres/open-postgres.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { DATABASE, type DatabaseConfig } from '../open-database.ts';
import { rowOf } from '../keys/check-keys.ts';
import { toBackupSchema } from './backup-schema.ts';
import { BackupUnreadable } from './encrypted-file.ts';
import { readBackup, readManifest } from './read-backup.ts';
import type { BackupSums } from './records.ts';
import { sqlOf } from './records-of.ts';
import { type Sql, sumTables } from './tables.ts';

type Restore = Pick<DatabaseConfig, 'databaseUrl' | 'databaseWaitSeconds' | 'dataDir'> & {
  readonly store: ObjectStore;
  readonly print: (line: string) => void;
};

/**
 * Restores a backup into an empty database and DATA_DIR, and compares what arrived with the sums in it. Throws when something is there
 * already, when the passphrase is wrong, and when a sum differs; then the database stays empty.
 */
export async function restoreBackup(file: string, passphrase: string, target: Restore): Promise<BackupSums> {
  const { databaseUrl, dataDir } = target;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const folder = join(dataDir, 'database');
  const taken = ['keys.json', 'objects', ...(databaseUrl === null ? ['database'] : [])].find((name) =>
    existsSync(join(dataDir, name)),
  );
  if (taken !== undefined) throw new Error(`${join(dataDir, taken)} exists; restore into an empty DATA_DIR`);
  const schema = await readBackupSchema(file, passphrase);
  const unlock = await lockDirectory(dataDir);
  try {
    const load = async (sql: Sql): Promise<BackupSums> => {
      await refuseFull(sql);
      return loadInto(file, passphrase, target, sql);
    };
    if (databaseUrl === null) return await intoEmbedded(folder, schema, load);
    return await asOwner(
      databaseUrl,
      { schema, waitSeconds: target.databaseWaitSeconds, report: target.print, warn: target.print },
      load,
    );
  } finally {
    await unlock();
  }
}

/** Loading replaces all rows: a database that somebody has used stays as it is. */
export async function refuseFull(sql: Sql): Promise<void> {
  const used = await sql('select from auth.users union all select from private.booking limit 1');
  if (used.length > 0) throw new Error('the database is not empty; restore into a new one');
}

/** Opens a new embedded database and loads a backup into it; `folder`: null keeps it in memory. */
export async function openRestored(
  file: string,
  passphrase: string,
  target: Pick<Restore, 'dataDir' | 'store'>,
): Promise<{ db: Embedded; image: Blob; sums: BackupSums }> {
  const quiet = (): void => undefined;
  const db = await openEmbedded(null, { schema: await readBackupSchema(file, passphrase), report: quiet, warn: quiet });
  const sums = await db.transaction((tx) => loadInto(file, passphrase, target, sqlOf(tx)));
  // The file of signing keys is not in a backup, and a copy needs none.
  await db.query('delete from private.settings where name = $1', [rowOf('AUTH_SIGNING_KEYS_FILE')]);
  return { db, image: await db.image(), sums };
}

async function intoEmbedded<T>(folder: string, schema: Schema, load: (sql: Sql) => Promise<T>): Promise<T> {
  const quiet = (): void => undefined;
  const db = await openEmbedded(folder, { schema, report: quiet, warn: quiet, limits: { server: null } });
  try {
    const loaded = await db.transaction((tx) => load(sqlOf(tx)));
    await db.close();
    return loaded;
  } catch (error) {
    await db.close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function readBackupSchema(file: string, passphrase: string): Promise<Schema> {
  const { migrations } = await readManifest(file, passphrase);
  return toBackupSchema(migrations, await readSchema(DATABASE));
}

/** The settings without those that say where the old server was: here they would lead to another folder or port. */
const withoutPlace = (settings: Uint8Array): string =>
  Buffer.from(settings)
    .toString()
    .replace(/^(?:DATA_DIR|PORT)=.*\n/gm, '');

async function loadInto(
  file: string,
  passphrase: string,
  { dataDir, store }: Pick<Restore, 'dataDir' | 'store'>,
  sql: Sql,
): Promise<BackupSums> {
  const found = { objects: 0, objectBytes: 0 };
  const sums = await readBackup(file, passphrase, {
    sql,
    file: (name, bytes) =>
      name === 'keys.json'
        ? writeFile(join(dataDir, name), bytes, { mode: 0o600 })
        : writeFile(join(dataDir, 'restored-settings.env'), withoutPlace(bytes), { mode: 0o600 }),
    async object(key, bytes) {
      found.objects += 1;
      found.objectBytes += bytes.length;
      await store.put(key, bytes);
    },
  });
  compareSums(sums, { ...found, tables: await sumTables(sql) });
  return sums;
}

/** Throws `BackupUnreadable` when what was found differs from what was expected. */
export function compareSums(expected: BackupSums, found: BackupSums): void {
  const restored = new Map(Object.entries(found.tables));
  const faults = Object.entries(expected.tables)
    .filter(([name, { rows, sum }]) => restored.get(name)?.rows !== rows || restored.get(name)?.sum !== sum)
    .map(([name]) => name);
  if (expected.objects !== found.objects || expected.objectBytes !== found.objectBytes) faults.push('uploaded files');
  if (faults.length > 0) throw new BackupUnreadable(`what was restored differs from the backup: ${faults.join(', ')}`);
}
