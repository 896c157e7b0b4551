import { createReader } from './byte-reader.ts';

/** What a backup contains, one after the other: a JSON head and bytes. */
export type BackupRecord = { readonly head: RecordHead; readonly body: Uint8Array };
export type RecordHead =
  | {
      readonly kind: 'manifest';
      readonly format: 1;
      readonly createdAt: string;
      readonly migrations: readonly string[];
    }
  /** Table rows as a JSON array of PostgreSQL row literals. */
  | { readonly kind: 'rows'; readonly table: string }
  | { readonly kind: 'sequences' }
  /** `keys.json`, or `settings.env` with the environment variables of the server. */
  | { readonly kind: 'file'; readonly name: string }
  /** An uploaded file. Only the last part has `last`. */
  | { readonly kind: 'object'; readonly key: string; readonly last: boolean }
  | { readonly kind: 'end'; readonly sums: BackupSums };
/** The number of rows of a table and the sum of their hashes, in any order. */
export type TableSum = { readonly rows: number; readonly sum: string };
/** What must be there after a restore. */
export type BackupSums = {
  readonly tables: Readonly<Record<string, TableSum>>;
  readonly objects: number;
  readonly objectBytes: number;
};

export function describeSums({ tables, objects }: BackupSums): string {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  return `${rows} rows of ${Object.keys(tables).length} tables and ${objects} files`;
}

/** Turns records into bytes. */
export async function* pack(records: AsyncIterable<BackupRecord>): AsyncGenerator<Buffer> {
  for await (const { head, body } of records) {
    const text = Buffer.from(JSON.stringify(head));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(text.length, 0);
    lengths.writeUInt32BE(body.length, 4);
    yield Buffer.concat([lengths, text, body]);
  }
}

/** Turns the bytes of `pack` back into records. */
export async function* unpack(bytes: AsyncIterable<Buffer>): AsyncGenerator<BackupRecord> {
  const read = createReader(bytes);
  for (;;) {
    const lengths = await read(8);
    const head = lengths && (await read(lengths.readUInt32BE(0)));
    const body = lengths && (await read(lengths.readUInt32BE(4)));
    if (!head || !body) return;
    yield { head: JSON.parse(head.toString()) as RecordHead, body };
  }
}
