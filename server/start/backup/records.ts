import { createReader } from './byte-reader.ts';

/** The contents of a backup are a sequence of records: a JSON head and bytes. */
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
  /** `keys.json`, or `settings.env` with the server's environment variables. */
  | { readonly kind: 'file'; readonly name: string }
  /** A part of an uploaded file. Only the last part has `last`. */
  | { readonly kind: 'object'; readonly key: string; readonly last: boolean }
  | { readonly kind: 'end'; readonly sums: BackupSums };
/** The number of rows in a table and the sum of their hashes, which does not depend on their order. */
export type TableSum = { readonly rows: number; readonly sum: string };
/** What a restored database must contain. */
export type BackupSums = {
  readonly tables: Readonly<Record<string, TableSum>>;
  readonly objects: number;
  readonly objectBytes: number;
};

export function describeSums({ tables, objects }: BackupSums): string {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  return `${rows} rows of ${Object.keys(tables).length} tables and ${objects} files`;
}

export async function* pack(records: AsyncIterable<BackupRecord>): AsyncGenerator<Buffer> {
  for await (const { head, body } of records) {
    const text = Buffer.from(JSON.stringify(head));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(text.length, 0);
    lengths.writeUInt32BE(body.length, 4);
    yield Buffer.concat([lengths, text, body]);
  }
}

/** The inverse of `pack`. */
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
