import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';

/** What a backup contains, one after the other: a JSON head and bytes. */
export type BackupRecord = { readonly head: RecordHead; readonly body: Uint8Array };
export type RecordHead =
  | {
      readonly kind: 'manifest';
      readonly format: 1;
      readonly createdAt: string;
      readonly migrations: readonly string[];
    }
  /** Rows of a table as PostgreSQL's text of a row, a JSON list. */
  | { readonly kind: 'rows'; readonly table: string }
  | { readonly kind: 'sequences' }
  /** `keys.json`, or `settings.env` with the environment variables of the server. */
  | { readonly kind: 'file'; readonly name: string }
  /** An uploaded file. Only the last part has `last`. */
  | { readonly kind: 'object'; readonly key: string; readonly last: boolean }
  | { readonly kind: 'end'; readonly sums: BackupSums };
/** What must be there after a restore. `tables`: rows and the sum of their hashes, in any order. */
export type BackupSums = {
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly sum: string }>>;
  readonly objects: number;
  readonly objectBytes: number;
};

export function describeSums({ tables, objects }: BackupSums): string {
  const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
  return `${rows} rows of ${Object.keys(tables).length} tables and ${objects} files`;
}

/** Turns records into compressed bytes. */
export function pack(records: AsyncIterable<BackupRecord>): Readable {
  async function* plain(): AsyncGenerator<Uint8Array> {
    for await (const { head, body } of records) {
      const text = Buffer.from(JSON.stringify(head));
      const lengths = Buffer.alloc(8);
      lengths.writeUInt32BE(text.length, 0);
      lengths.writeUInt32BE(body.length, 4);
      yield lengths;
      yield text;
      yield body;
    }
  }
  const source = Readable.from(plain());
  const zip = createGzip({ level: 5 });
  source.on('error', (error) => zip.destroy(error));
  // Thrown where it is read, which begins later.
  zip.on('error', () => undefined);
  return source.pipe(zip);
}

/** Turns the bytes of `pack` back into records. */
export async function* unpack(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BackupRecord> {
  const source = Readable.from(bytes);
  const unzip = createGunzip();
  source.on('error', (error) => unzip.destroy(error));
  unzip.on('error', () => undefined);
  source.pipe(unzip);
  let parts: Buffer[] = [];
  let size = 0;
  let needed = 8;
  for await (const chunk of unzip) {
    parts.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    let all = Buffer.concat(parts);
    for (;;) {
      needed = 8;
      if (all.length < needed) break;
      const [headLength, bodyLength] = [all.readUInt32BE(0), all.readUInt32BE(4)];
      needed = 8 + headLength + bodyLength;
      if (all.length < needed) break;
      yield {
        head: JSON.parse(all.subarray(8, 8 + headLength).toString()) as RecordHead,
        body: all.subarray(8 + headLength, needed),
      };
      all = all.subarray(needed);
    }
    parts = [all];
    size = all.length;
  }
}
