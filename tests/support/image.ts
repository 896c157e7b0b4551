import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Migration, readMigrations } from '#server/db/migrate.ts';
import { openEmbedded } from '#server/db/open.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Reads the migrations of this checkout, in order. */
export function checkedOutMigrations(): Promise<Migration[]> {
  return readMigrations(join(ROOT, 'database', 'migrations'));
}

/** Makes an embedded database with these migrations and answers it as one file. */
export async function makeImage(migrations: readonly Migration[]): Promise<Blob> {
  const db = await openEmbedded(null, { migrations, say: () => undefined, warn: () => undefined });
  const image = await db.image();
  await db.close();
  return image;
}

/**
 * The embedded database as the migrations leave it, which saves every world of the tests from making it anew. The first who asks makes it;
 * it is kept beside the packages, under a name that only the same packages and the same migrations have.
 */
export async function migratedImage(): Promise<Blob> {
  // Mutation tests hand in a database with a fault in it.
  const faulty = process.env['TEST_DATABASE_IMAGE'];
  if (faulty) return new Blob([await readFile(faulty)]);
  const migrations = await checkedOutMigrations();
  const name = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  for (const { checksum } of migrations) name.update(checksum);
  const folder = join(ROOT, 'node_modules', '.cache');
  const own = `database-${name.digest('hex').slice(0, 16)}.tar`;
  const file = join(folder, own);
  if (existsSync(file)) return new Blob([await readFile(file)]);
  const image = await makeImage(migrations);
  await mkdir(folder, { recursive: true });
  for (const one of await readdir(folder))
    if (/^database-.*\.tar$/.test(one) && one !== own) await rm(join(folder, one), { force: true });
  // Written whole or not at all: another test file may ask at the same moment.
  await writeFile(`${file}.${process.pid}`, image.stream());
  await rename(`${file}.${process.pid}`, file);
  return image;
}

/** Opens an embedded database from an image, or an empty one, and runs the migrations that it has not seen. */
export function openImage(image: Blob | null, migrations: readonly Migration[]): ReturnType<typeof openEmbedded> {
  return openEmbedded(image, { migrations, say: () => undefined, warn: () => undefined });
}

/** Opens an embedded database of its own, as the migrations leave it. */
export async function openMigratedDatabase(): ReturnType<typeof openEmbedded> {
  return openImage(await migratedImage(), await checkedOutMigrations());
}

/** Writes the image into a new folder, which an embedded database then opens much faster than it makes an empty one. */
export async function migratedFolder(folder: string): Promise<void> {
  const image = await migratedImage();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = `${folder}.tar`;
  await writeFile(file, image.stream());
  await promisify(execFile)('tar', ['-xf', file, '-C', folder]);
  await rm(file);
}
