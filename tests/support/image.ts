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

/** Reads what the database of this checkout is made of. */
export function checkedOutSchema(): Promise<Schema> {
  return readSchema(join(ROOT, 'database'));
}

/** Returns a text that changes with every migration and every object of the code. */
export function getFingerprint(schema: Schema): string {
  const migrations = schema.migrations.map(({ name, checksum }) => `${name} ${checksum}`);
  return [...migrations, ...getObjects(schema).map(({ name, hash }) => `${name} ${hash}`)].join();
}

/**
 * Creates an embedded database with these migrations and returns it as one file. Without the template databases, which nothing here uses:
 * every test server unpacks this file, and they are a third of it.
 */
export async function makeImage(schema: Schema): Promise<Blob> {
  const db = await openEmbedded(null, { schema, report: () => undefined, warn: () => undefined });
  await db.query(`update pg_database set datistemplate = false where datname <> current_database()`);
  for (const name of ['template0', 'template1']) await db.script(`drop database ${name}`);
  await db.script('checkpoint');
  const image = await db.image();
  await db.close();
  return image;
}

let file: Promise<string> | null = null;
let image: Promise<Blob> | null = null;

/** Returns the migrated embedded database, so that test servers need not migrate. One blob per process: making it copies its bytes. */
export function migratedImage(): Promise<Blob> {
  image ??= imageFile().then(async (path) => new Blob([await readFile(path)]));
  return image;
}

/**
 * Returns the file of the migrated embedded database. The first caller creates it; it is cached in node_modules under a hash of the
 * packages and migrations.
 */
function imageFile(): Promise<string> {
  file ??= makeImageFile();
  return file;
}

async function makeImageFile(): Promise<string> {
  // Mutation tests pass a database with a fault.
  const faulty = process.env['TEST_DATABASE_IMAGE'];
  if (faulty) return faulty;
  const schema = await checkedOutSchema();
  const name = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  name.update(getFingerprint(schema));
  const folder = join(ROOT, 'node_modules', '.cache');
  const own = `database-${name.digest('hex').slice(0, 16)}.tar`;
  const path = join(folder, own);
  if (existsSync(path)) return path;
  const made = await makeImage(schema);
  await mkdir(folder, { recursive: true });
  for (const one of await readdir(folder))
    if (/^database-.*\.tar$/.test(one) && one !== own) await rm(join(folder, one), { force: true });
  // Rename in one step: another test file may read it at the same moment.
  await writeFile(`${path}.${process.pid}`, made.stream());
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
        // A test may have closed the engine. What it executed is then not listed, so that the check can only be too strict.
        if (!String(error).includes('the database is closed')) throw error;
      });
      await db.close();
    },
  };
}

/** Unpacks the image into a new folder: much faster than creating a database there. */
export async function migratedFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await promisify(execFile)('tar', ['-xf', await imageFile(), '-C', folder]);
}
