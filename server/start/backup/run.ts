import { existsSync } from 'node:fs';
import { mkdtemp, open as openFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ConfigRefused } from '#server/config/config-refused.ts';
import { createDiskStore } from '#server/providers/disk-store.ts';
import type { BackupConfig } from '#server/config/operating/backup.ts';
import type { StorageConfig } from '#server/config/storage.ts';
import { createStore } from '../open-adapters.ts';
import { type DatabaseConfig, openDatabase } from '../open-database.ts';
import { runRestore } from '../restore.ts';
import { isBackup, MAGIC_LENGTH } from './encrypted-file.ts';
import { describeSums } from './records.ts';
import { restoreBackup } from './restore-backup.ts';
import { SOCKET } from './backup-socket.ts';
import type { OpenCopy } from './verify-backup.ts';
import { streamBackup, writeWhole } from './write-backup.ts';

type Print = (line: string) => void;
type Config = DatabaseConfig & {
  readonly backup: BackupConfig;
  readonly storage: StorageConfig;
  readonly settings: Readonly<Record<string, string>>;
};

/** `npm run backup -- FILE`: while the server runs or is stopped. Returns the exit code. */
export async function runBackup(config: Config, file: string | undefined, print: Print): Promise<number> {
  const passphrase = requirePassphrase(config);
  if (file === undefined) throw new Error('Name a file: npm run backup -- FILE');
  if (existsSync(file)) throw new Error(`${file} exists; name a new file`);
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}.`);
  const socket = join(config.dataDir, SOCKET);
  // The running server has the embedded database open, and nobody else may.
  if (config.databaseUrl === null && (await answers(socket))) await askServer(socket, passphrase, file);
  else {
    // Opening it would make an empty one.
    if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'database')))
      throw new Error(
        `There is no database in ${config.dataDir}. Set DATA_DIR or DATABASE_URL to what you want to back up.`,
      );
    const db = await openDatabase(config, { report: print, warn: print, limits: { server: null } });
    const store = await createStore(config);
    const { dataDir, settings } = config;
    try {
      await writeWhole(file, (out) => streamBackup({ db, store, dataDir, settings }, out, passphrase, new Date()));
    } finally {
      await db.close();
    }
  }
  print(
    `${file}: ${Math.ceil((await stat(file)).size / 1024)} KB. Keep BACKUP_PASSPHRASE elsewhere: without it nobody can read this file.`,
  );
  return 0;
}

/** `npm run restore -- FILE`: a backup, or the plain text of `pg_dump`. */
export async function runRestoreFile(config: Config, file: string | undefined, print: Print): Promise<number> {
  if (file === undefined) throw new Error('Name a file: npm run restore -- FILE');
  if (!(await beginsAsBackup(file))) return runRestore(config, file, print);
  const store = await createStore(config);
  const { databaseUrl, databaseWaitSeconds, dataDir } = config;
  const sums = await restoreBackup(file, requirePassphrase(config), {
    databaseUrl,
    databaseWaitSeconds,
    dataDir,
    store,
    print,
  });
  print(
    `restored ${describeSums(sums)}; the settings of the old server are in ${join(dataDir, 'restored-settings.env')}`,
  );
  return 0;
}

/** `npm run verify-backup -- FILE`: restores it beside, checks it and uses it. `open` builds a server on an image of a database. */
export async function runVerifyBackup(
  config: Pick<Config, 'backup'>,
  file: string | undefined,
  open: OpenCopy,
  print: Print,
): Promise<number> {
  if (file === undefined) throw new Error('Name a file: npm run verify-backup -- FILE');
  const passphrase = requirePassphrase(config);
  const dataDir = await mkdtemp(join(tmpdir(), 'verify-backup-'));
  try {
    const { verifyBackup } = await import('./verify-backup.ts');
    const store = createDiskStore(join(dataDir, 'objects'));
    const faults = await verifyBackup(file, passphrase, { dataDir, store, open }, print);
    for (const fault of faults) print(`FAULT ${fault}`);
    print(faults.length === 0 ? 'the backup is good' : 'the backup has faults');
    return faults.length === 0 ? 0 : 1;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

export function requirePassphrase({ backup }: Pick<Config, 'backup'>): string {
  if (backup.passphrase === null)
    throw new ConfigRefused(['BACKUP_PASSPHRASE: is needed to encrypt or read a backup (or BACKUP_PASSPHRASE_FILE)']);
  return backup.passphrase;
}

async function beginsAsBackup(file: string): Promise<boolean> {
  const opened = await openFile(file, 'r');
  try {
    const start = Buffer.alloc(MAGIC_LENGTH);
    await opened.read(start, 0, MAGIC_LENGTH, 0);
    return isBackup(start);
  } finally {
    await opened.close();
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Asks the running server. What it sends is encrypted; a whole backup ends with its last frame, which `restore` checks. */
async function askServer(path: string, passphrase: string, file: string): Promise<void> {
  await writeWhole(file, async (out) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.end(JSON.stringify({ passphrase }));
    await pipeline(socket, out, { end: false });
  });
  const { readManifest } = await import('./read-backup.ts');
  await readManifest(file, passphrase);
}
