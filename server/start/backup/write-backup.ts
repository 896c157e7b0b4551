import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Database, Transaction } from '#server/db/database.ts';
import { createPglite } from '#server/db/engine/pglite.ts';
import { outsideOfRequests } from '#server/db/request-scope.ts';
import { readMigrations } from '#server/db/schema/schema.ts';
import { writeAtomically } from '#server/providers/disk-store.ts';
import type { ObjectStore } from '#server/providers/ports.ts';
import { isEmbedded } from '../observe/embedded.ts';
import { DATABASE } from '../open-database.ts';
import { encrypt } from './encrypted-file.ts';
import { type BackupRecord, type BackupSums, pack } from './records.ts';
import { dumpTables } from './tables.ts';

/** The sources of a backup other than rows. `store`: null without uploaded files. `settings`: the server's environment variables. */
type FileSource = {
  readonly store: Pick<ObjectStore, 'list' | 'get'> | null;
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
};
export type BackupSource = FileSource & { readonly db: Database };

/** Uploaded files, and photos of licences that await review. */
const FOLDERS = ['objects', 'review'];
const PART = 4 * 1024 * 1024;
const NOTHING = new Uint8Array();

/** Writes a file atomically, readable by its owner only. `write` fills and ends the stream. */
export const writeWhole = (file: string, write: (out: Writable) => Promise<void>): Promise<void> =>
  writeAtomically(file, async (draft) => {
    const out = (await open(draft, 'w', 0o600)).createWriteStream({ flush: true });
    await write(out).finally(() => out.destroy());
  });

/**
 * Writes an encrypted backup to a stream and ends it. The embedded database is first copied in memory, so that statements do not wait
 * during the backup.
 */
export async function streamBackup(source: BackupSource, out: Writable, passphrase: string, now: Date): Promise<void> {
  const { db } = source;
  const copy = isEmbedded(db) ? await createPglite(await db.image()) : null;
  try {
    await readAtOnce(copy ?? db, (tx) =>
      pipeline(
        pack(readRecords(source, tx, now)),
        createGzip({ level: 5 }),
        (bytes: AsyncIterable<Buffer>) => encrypt(bytes, passphrase),
        out,
      ),
    );
  } finally {
    await copy?.close();
  }
}

/** Calls `work` with a transaction that sees a single snapshot of all rows. */
export function readAtOnce<T>(db: Pick<Database, 'transaction'>, work: (tx: Transaction) => Promise<T>): Promise<T> {
  // PostgreSQL accepts the isolation level only before the first query of a transaction. Within a request or job, a transaction begins with
  // a query that notes the request, so this transaction runs outside of them.
  return outsideOfRequests(() =>
    db.transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read');
      // Writing a large file may take longer than the default limits.
      await tx.query('set local statement_timeout to 0');
      await tx.query('set local idle_in_transaction_session_timeout to 0');
      return work(tx);
    }),
  );
}

/** Lists the records of a backup: the rows of one snapshot, then the files. `now`: the time of the backup. */
export async function* readRecords(
  { store, dataDir, settings }: FileSource,
  tx: Transaction,
  now: Date,
): AsyncGenerator<BackupRecord> {
  // The server applied all of them when it started.
  const migrations = (await readMigrations(DATABASE)).map(({ name }) => name);
  yield { head: { kind: 'manifest', format: 1, createdAt: now.toISOString(), migrations }, body: NOTHING };
  // The file is missing if the keys come from the environment. A file that cannot be read fails the backup.
  const keys = join(dataDir, 'keys.json');
  if (existsSync(keys)) yield { head: { kind: 'file', name: 'keys.json' }, body: await readFile(keys) };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${toLine(value)}\n`);
  yield { head: { kind: 'file', name: 'settings.env' }, body: Buffer.from(lines.join('')) };
  const tables = yield* dumpTables(tx);
  const files = yield* dumpObjects(store);
  yield { head: { kind: 'end', sums: { tables, ...files } }, body: NOTHING };
}

/**
 * Encodes a value for a settings file: as JSON without line breaks. The line breaks of certificates and keys become \n, which the settings
 * parser reads.
 */
function toLine(value: string): string {
  if (!value.includes('\n')) return value;
  try {
    return JSON.stringify(JSON.parse(value));
  } catch {
    return value.replaceAll('\n', String.raw`\n`);
  }
}

async function* dumpObjects(store: FileSource['store']): AsyncGenerator<BackupRecord, Omit<BackupSums, 'tables'>> {
  let [objects, objectBytes] = [0, 0];
  if (store === null) return { objects, objectBytes };
  for (const folder of FOLDERS)
    for await (const { key } of store.list(folder)) {
      const bytes = await store.get(key);
      // The object was deleted after the rows were read, or it is the remains of a broken write.
      if (bytes === null) continue;
      objects += 1;
      objectBytes += bytes.length;
      for (let index = 0; index === 0 || index < bytes.length; index += PART) {
        const last = index + PART >= bytes.length;
        yield { head: { kind: 'object', key, last }, body: bytes.subarray(index, index + PART) };
      }
    }
  return { objects, objectBytes };
}
