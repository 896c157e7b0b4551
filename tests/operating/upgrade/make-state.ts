import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { runBackup } from '#server/start/backup/run.ts';
import { migratedFolder } from '#tests/support/image.ts';
import { type OwnPostgres, startOwnPostgres } from '#tests/support/postgres.ts';
import { freePorts } from '#tests/support/test-server.ts';
import { fill, PASSPHRASE } from './contents.ts';
import { openAsOwner, readRows } from './rows.ts';
import { toConfig, openStateServer, type StatePlace } from './state-server.ts';

/**
 * Makes the state of the version that is checked out here: `node make-state.ts embedded FILE` or `node make-state.ts PostgreSQL FILE`.
 * README.md describes its contents.
 */

const DAYS_BEFORE = 4;
/** Sizes in bytes of the write-ahead log's files, of its pages, and of the most that the last checkpoint may have written. */
const [SEGMENT, PAGE, LAST] = [16 * 1024 * 1024, 8_192, 512 * 1024];

const [engine, file] = process.argv.slice(2);
if ((engine !== 'embedded' && engine !== 'PostgreSQL') || file === undefined)
  throw new Error('Name the engine and a file: node make-state.ts embedded FILE');

const folder = mkdtempSync(join(tmpdir(), 'state-'));
const dataDir = join(folder, 'data');
mkdirSync(dataDir, { mode: 0o700 });
const postgres = engine === 'PostgreSQL' ? await startPostgres() : null;
try {
  await makeState({ dataDir, databaseUrl: postgres?.url ?? null }, postgres?.server ?? null);
  const names = ['state.json', 'studio.backup', 'data', ...(postgres ? ['dump.sql'] : [])];
  const tar = execFileSync('tar', ['-c', '--sort=name', '--owner=0', '--group=0', ...names], {
    cwd: folder,
    maxBuffer: 1_000_000_000,
  });
  writeFileSync(file, compress(tar));
} finally {
  postgres?.server.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function startPostgres(): Promise<{ server: OwnPostgres; url: string }> {
  const server = startOwnPostgres(await freePorts());
  const { port } = new URL(server.url);
  server.run('createdb', '-h', '127.0.0.1', '-p', port, '-U', 'postgres', 'studio');
  return { server, url: server.url.replace(/\/postgres$/, '/studio') };
}

async function makeState(place: StatePlace, server: OwnPostgres | null): Promise<void> {
  if (server === null) await migratedFolder(join(dataDir, 'database'));
  const present = new Date();
  const program = await openStateServer(place, new Date(present.getTime() - DAYS_BEFORE * 86_400_000));
  const facts = await fill(program, present);
  await program.close();
  const config = toConfig(place, { BACKUP_PASSPHRASE: PASSPHRASE });
  await runBackup(config, join(folder, 'studio.backup'), () => undefined);
  const { rows, logEnd } = await openAsOwner(place, async (read) => ({
    rows: await readRows(read),
    logEnd: await read(`select (pg_current_wal_lsn() - '0/0')::text as bytes`),
  }));
  if (server === null) await emptyOldLog(Number(logEnd[0]?.['bytes']));
  else dump(server, place.databaseUrl ?? '');
  writeFileSync(join(folder, 'state.json'), JSON.stringify({ ...facts, rows }, null, 1));
}

/**
 * Zeroes the write-ahead log before and after its last checkpoint, which nothing reads once the database is closed, but which makes up most
 * of the compressed state. `logEnd` is the position in bytes at which the log ended shortly before the database was closed.
 */
async function emptyOldLog(logEnd: number): Promise<void> {
  const logs = join(dataDir, 'database', 'pg_wal');
  const current = logEnd - (logEnd % SEGMENT);
  for (const name of readdirSync(logs).filter((file) => /^[\dA-F]{24}$/.test(file))) {
    const start = (parseInt(name.slice(8, 16), 16) * 256 + parseInt(name.slice(16), 16)) * SEGMENT;
    if (start > current) rmSync(join(logs, name));
    if (start !== current) continue;
    const used = logEnd - start - ((logEnd - start) % PAGE);
    const file = await open(join(logs, name), 'r+');
    await file.write(Buffer.alloc(Math.max(0, used - PAGE)), 0, null, PAGE);
    await file.write(Buffer.alloc(Math.max(0, SEGMENT - used - LAST)), 0, null, used + LAST);
    await file.close();
  }
}

/** Dumps the database to a file. PostgreSQL's programs may write only to its own folder. */
function dump(server: OwnPostgres, url: string): void {
  const written = join(server.data, '..', 'dump.sql');
  server.run('pg_dump', '-f', written, url);
  copyFileSync(written, join(folder, 'dump.sql'));
}

function compress(bytes: Uint8Array): Uint8Array {
  const { ZSTD_c_compressionLevel: level, ZSTD_c_windowLog: windowLog } = constants;
  return zstdCompressSync(bytes, { params: { [level]: 19, [windowLog]: 27 } });
}
