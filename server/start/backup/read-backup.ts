import { createReadStream } from 'node:fs';
import { BackupUnreadable, decrypt } from './encrypted-file.ts';
import { type BackupRecord, type BackupSums, type RecordHead, unpack } from './records.ts';
import { beginLoading, loadRows, loadSequences, type Sql } from './tables.ts';

type Manifest = Extract<RecordHead, { kind: 'manifest' }>;
/** Where a backup goes. */
type BackupTarget = {
  /** Statements of one transaction on a database with the migrations of the backup. */
  readonly sql: Sql;
  file(name: string, bytes: Uint8Array): Promise<void>;
  object(key: string, bytes: Uint8Array): Promise<void>;
};

/** Reads what a backup was made of. Throws `BackupUnreadable`. */
export async function readManifest(file: string, passphrase: string): Promise<Manifest> {
  for await (const { head } of unpack(decrypt(createReadStream(file), passphrase)))
    if (head.kind === 'manifest') return head;
  throw new BackupUnreadable('the backup is cut off or damaged');
}

/** Reads a backup into a target, rows in the transaction of `target.sql`. Returns what has to be there. Throws `BackupUnreadable`. */
export function readBackup(file: string, passphrase: string, target: BackupTarget): Promise<BackupSums> {
  return applyRecords(unpack(decrypt(createReadStream(file), passphrase)), target);
}

/** Writes records into a target, rows in the transaction of `target.sql`. Returns what has to be there. Throws `BackupUnreadable`. */
export async function applyRecords(records: AsyncIterable<BackupRecord>, target: BackupTarget): Promise<BackupSums> {
  let sums: BackupSums | null = null;
  let finish: (() => Promise<void>) | null = null;
  let parts: Uint8Array[] = [];
  for await (const { head, body } of records) {
    if (head.kind === 'manifest') finish = await beginLoading(target.sql);
    else if (head.kind === 'rows') await loadRows(target.sql, head.table, JSON.parse(textOf(body)) as string[]);
    else if (head.kind === 'sequences')
      await loadSequences(target.sql, JSON.parse(textOf(body)) as { name: string; value: string }[]);
    else if (head.kind === 'file') await target.file(head.name, body);
    else if (head.kind === 'object') {
      parts.push(Buffer.from(body));
      if (!head.last) continue;
      await target.object(head.key, Buffer.concat(parts));
      parts = [];
    } else sums = head.sums;
  }
  if (!sums || !finish) throw new BackupUnreadable('the backup is cut off or damaged');
  await finish();
  return sums;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
