import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type Extension, PGlite } from '@electric-sql/pglite';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { type EngineStart, type FromEngine, SIGNALS, type ToEngine } from './signals.ts';

/**
 * The embedded engine in a thread of its own. It takes the bytes of one flight at a time and answers with the engine's bytes;
 * both are written and read on the main thread. An error here ends the worker, and the main thread starts another.
 */

const EXTENSIONS: Record<string, Extension> = { btree_gist, pg_trgm, pgcrypto };

/**
 * A quarter of the default cache, since the engine holds all of it from the start. Write-ahead files are recycled at 64 MB, so that
 * reading them again after a stop is short.
 */
const SETTINGS = ['shared_buffers=32MB', 'max_wal_size=64MB', 'min_wal_size=32MB'];
const MEGABYTE = 1024 * 1024;
const ANSWER_BYTES = 64 * 1024;

const port = parentPort;
if (port === null) throw new Error('this file is a worker');
// The main thread starts this file with exactly this.
const start = workerData as EngineStart;
const signals = new Int32Array(start.signals);

if (start.again && typeof start.location === 'string' && !existsSync(join(start.location, 'PG_VERSION')))
  throw new Error(`there is no database in ${start.location} any more`);

const engine = new PGlite({
  extensions: EXTENSIONS,
  startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])],
  pgliteWasmModule: start.program,
  ...(typeof start.location === 'string' ? { dataDir: start.location } : {}),
  ...(start.location instanceof Blob ? { loadDataDir: start.location } : {}),
});
await engine.waitReady;

let room = new Uint8Array(ANSWER_BYTES);
let used = 0;

/** Keeps a piece of the answer: the engine's own memory is written over by the next piece. */
function keep(piece: Uint8Array): void {
  if (used + piece.length > room.length) {
    const larger = new Uint8Array(Math.max(room.length * 2, used + piece.length));
    larger.set(room.subarray(0, used));
    room = larger;
  }
  room.set(piece, used);
  used += piece.length;
}

const say = (message: FromEngine): void =>
  port.postMessage(message, message instanceof Uint8Array ? [message.buffer] : []);

function noteHeap(): void {
  Atomics.store(signals, SIGNALS.heapMegabytes, Math.round(engine.Module.HEAPU8.length / MEGABYTE));
}

async function fly(bytes: Uint8Array): Promise<void> {
  used = 0;
  await engine.execProtocolRawStream(bytes, { syncToFs: false, onRawData: keep });
  const answer = room.slice(0, used);
  if (room.length > ANSWER_BYTES * 16) room = new Uint8Array(ANSWER_BYTES);
  noteHeap();
  Atomics.add(signals, SIGNALS.finished, 1);
  say(answer);
}

async function image(): Promise<void> {
  const blob = await engine.dumpDataDir('none');
  const bytes = new Uint8Array(await blob.arrayBuffer());
  Atomics.add(signals, SIGNALS.finished, 1);
  say(bytes);
}

async function close(): Promise<void> {
  await engine.close();
  say('closed');
  port?.close();
}

port.on('message', (message: ToEngine) => {
  // A failure ends the worker: what the engine is like after it is not known.
  const fail = (error: unknown): void => {
    setImmediate(() => {
      throw error;
    });
  };
  if (message === 'close') close().catch(fail);
  else if (message === 'image') image().catch(fail);
  else fly(message).catch(fail);
});
noteHeap();
say('open');
