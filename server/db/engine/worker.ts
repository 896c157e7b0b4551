import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type Extension, PGlite } from '@electric-sql/pglite';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { type EngineStart, type FromEngine, SIGNALS, type ToEngine } from './signals.ts';
import { SyncedFiles } from './synced-files.ts';

/**
 * Runs the embedded engine in a worker thread: receives the bytes of one pipeline at a time and returns the engine's bytes; the main thread
 * encodes and decodes both. An error here ends the worker, and the main thread starts another.
 */

const EXTENSIONS: Record<string, Extension> = { btree_gist, pg_trgm, pgcrypto };

/**
 * A quarter of the default cache, because the engine allocates all of it at the start. Write-ahead files are recycled at 64 MB, which keeps
 * the replay after a crash short.
 */
const SETTINGS = ['shared_buffers=32MB', 'max_wal_size=64MB', 'min_wal_size=32MB'];
const MEGABYTE = 1024 * 1024;
const ANSWER_BYTES = 64 * 1024;

const port = parentPort;
if (port === null) throw new Error('this file is a worker');
// Cast: the main thread always starts this file with an `EngineStart`.
const start = workerData as EngineStart;
const signals = new Int32Array(start.signals);

if (start.existing && typeof start.location === 'string' && !existsSync(join(start.location, 'PG_VERSION')))
  throw new Error(`the database in ${start.location} is missing`);

const synced = start.sync && typeof start.location === 'string';
/** `-F` turns fsync off. */
const defaults = PGlite.defaultStartParams.filter((param) => !synced || param !== '-F');
const settings = synced ? [...SETTINGS, 'wal_sync_method=fdatasync'] : SETTINGS;
const engine = new PGlite({
  extensions: EXTENSIONS,
  startParams: [...defaults, ...settings.flatMap((setting) => ['-c', setting])],
  pgliteWasmModule: start.program,
  ...(typeof start.location !== 'string'
    ? {}
    : synced
      ? { fs: new SyncedFiles(start.location) }
      : { dataDir: start.location }),
  ...(start.location instanceof Blob ? { loadDataDir: start.location } : {}),
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

const send = (message: FromEngine): void =>
  port.postMessage(message, message instanceof Uint8Array ? [message.buffer] : []);

function noteHeap(): void {
  Atomics.store(signals, SIGNALS.heapMegabytes, Math.round(engine.Module.HEAPU8.length / MEGABYTE));
}

async function runPipeline(bytes: Uint8Array): Promise<void> {
  used = 0;
  await engine.execProtocolRawStream(bytes, { syncToFs: false, onRawData: append });
  const answer = buffer.slice(0, used);
  if (buffer.length > ANSWER_BYTES * 16) buffer = new Uint8Array(ANSWER_BYTES);
  noteHeap();
  Atomics.add(signals, SIGNALS.finished, 1);
  send(answer);
}

async function sendImage(): Promise<void> {
  const blob = await engine.dumpDataDir('none');
  const bytes = new Uint8Array(await blob.arrayBuffer());
  Atomics.add(signals, SIGNALS.finished, 1);
  send(bytes);
}

async function close(): Promise<void> {
  await engine.close();
  send('closed');
  port?.close();
}

port.on('message', (message: ToEngine) => {
  // A failure ends the worker, because the engine's state is unknown after it.
  const fail = (error: unknown): void => {
    setImmediate(() => {
      throw error;
    });
  };
  if (message === 'close') close().catch(fail);
  else if (message === 'image') sendImage().catch(fail);
  else runPipeline(message).catch(fail);
});
noteHeap();
send('open');
