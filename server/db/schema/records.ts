import type { Migrator } from './migrator.ts';

/** A database's records about its own schema. Reading them changes nothing and waits for no other transaction. */
type Reader = Pick<Migrator, 'rows'>;

/** An object of the code as it was loaded last. `retiredIn`: the first release without the object; null while it is part of the code. */
export type CodeRecord = {
  readonly name: string;
  readonly hash: string;
  readonly release: string;
  readonly retiredIn: string | null;
};

/** Reads the migrations that ran. Returns the checksum of each by its name. */
export async function readMigrationRecords(engine: Reader): Promise<ReadonlyMap<string, string>> {
  if (!(await exists(engine, 'private.migrations'))) return new Map();
  const rows = await engine.rows('select name, checksum from private.migrations');
  return new Map(rows.map((row) => [String(row['name']), String(row['checksum'])]));
}

/** Reads the objects of the code that were loaded. */
export async function readCodeRecords(engine: Reader): Promise<readonly CodeRecord[]> {
  if (!(await exists(engine, 'private.code_object'))) return [];
  const rows = await engine.rows('select name, hash, release, retired_in from private.code_object');
  return rows.map((row) => ({
    name: String(row['name']),
    hash: String(row['hash']),
    release: String(row['release']),
    retiredIn: typeof row['retired_in'] === 'string' ? row['retired_in'] : null,
  }));
}

async function exists(engine: Reader, table: string): Promise<boolean> {
  const [row] = await engine.rows(`select to_regclass('${table}') is not null as "exists"`);
  return row?.['exists'] === true;
}
