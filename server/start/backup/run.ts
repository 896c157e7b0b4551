import { createReadStream, existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Config } from '#server/config/operating/config.ts';
import { ConfigRefused } from '#server/config/config-refused.ts';
import { isAnswered } from '#server/db/directory-lock.ts';
import { restoreDump } from '#server/db/postgres/restore-dump.ts';
import { readSchema } from '#server/db/schema/schema.ts';
import { createStore } from '../open-adapters.ts';
import { DATABASE, openDatabase } from '../open-database.ts';
import { SOCKET } from './backup-socket.ts';
import { decrypt, isBackup } from './encrypted-file.ts';
import { describeSums } from './records.ts';
import { restoreBackup } from './restore-backup.ts';
import { streamBackup, writeWhole } from './write-backup.ts';

type Print = (line: string) => void;

/** `npm run backup -- FILE`: works while the server runs and while it is stopped. Returns the exit code. */
export async function runBackup(config: Config, argument: string | undefined, print: Print): Promise<number> {
  const passphrase = requirePassphrase(config);
  const file = requireFile('backup', argument);
  if (existsSync(file)) throw new Error(`${file} exists; name a new file`);
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}.`);
  const { databaseUrl, dataDir, settings } = config;
  const socket = join(dataDir, SOCKET);
  // The running server has the embedded database open, and no other process may open it.
  if (databaseUrl === null && (await isAnswered(socket))) await askServer(socket, passphrase, file);
  else {
    // Opening a missing database would create an empty one.
    if (databaseUrl === null && !existsSync(join(dataDir, 'database')))
      throw new Error(`There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL to what you want to back up.`);
    const db = await openDatabase(config, { report: print, warn: print, limits: { server: null } });
    try {
      const source = { db, store: await createStore(config), dataDir, settings };
      await writeWhole(file, (out) => streamBackup(source, out, passphrase, new Date()));
    } finally {
      await db.close();
    }
  }
  const kilobytes = Math.ceil((await stat(file)).size / 1024);
  print(`${file}: ${kilobytes} KB. Keep BACKUP_PASSPHRASE elsewhere: without it this file cannot be read.`);
  return 0;
}

/** `npm run restore -- FILE`: restores a backup, or the plain text of `pg_dump`. Returns the exit code. */
export async function runRestoreFile(config: Config, argument: string | undefined, print: Print): Promise<number> {
  const file = requireFile('restore', argument);
  if (!(await isBackup(file))) return restoreText(config, file, print);
  const store = await createStore(config);
  const sums = await restoreBackup(file, requirePassphrase(config), { ...config, store, print });
  const settings = join(config.dataDir, 'restored-settings.env');
  print(`restored ${describeSums(sums)}; the settings of the old server are in ${settings}`);
  return 0;
}

/** Restores the plain text of `pg_dump` into the empty database at DATABASE_URL. */
async function restoreText({ databaseUrl, databaseWaitSeconds }: Config, file: string, print: Print): Promise<number> {
  if (databaseUrl === null)
    throw new ConfigRefused([
      'DATABASE_URL: is needed for the text of pg_dump; the file is not a backup of npm run backup',
    ]);
  const schema = await readSchema(DATABASE);
  await restoreDump(databaseUrl, file, { schema, seconds: databaseWaitSeconds, report: print });
  print('restored; npm start migrates what is newer');
  return 0;
}

export function requireFile(command: string, file: string | undefined): string {
  if (file === undefined) throw new Error(`Name a file: npm run ${command} -- FILE`);
  return file;
}

export function requirePassphrase({ backup }: Pick<Config, 'backup'>): string {
  if (backup.passphrase === null)
    throw new ConfigRefused(['BACKUP_PASSPHRASE: is needed to encrypt or read a backup (or BACKUP_PASSPHRASE_FILE)']);
  return backup.passphrase;
}

/** Has the running server make a backup. The server sends it encrypted; it is complete if it decrypts to its end. */
async function askServer(path: string, passphrase: string, file: string): Promise<void> {
  await writeWhole(file, async (out) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.end(JSON.stringify({ passphrase }));
    await pipeline(socket, out);
  });
  try {
    for await (const bytes of decrypt(createReadStream(file), passphrase)) void bytes;
  } catch (error) {
    await rm(file);
    throw error;
  }
}
