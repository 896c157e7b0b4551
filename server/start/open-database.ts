import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '#server/db/database.ts';
import { lockDirectory } from '#server/db/directory-lock.ts';
import { EngineNotOpened } from '#server/db/engine/engine-thread.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import type { PgliteOptions } from '#server/db/engine/pglite.ts';
import type { OpenOptions } from '#server/db/schema/migrate.ts';
import { readSchema } from '#server/db/schema/schema.ts';
import { openPostgres } from '#server/db/postgres/open-postgres.ts';
import { DEFAULT_QUEUE } from '#server/db/postgres/postgres-schedulers.ts';
import { unpackPrepared } from './data-dir/prepared-database.ts';

/** The folder of the code that runs inside the database: migrations, functions and initial rows. */
export const DATABASE = new URL('../../database/', import.meta.url).pathname;

/** Which database to open: a PostgreSQL server, or the embedded database under `dataDir`. */
export type DatabaseConfig = {
  readonly databaseUrl: string | null;
  /** The address of a pooler in front of the database; null without one. */
  readonly pooledUrl?: string | null;
  /** A streaming replica that serves reads by guests. */
  readonly replica?: { readonly url: string; readonly maxLagMs: number } | null;
  readonly dataDir: string;
  readonly databaseWaitSeconds: number;
  /** Embedded database only: every commit waits until it is on disk. */
  readonly sync?: boolean;
  readonly poolSize: number;
  /** See `server/config/database.ts`. */
  readonly queue: { readonly waiting: number; readonly quickMs: number };
};

/** An embedded database in memory: the image to start from, or a database that is already open. */
export type Memory = Blob | Database;

/**
 * Opens the configured database and applies missing migrations. The embedded database is locked until it is closed. `memory`: an image to
 * start from in memory instead, or a database that is already open. Throws `DirectoryLocked` if another process has the embedded database
 * open.
 */
export async function openDatabase(
  {
    databaseUrl,
    pooledUrl = null,
    replica = null,
    databaseWaitSeconds: waitSeconds,
    dataDir,
    sync = false,
    poolSize,
    queue,
  }: DatabaseConfig,
  { memory, ...options }: Omit<OpenOptions, 'schema'> & PgliteOptions & { readonly memory?: Memory | undefined },
): Promise<Database> {
  const schema = await readSchema(DATABASE);
  if (databaseUrl !== null)
    return openPostgres(databaseUrl, {
      ...options,
      schema,
      waitSeconds,
      pooledUrl,
      replica,
      poolSize,
      queue: { ...DEFAULT_QUEUE, ...queue },
    });
  if (memory && !(memory instanceof Blob)) return memory;
  if (memory) return openEmbedded(memory, { ...options, schema, waiting: queue.waiting });
  const unlock = await lockDirectory(dataDir);
  try {
    const folder = join(dataDir, 'database');
    await unpackPrepared(folder, schema, sync);
    const db = await openEmbedded(folder, {
      ...options,
      schema,
      sync,
      waiting: queue.waiting,
    });
    return {
      ...db,
      async close() {
        await db.close();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    if (error instanceof EngineNotOpened) await refuseFullDisk(dataDir);
    throw error;
  }
}

/** The engine writes files of 16 MB. */
const FILE_BYTES = 16 * 1024 * 1024;

/** The engine does not report why it cannot write. Throws `ENOSPC` if the disk has no room for the engine's next file. */
async function refuseFullDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= FILE_BYTES) return;
  const free = Math.floor((bavail * bsize) / 1024 ** 2);
  throw Object.assign(new Error(`${free} MB are left at ${folder}`), { code: 'ENOSPC' });
}
