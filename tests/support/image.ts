import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getObjects, readSchema, type Schema } from '#server/db/schema/schema.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { recordFunctions, trackFunctions } from './databases/executed-functions.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Reads the migrations and code from which this checkout builds its database. */
export function checkedOutSchema(): Promise<Schema> {
  return readSchema(join(ROOT, 'database'));
}

/** Returns a text that changes with every migration and every object of the code. */
export function getFingerprint(schema: Schema): string {
  const migrations = schema.migrations.map(({ name, checksum }) => `${name} ${checksum}`);
  return [...migrations, ...getObjects(schema).map(({ name, hash }) => `${name} ${hash}`)].join();
}

/**
 * Creates an embedded database with these migrations and returns it as one file. It lacks the template databases, which are not used here:
 * every test server unpacks this file, and they are a third of it.
 */
export async function makeImage(schema: Schema): Promise<Blob> {
  const db = await openEmbedded(null, { schema, report: () => undefined, warn: () => undefined });
  await db.query(`update pg_database set datistemplate = false where datname <> current_database()`);
  for (const name of ['template0', 'template1']) await db.script(`drop database ${name}`);
  // Everything before the checkpoint is in the tables, so the new file of the log contains all that is still needed.
  await db.query('select pg_switch_wal()');
  await db.script('checkpoint');
  const current = await db.queryRow<{ name: string }>('select pg_walfile_name(pg_current_wal_lsn()) as name');
  const image = Buffer.from(await (await db.image()).arrayBuffer());
  await db.close();
  return new Blob([withoutOldLog(image, `/pg_wal/${current?.name}`)]);
}

const BLOCK = 512;
/** The largest unit in which the engine reads its log, in bytes. */
const LOG_PAGE = 8_192;

/**
 * Returns a tar file without the files of the write-ahead log, except for the current one, whose trailing zeros are cut off. These files
 * and zeros are two thirds of the image, and opening it copies each byte several times.
 */
function withoutOldLog(tar: Buffer, current: string): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [];
  let start = 0;
  while (start < tar.length) {
    const header = Buffer.from(tar.subarray(start, start + BLOCK));
    const name = header.toString('latin1', 0, 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8) || 0;
    const end = start + BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const data = tar.subarray(start + BLOCK, start + BLOCK + size);
    if (!/^\/pg_wal\/[0-9A-F]{24}$/.test(name)) parts.push(tar.subarray(start, end));
    else if (name === current) parts.push(withSize(header, usedBytes(data)), data.subarray(0, usedBytes(data)));
    start = end;
  }
  return Buffer.concat(parts);
}

function usedBytes(data: Buffer): number {
  let end = data.length;
  while (end > 0 && data[end - 1] === 0) end -= 1;
  return Math.ceil(end / LOG_PAGE) * LOG_PAGE;
}

/** Returns the header of a file in a tar file with a different size. */
function withSize(header: Buffer, size: number): Buffer {
  header.write(`${size.toString(8).padStart(11, '0')} `, 124, 'latin1');
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

let file: Promise<string> | null = null;
let image: Promise<Blob> | null = null;

/**
 * Returns the migrated embedded database, so that test servers need not migrate. One blob per process, because making it copies its bytes.
 */
export function migratedImage(): Promise<Blob> {
  image ??= imageFile().then(async (path) => new Blob([await readFile(path)]));
  return image;
}

/**
 * Returns the path of the file with the migrated embedded database. The first caller creates the file. It is cached in node_modules under a
 * hash of the packages, the migrations and this file.
 */
export function imageFile(): Promise<string> {
  file ??= makeImageFile();
  return file;
}

async function makeImageFile(): Promise<string> {
  // Mutation tests pass a database with a fault.
  const faulty = process.env['TEST_DATABASE_IMAGE'];
  if (faulty) return faulty;
  const schema = await checkedOutSchema();
  const name = createHash('sha256').update(getFingerprint(schema));
  // The image depends on the packages and on this file.
  for (const path of [join(ROOT, 'package-lock.json'), import.meta.filename]) name.update(await readFile(path));
  const folder = join(ROOT, 'node_modules', '.cache');
  const own = `database-${name.digest('hex').slice(0, 16)}.tar`;
  const path = join(folder, own);
  if (existsSync(path)) return path;
  const image = await makeImage(schema);
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(folder))
    if (/^database-.*\.tar$/.test(file) && file !== own) await rm(join(folder, file), { force: true });
  // The rename makes the file appear whole, because another test file may read it at the same moment.
  await writeFile(`${path}.${process.pid}`, image.stream());
  await rename(`${path}.${process.pid}`, path);
  return path;
}

/** Opens a new migrated embedded database. */
export async function openMigratedDatabase(): ReturnType<typeof openEmbedded> {
  const [image, schema] = await Promise.all([migratedImage(), checkedOutSchema()]);
  const db = await openEmbedded(image, { schema, report: () => undefined, warn: () => undefined });
  await trackFunctions(db.query);
  return {
    ...db,
    async close() {
      await recordFunctions(db.query).catch((error: unknown) => {
        // A test may have closed the engine. The functions that it executed are then not listed, so the check can only be too strict.
        if (!String(error).includes('the database is closed')) throw error;
      });
      await db.close();
    },
  };
}

/** Unpacks the image into a new folder, which is much faster than creating a database there. */
export async function migratedFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await promisify(execFile)('tar', ['-xf', await imageFile(), '-C', folder]);
}
