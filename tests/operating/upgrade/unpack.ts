import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createZstdDecompress } from 'node:zlib';
import { runRestoreFile } from '#server/start/backup/run.ts';
import { createTestDatabase } from '#tests/support/postgres.ts';
import type { Facts } from './contents.ts';
import type { TableRows } from './rows.ts';
import { toConfig, type StatePlace } from './state-server.ts';

/** A database that the test may change at will. */
export type Place = StatePlace & { remove(): Promise<void> };
/** The state of an earlier version at the time when that version stopped. */
export type State = Place & {
  readonly facts: Facts & { readonly rows: Readonly<Record<string, TableRows>> };
  /** A backup of the same database by `npm run backup`. */
  readonly backup: string;
};
export type EngineName = 'embedded' | 'PostgreSQL';

const quiet = (): void => undefined;
const ENGINES: readonly string[] = ['embedded', 'PostgreSQL'] satisfies EngineName[];
export const isEngine = (name: string): name is EngineName => ENGINES.includes(name);

/** Unpacks the state of a version. On PostgreSQL the dump is restored into a new database. */
export async function unpackState(version: string, engine: EngineName): Promise<State> {
  const empty = await createPlace(engine);
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  const archive = join(folder, 'state.tar');
  const file = join(import.meta.dirname, `${version}-${engine}.tar.zst`);
  await pipeline(createReadStream(file), createZstdDecompress(), createWriteStream(archive));
  await promisify(execFile)('tar', ['-x', '-f', archive, '-C', folder]);
  await rm(archive);
  const place = { dataDir: join(folder, 'data'), databaseUrl: empty.databaseUrl };
  if (place.databaseUrl !== null) await runRestoreFile(toConfig(place), join(folder, 'dump.sql'), quiet);
  return {
    ...place,
    facts: JSON.parse(await readFile(join(folder, 'state.json'), 'utf8')),
    backup: join(folder, 'studio.backup'),
    async remove() {
      await empty.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates an empty data folder, and on PostgreSQL an empty database. */
export async function createPlace(engine: EngineName): Promise<Place> {
  const database = engine === 'PostgreSQL' ? await createTestDatabase() : null;
  if (engine === 'PostgreSQL' && database === null) throw new Error('PostgreSQL is not available');
  const folder = await mkdtemp(join(tmpdir(), 'place-'));
  return {
    dataDir: join(folder, 'data'),
    databaseUrl: database?.url ?? null,
    async remove() {
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
