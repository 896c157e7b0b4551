import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Transaction } from '#server/db/database.ts';
import { BackupUnreadable, decrypt } from './encrypted-file.ts';
import { type BackupRecord, type BackupSums, type RecordHead, unpack } from './records.ts';
import { beginLoading, type Loader, type Sequence, sumTables } from './tables.ts';

type Manifest = Extract<RecordHead, { kind: 'manifest' }>;
/** The destination of a restored backup. */
type BackupTarget = {
  /** A transaction on an unused database that has the migrations of the backup. */
  readonly tx: Transaction;
  file(name: string, bytes: Uint8Array): Promise<void>;
  object(key: string, bytes: Uint8Array): Promise<void>;
};

/** Reads the records of a backup. Throws `BackupUnreadable`. */
export async function* readBackup(file: string, passphrase: string): AsyncGenerator<BackupRecord> {
  const unzip = createGunzip();
  // An error in an earlier stream is thrown to the reader of the last one.
  pipeline(
    createReadStream(file),
    (sealed) => decrypt(sealed, passphrase),
    unzip,
    () => undefined,
  );
  try {
    yield* unpack(unzip);
  } finally {
    unzip.destroy();
  }
}

/** Reads the manifest of a backup. Throws `BackupUnreadable`. */
export async function readManifest(file: string, passphrase: string): Promise<Manifest> {
  for await (const { head } of readBackup(file, passphrase)) if (head.kind === 'manifest') return head;
  throw new BackupUnreadable('the backup is cut off or damaged');
}

/**
 * Writes records into a target and compares the result with the sums at the end of the records, which it returns. Throws `BackupUnreadable`
 * if the end is missing or a sum differs.
 */
export async function loadRecords(
  records: AsyncIterable<BackupRecord>,
  { tx, file, object }: BackupTarget,
): Promise<BackupSums> {
  let loader: Loader | null = null;
  let sums: BackupSums | null = null;
  let [objects, objectBytes] = [0, 0];
  let parts: Uint8Array[] = [];
  for await (const { head, body } of records) {
    if (head.kind === 'manifest') loader = await beginLoading(tx);
    else if (head.kind === 'rows') await loader?.rows(head.table, parseBody<string[]>(body));
    else if (head.kind === 'sequences') await loader?.sequences(parseBody<Sequence[]>(body));
    else if (head.kind === 'file') await file(head.name, body);
    else if (head.kind === 'end') ({ sums } = head);
    else {
      parts.push(body);
      if (!head.last) continue;
      const bytes = Buffer.concat(parts);
      parts = [];
      objects += 1;
      objectBytes += bytes.length;
      await object(head.key, bytes);
    }
  }
  if (!sums || !loader) throw new BackupUnreadable('the backup is cut off or damaged');
  await loader.finish();
  compareSums(sums, { tables: await sumTables(tx), objects, objectBytes });
  return sums;
}

// Cast: this program has written the bytes.
const parseBody = <T>(bytes: Uint8Array): T => JSON.parse(Buffer.from(bytes).toString()) as T;

function compareSums(expected: BackupSums, found: BackupSums): void {
  const restored = new Map(Object.entries(found.tables));
  const faults = Object.entries(expected.tables)
    .filter(([name, { rows, sum }]) => restored.get(name)?.rows !== rows || restored.get(name)?.sum !== sum)
    .map(([name]) => name);
  if (expected.objects !== found.objects || expected.objectBytes !== found.objectBytes) faults.push('uploaded files');
  if (faults.length > 0) throw new BackupUnreadable(`what was restored differs from the backup: ${faults.join(', ')}`);
}
