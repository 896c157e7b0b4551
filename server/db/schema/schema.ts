import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Code, type CodeObject, readCode } from './code-objects.ts';

export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

/** A released version, with the checksum of each of its migrations by name. */
export type Release = {
  readonly version: string;
  /** The commit that the release was built from. */
  readonly commit: string;
  readonly migrations: Readonly<Record<string, string>>;
  /** Set if a baseline has replaced the release's chain of migrations: the last present migration whose state that chain had reached. */
  readonly baseline?: string;
  /**
   * Set if a baseline has replaced the release's chain: the views, triggers and policies of the release, by their hash in `database/code`.
   * They are not loaded again.
   */
  readonly code?: Readonly<Record<string, string>>;
};

/** Everything that makes up a database of this version. */
export type Schema = {
  /** The version of the program. */
  readonly version: string;
  readonly migrations: readonly Migration[];
  readonly code: Code;
  /** All releases, the newest last. */
  readonly releases: readonly Release[];
};

/** Reads the folder `database`. */
export async function readSchema(folder: string): Promise<Schema> {
  const [migrations, code, released] = await Promise.all([
    readMigrations(folder),
    readCode(join(folder, 'code')),
    readFile(join(folder, 'released.json'), 'utf8'),
  ]);
  const releases: readonly Release[] = JSON.parse(released);
  const { version }: { version: string } = JSON.parse(await readFile(join(folder, '..', 'package.json'), 'utf8'));
  return { version, migrations, code, releases };
}

/** Reads the migrations of the folder `database` from files `NNNN_noun.sql`, in order, without reading the code. */
export async function readMigrations(database: string): Promise<Migration[]> {
  const folder = join(database, 'migrations');
  const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z_-]+\.sql$/.test(file)).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), 'utf8');
      return { name: file.slice(0, -4), sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** Returns all objects of the code. */
export const getObjects = ({ code }: Schema): readonly CodeObject[] => [...code.beforeTables, ...code.others];

/** Returns a short text that changes with every migration and every object of the code. */
export function getFingerprint(schema: Schema): string {
  const migrations = schema.migrations.map(({ name, checksum }) => `${name} ${checksum}`);
  const objects = getObjects(schema).map(({ name, hash }) => `${name} ${hash}`);
  return createHash('sha256')
    .update([...migrations, ...objects].join())
    .digest('hex')
    .slice(0, 16);
}
