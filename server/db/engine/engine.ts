import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Extension, PGlite } from '@electric-sql/pglite';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import type { EngineStart } from './signals.ts';
import { SyncedFiles } from './synced-files.ts';

/** The embedded engine itself, in the thread that opens it. Call it for one message at a time. */
export type Engine = {
  /** Runs the bytes of one pipeline and returns the engine's bytes. After an error the engine's state is unknown. */
  run(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** A snapshot of the whole database, as a tar file. */
  image(): Promise<Uint8Array<ArrayBuffer>>;
  heapMegabytes(): number;
  close(): Promise<void>;
};

const EXTENSIONS: Record<string, Extension> = { btree_gist, pg_trgm, pgcrypto };

/**
 * A quarter of the default cache, because the engine allocates all of it at the start. Write-ahead files are recycled at 64 MB, which keeps
 * the replay after a crash short.
 */
const SETTINGS = ['shared_buffers=32MB', 'max_wal_size=64MB', 'min_wal_size=32MB'];
const MEGABYTE = 1024 * 1024;
const ANSWER_BYTES = 64 * 1024;

/** Opens the engine. Throws if its folder has held a database before and is missing now. */
export async function openEngine({
  location,
  existing,
  sync,
  program,
}: Pick<EngineStart, 'location' | 'existing' | 'sync' | 'program'>): Promise<Engine> {
  if (existing && typeof location === 'string' && !existsSync(join(location, 'PG_VERSION')))
    throw new Error(`the database in ${location} is missing`);
  const synced = sync && typeof location === 'string';
  /** `-F` turns fsync off. */
  const defaults = PGlite.defaultStartParams.filter((param) => !synced || param !== '-F');
  const settings = synced ? [...SETTINGS, 'wal_sync_method=fdatasync'] : SETTINGS;
  const engine = new PGlite({
    extensions: EXTENSIONS,
    startParams: [...defaults, ...settings.flatMap((setting) => ['-c', setting])],
    pgliteWasmModule: program,
    ...(typeof location !== 'string' ? {} : synced ? { fs: new SyncedFiles(location) } : { dataDir: location }),
    ...(location instanceof Blob ? { loadDataDir: location } : {}),
  });
  await engine.waitReady;

  let buffer = new Uint8Array(ANSWER_BYTES);
  let used = 0;
  /** Copies a chunk of the answer: the engine overwrites its own memory with the next chunk. */
  function append(chunk: Uint8Array): void {
    if (used + chunk.length > buffer.length) {
      const larger = new Uint8Array(Math.max(buffer.length * 2, used + chunk.length));
      larger.set(buffer.subarray(0, used));
      buffer = larger;
    }
    buffer.set(chunk, used);
    used += chunk.length;
  }

  return {
    async run(bytes) {
      used = 0;
      await engine.execProtocolRawStream(bytes, { syncToFs: false, onRawData: append });
      const answer = buffer.slice(0, used);
      if (buffer.length > ANSWER_BYTES * 16) buffer = new Uint8Array(ANSWER_BYTES);
      return answer;
    },
    async image() {
      const blob = await engine.dumpDataDir('none');
      return new Uint8Array(await blob.arrayBuffer());
    },
    heapMegabytes: () => Math.round(engine.Module.HEAPU8.length / MEGABYTE),
    close: () => engine.close(),
  };
}
