import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrate, type Migration, readMigrations } from '#server/db/migrate.ts';
import { openEmbedded } from '#server/db/engine/open-embedded.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Reads the migrations of this checkout, in order. */
export function checkedOutMigrations(): Promise<Migration[]> {
  return readMigrations(join(ROOT, 'database', 'migrations'));
}

/**
 * Creates an embedded database with these migrations and returns it as one file. Without the template databases, which nothing here uses:
 * every test server unpacks this file, and they are a third of it.
 */
export async function makeImage(migrations: readonly Migration[]): Promise<Blob> {
  const db = await openEmbedded(null, { migrations, report: () => undefined, warn: () => undefined });
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
  const migrations = await checkedOutMigrations();
  const name = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  for (const migration of migrations) name.update(`${migration.name} ${migration.checksum}`);
  const folder = join(ROOT, 'node_modules', '.cache');
  const own = `database-${name.digest('hex').slice(0, 16)}.tar`;
  const path = join(folder, own);
  if (existsSync(path)) return path;
  const made = await makeImage(migrations);
  await mkdir(folder, { recursive: true });
  for (const one of await readdir(folder))
    if (/^database-.*\.tar$/.test(one) && one !== own) await rm(join(folder, one), { force: true });
  // Rename in one step: another test file may read it at the same moment.
  await writeFile(`${path}.${process.pid}`, made.stream());
  await rename(`${path}.${process.pid}`, path);
  return path;
}

/** Opens an embedded database from an image, or an empty one, and runs the missing migrations. */
function openImage(image: Blob | null, migrations: readonly Migration[]): ReturnType<typeof openEmbedded> {
  return openEmbedded(image, { migrations, report: () => undefined, warn: () => undefined });
}

/** Opens a new migrated embedded database. */
export async function openMigratedDatabase(): ReturnType<typeof openEmbedded> {
  return openImage(await migratedImage(), await checkedOutMigrations());
}

/**
 * Opens a new embedded database with the migrations up to the name `last`, fills it, and runs the others, as the start of a new
 * version does.
 */
export async function openUpgraded(
  last: string,
  fill: (db: Awaited<ReturnType<typeof openEmbedded>>) => Promise<void>,
): ReturnType<typeof openEmbedded> {
  const all = await checkedOutMigrations();
  const db = await openImage(
    null,
    all.filter(({ name }) => name <= last),
  );
  await fill(db);
  const migrator = { script: (sql: string) => db.script(sql), rows: async (sql: string) => (await db.query(sql)).rows };
  await migrate(migrator, all, () => undefined);
  return db;
}

/** Unpacks the image into a new folder: much faster than creating a database there. */
export async function migratedFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await promisify(execFile)('tar', ['-xf', await imageFile(), '-C', folder]);
}
