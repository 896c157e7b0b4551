import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transaction } from '#server/db/database.ts';
import { readSchema } from '#server/db/schema/schema.ts';
import { asOwner } from '#server/db/postgres/open-postgres.ts';
import { createDiskStore } from '#server/providers/disk-store.ts';
import type { Config } from '#server/config/operating/config.ts';
import { ConfigRefused } from '#server/config/config-refused.ts';
import { createStore } from '../open-adapters.ts';
import { DATABASE, openDatabase } from '../open-database.ts';
import { moneyFaults } from './money-audit.ts';
import { loadRecords } from './read-backup.ts';
import { type BackupSums, describeSums } from './records.ts';
import { readAtOnce, readRecords } from './write-backup.ts';

type Print = (line: string) => void;

/**
 * `npm run move-to-postgres`: copies the embedded database in DATA_DIR into the empty database at DATABASE_URL, and uploaded files to the
 * bucket if one is configured. Nothing changes unless every sum matches; then the embedded database is renamed, so that no server writes to
 * it by mistake. Throws `DirectoryLocked` while a server runs. Returns the exit code.
 */
export async function runMoveToPostgres(config: Config, print: Print): Promise<number> {
  const { databaseUrl, databaseWaitSeconds: waitSeconds, dataDir } = config;
  if (databaseUrl === null) throw new ConfigRefused(['DATABASE_URL: is needed, the empty database to move to']);
  const folder = join(dataDir, 'database');
  const moved = join(dataDir, 'database.moved');
  if (!existsSync(folder)) throw new Error(`${folder} does not exist: there is no embedded database to move`);
  if (existsSync(moved)) throw new Error(`${moved} exists, from an earlier move; move it away first`);
  const source = await openDatabase(
    { ...config, databaseUrl: null },
    { report: print, warn: print, limits: { server: null } },
  );
  try {
    const schema = await readSchema(DATABASE);
    const sums = await asOwner(databaseUrl, { schema, waitSeconds, report: print, warn: print }, (target) =>
      readAtOnce(source, (tx) => copy(tx, target, config)),
    );
    print(`moved ${describeSums(sums)}; every sum is right`);
  } finally {
    await source.close();
  }
  await rename(folder, moved);
  print(
    `The embedded database is now ${moved}. Keep it until you have a backup of the new one. npm start uses DATABASE_URL.`,
  );
  return 0;
}

async function copy(source: Transaction, target: Transaction, config: Config): Promise<BackupSums> {
  const { dataDir } = config;
  const bucket = config.storage.s3 === null ? null : await createStore(config);
  // Without a bucket, files stay where they are.
  const store = bucket && createDiskStore(join(dataDir, 'objects'));
  const sums = await loadRecords(readRecords({ store, dataDir, settings: {} }, source, new Date()), {
    tx: target,
    // Keys and settings stay where they are.
    file: () => Promise.resolve(),
    object: async (key, bytes) => bucket?.put(key, bytes),
  });
  const faults = await moneyFaults(target);
  if (faults.length > 0) throw new Error(`the money audit finds faults, and nothing was moved: ${faults.join('; ')}`);
  return sums;
}
