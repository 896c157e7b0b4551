import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getFingerprint, readSchema, type Schema } from '#server/db/schema/schema.ts';
import { makeImage, unpackImage } from '#server/db/engine/image.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';
import { recordFunctions, trackFunctions } from './databases/executed-functions.ts';

export { makeImage };

const ROOT = join(import.meta.dirname, '..', '..');

/** Reads the migrations and code from which this checkout builds its database. */
export function checkedOutSchema(): Promise<Schema> {
  return readSchema(join(ROOT, 'database'));
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
  // The image depends on the packages and on the program that makes it.
  for (const path of ['package-lock.json', 'server/db/engine/image.ts']) name.update(await readFile(join(ROOT, path)));
  const folder = join(ROOT, 'node_modules', '.cache');
  const own = `database-${name.digest('hex').slice(0, 16)}.tar`;
  const path = join(folder, own);
  if (existsSync(path)) return path;
  const image = await makeImage(schema);
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(folder))
    if (/^database-.*\.tar$/.test(file) && file !== own) await rm(join(folder, file), { force: true });
  // The rename makes the file appear whole, because another test file may read it at the same moment.
  await writeFile(`${path}.${process.pid}`, image);
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
  unpackImage(await readFile(await imageFile()), folder);
}
