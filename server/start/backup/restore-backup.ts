import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transaction } from '#server/db/database.ts';
import { lockDirectory } from '#server/db/directory-lock.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import type { Embedded } from '#server/db/engine/pglite.ts';
import { asOwner } from '#server/db/postgres/open-postgres.ts';
import { readSchema, type Schema } from '#server/db/schema/schema.ts';
import { createDiskStore } from '#server/providers/disk-store.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { getRowName } from '../keys/check-keys.ts';
import { DATABASE, type DatabaseConfig } from '../open-database.ts';
import { toBackupSchema } from './backup-schema.ts';
import { loadRecords, readBackup, readManifest } from './read-backup.ts';
import type { BackupSums } from './records.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

type FileTarget = { readonly dataDir: string; readonly store: ObjectStore };
type Restore = FileTarget &
  Pick<DatabaseConfig, 'databaseUrl' | 'databaseWaitSeconds'> & { readonly print: (line: string) => void };

const quiet = (): void => undefined;

/**
 * Restores a backup into an empty database and DATA_DIR, and compares the result with the sums in the backup. Throws if the target is not
 * empty, the passphrase is wrong or a sum differs; the database then stays empty.
 */
export async function restoreBackup(file: string, passphrase: string, target: Restore): Promise<BackupSums> {
  const { databaseUrl, databaseWaitSeconds: waitSeconds, dataDir, print } = target;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const taken = ['keys.json', 'objects', ...(databaseUrl === null ? ['database'] : [])].find((name) =>
    existsSync(join(dataDir, name)),
  );
  if (taken !== undefined) throw new Error(`${join(dataDir, taken)} exists; restore into an empty DATA_DIR`);
  const { migrations } = await readManifest(file, passphrase);
  const schema = toBackupSchema(migrations, await readSchema(DATABASE));
  const unlock = await lockDirectory(dataDir);
  const load = (tx: Transaction): Promise<BackupSums> => loadInto(tx, file, passphrase, target);
  try {
    return databaseUrl === null
      ? await intoEmbedded(join(dataDir, 'database'), schema, load)
      : await asOwner(databaseUrl, { schema, waitSeconds, report: print, warn: print }, load);
  } finally {
    await unlock();
  }
}

/**
 * A backup in an embedded database in memory, with its files in a temporary folder. Declared with `await using`, both are removed at the
 * end of the block.
 */
type Restored = AsyncDisposable & {
  readonly db: Embedded;
  /** The names of the backup's migrations. */
  readonly migrations: readonly string[];
  readonly image: Blob;
  readonly dataDir: string;
  readonly sums: BackupSums;
};

export async function openRestored(file: string, passphrase: string): Promise<Restored> {
  const { migrations } = await readManifest(file, passphrase);
  const schema = toBackupSchema(migrations, await readSchema(DATABASE));
  await using opened = new AsyncDisposableStack();
  const { path: dataDir } = opened.use(await createTemporaryFolder('backup-'));
  const db = await openEmbedded(null, { schema, report: quiet, warn: quiet });
  opened.defer(() => db.close());
  const target = { dataDir, store: createDiskStore(join(dataDir, 'objects')) };
  const sums = await db.transaction((tx) => loadInto(tx, file, passphrase, target));
  // A backup does not contain the file of signing keys, and a copy does not need it.
  await db.query('delete from private.settings where name = $1', [getRowName('AUTH_SIGNING_KEYS_FILE')]);
  const image = await db.image();
  const kept = opened.move();
  return { db, migrations, image, dataDir, sums, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function intoEmbedded<T>(folder: string, schema: Schema, load: (tx: Transaction) => Promise<T>): Promise<T> {
  const db = await openEmbedded(folder, { schema, report: quiet, warn: quiet, limits: { server: null } });
  try {
    const loaded = await db.transaction(load);
    await db.close();
    return loaded;
  } catch (error) {
    await db.close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

const loadInto = (
  tx: Transaction,
  file: string,
  passphrase: string,
  { dataDir, store }: FileTarget,
): Promise<BackupSums> =>
  loadRecords(readBackup(file, passphrase), {
    tx,
    file: (name, bytes) =>
      name === 'keys.json'
        ? writeFile(join(dataDir, name), bytes, { mode: 0o600 })
        : writeFile(join(dataDir, 'restored-settings.env'), withoutPlace(bytes), { mode: 0o600 }),
    object: (key, bytes) => store.put(key, bytes),
  });

/** Leaves out the settings that locate the old server: here they would name another folder or port. */
const withoutPlace = (settings: Uint8Array): string =>
  Buffer.from(settings)
    .toString()
    .replace(/^(?:DATA_DIR|PORT)=.*\n/gm, '');
