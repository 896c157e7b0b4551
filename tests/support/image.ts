import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Migration, readMigrations } from '#server/db/migrate.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Reads the migrations of this checkout, in order. */
export function checkedOutMigrations(): Promise<Migration[]> {
  return readMigrations(join(ROOT, 'database', 'migrations'));
}

/** Creates an embedded database with these migrations and returns it as one file. */
export async function makeImage(migrations: readonly Migration[]): Promise<Blob> {
  const db = await openEmbedded(null, { migrations, report: () => undefined, warn: () => undefined });
  const image = await db.image();
  await db.close();
  return image;
}

/**
 * Returns the migrated embedded database, so that test servers need not migrate. The first caller creates it; it is cached in node_modules
 * under a hash of the packages and migrations.
 */
export async function migratedImage(): Promise<Blob> {
  // Mutation tests pass a database with a fault.
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
  // Rename in one step: another test file may read it at the same moment.
  await writeFile(`${file}.${process.pid}`, image.stream());
  await rename(`${file}.${process.pid}`, file);
  return image;
}

/** Opens an embedded database from an image, or an empty one, and runs the missing migrations. */
export function openImage(image: Blob | null, migrations: readonly Migration[]): ReturnType<typeof openEmbedded> {
  return openEmbedded(image, { migrations, report: () => undefined, warn: () => undefined });
}

/** Opens a new migrated embedded database. */
export async function openMigratedDatabase(): ReturnType<typeof openEmbedded> {
  return openImage(await migratedImage(), await checkedOutMigrations());
}

/** Unpacks the image into a new folder: much faster than creating a database there. */
export async function migratedFolder(folder: string): Promise<void> {
  const image = await migratedImage();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = `${folder}.tar`;
  await writeFile(file, image.stream());
  await promisify(execFile)('tar', ['-xf', file, '-C', folder]);
  await rm(file);
}
