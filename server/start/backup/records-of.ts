import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Transaction } from '#server/db/database.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import type { Embedded } from '#server/db/engine/pglite.ts';
import { readMigrations, readSchema } from '#server/db/schema/schema.ts';
import { outsideOfRequests } from '#server/db/request-scope.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { DATABASE } from '../open-database.ts';
import type { BackupRecord } from './records.ts';
import { dumpTables, type Sql } from './tables.ts';

/** What a backup is made of. `settings`: the environment variables of the server. */
export type BackupSource = {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
};

/** Where files are read. */
export type FileSource = Pick<ObjectStore, 'list' | 'get'>;

/** Uploaded files, and photos of licences that wait for a person. */
const FOLDERS = ['objects', 'review'];
const PART = 4 * 1024 * 1024;
const NOTHING = new Uint8Array();

/** Sets what the text of a row depends on. */
const SAME_TEXT = [
  `set local timezone to 'UTC'`,
  `set local datestyle to 'ISO, MDY'`,
  `set local intervalstyle to 'iso_8601'`,
  `set local bytea_output to 'hex'`,
  `set local extra_float_digits to 1`,
];

export const sqlOf =
  (tx: Transaction): Sql =>
  async (text, values = []) =>
    (await tx.query(text, values)).rows;

/** Calls `work` with the rows of one moment. The embedded database is copied in memory first, so that nobody waits meanwhile. */
export async function atOneMoment<T>(db: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  const isEmbedded = (one: Database): one is Embedded => 'image' in one;
  if (isEmbedded(db)) {
    const quiet = () => undefined;
    const copy = await openEmbedded(await db.image(), {
      schema: await readSchema(DATABASE),
      report: quiet,
      warn: quiet,
    });
    try {
      return await readAtOnce(copy, work);
    } finally {
      await copy.close();
    }
  }
  return readAtOnce(db, work);
}

/** Calls `work` with the rows of one moment, read from the database itself. */
export function readAtOnce<T>(db: Pick<Database, 'transaction'>, work: (sql: Sql) => Promise<T>): Promise<T> {
  const read = async (tx: Transaction): Promise<T> => {
    await tx.query('set transaction isolation level repeatable read');
    for (const setting of SAME_TEXT) await tx.query(setting);
    // Writing a large file takes its time.
    await tx.query('set local statement_timeout to 0');
    await tx.query('set local idle_in_transaction_session_timeout to 0');
    return work(sqlOf(tx));
  };
  // PostgreSQL takes the level before any query only, and the note of a request, or of the job of the night, is one.
  return outsideOfRequests(() => db.transaction(read));
}

/** Lists everything that a backup holds: the rows of one moment, then files. `now`: when it is made. */
export async function* recordsOf(
  source: Omit<BackupSource, 'db' | 'store'> & { readonly store: FileSource },
  sql: Sql,
  now: Date,
): AsyncGenerator<BackupRecord> {
  // The start has applied all of them.
  const names = (await readMigrations(DATABASE)).map(({ name }) => name);
  yield { head: { kind: 'manifest', format: 1, createdAt: now.toISOString(), migrations: names }, body: NOTHING };
  // With keys from the environment there is no file. One that cannot be read fails the backup.
  const keys = join(source.dataDir, 'keys.json');
  if (existsSync(keys)) yield { head: { kind: 'file', name: 'keys.json' }, body: await readFile(keys) };
  const lines = Object.entries(source.settings).map(([name, value]) => `${name}=${oneLine(value)}\n`);
  yield { head: { kind: 'file', name: 'settings.env' }, body: Buffer.from(lines.join('')) };
  const tables: Record<string, { rows: number; sum: string }> = {};
  yield* dumpTables(sql, tables);
  const count = { objects: 0, objectBytes: 0 };
  yield* getObjects(source.store, count);
  yield { head: { kind: 'end', sums: { tables, ...count } }, body: NOTHING };
}

/** A value as a file of settings takes it: JSON without line breaks; those of certificates and keys as \n, which the settings read. */
function oneLine(value: string): string {
  if (!value.includes('\n')) return value;
  try {
    return JSON.stringify(JSON.parse(value));
  } catch {
    return value.replaceAll('\n', String.raw`\n`);
  }
}

async function* getObjects(
  store: FileSource,
  count: { objects: number; objectBytes: number },
): AsyncGenerator<BackupRecord> {
  for (const folder of FOLDERS)
    for await (const { key } of store.list(folder)) {
      const bytes = await store.get(key);
      // Deleted since the rows were read, or the remains of a broken write.
      if (bytes === null) continue;
      count.objects += 1;
      count.objectBytes += bytes.length;
      for (let at = 0; at === 0 || at < bytes.length; at += PART)
        yield {
          head: { kind: 'object', key, last: at + PART >= bytes.length },
          body: bytes.subarray(at, at + PART),
        };
    }
}
