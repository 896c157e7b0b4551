import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Migration = { readonly name: string; readonly sql: string; readonly checksum: string };

export type OpenOptions = {
  readonly migrations: readonly Migration[];
  /** Called with a line about each migration before it runs. */
  readonly report: (line: string) => void;
  /** Called with a line about each fault that does not stop the database. */
  readonly warn: (line: string) => void;
};

/** What the migrator needs of an engine: both run a script of many statements as the migrating role. */
export type Migrator = {
  script(sql: string): Promise<void>;
  rows(sql: string): Promise<readonly Record<string, unknown>[]>;
};

/** Reads migrations from files `NNNN_noun.sql`, in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z_-]+\.sql$/.test(file)).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), 'utf8');
      return { name: file.slice(0, -4), sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

const LEDGER = `
create schema if not exists private;
create table if not exists private.migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now());
`;

/** The database was migrated by another version of the program. The message is one line for the operator. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
  constructor(fault: string) {
    super(
      `${fault}; start the version that wrote this data, or begin with a new DATA_DIR or an empty database in DATABASE_URL`,
    );
  }
}

/**
 * Applies missing migrations, each file in its own transaction; returns the names applied. Throws `MigrationRefused`, before it changes
 * anything, when the database has a migration that is not in the list or has changed since it ran.
 */
export async function migrate(
  engine: Migrator,
  migrations: readonly Migration[],
  report: (line: string) => void,
): Promise<string[]> {
  await engine.script(LEDGER);
  const ledger = await engine.rows('select name, checksum from private.migrations');
  const recorded = new Map(ledger.map((row) => [String(row['name']), String(row['checksum'])]));
  refuseOtherVersion(recorded, migrations);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (recorded.has(migration.name)) continue;
    report(`migrating ${migration.name}`);
    await engine
      .script(
        `begin;\n${migration.sql}\n;insert into private.migrations (name, checksum) values ('${migration.name}', '${migration.checksum}');\ncommit;`,
      )
      .catch((cause: unknown) => {
        throw new Error(`migration ${migration.name}: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause: cause instanceof Error ? cause.message : cause,
        });
      });
    applied.push(migration.name);
  }
  return applied;
}

function refuseOtherVersion(recorded: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  for (const [name, checksum] of recorded) {
    const current = checksums.get(name);
    if (current === undefined) throw new MigrationRefused(`the database has the unknown migration ${name}`);
    if (current !== checksum) throw new MigrationRefused(`migration ${name} has changed since it ran on this database`);
  }
}
