import { dropRetired, loadCode, recordCode } from './load-code.ts';
import type { Migrator } from './migrator.ts';
import { readMigrationRecords } from './records.ts';
import { type Migration, getObjects, type Schema } from './schema.ts';
import { splitStatements } from './statements.ts';
import { planUpgrade } from './upgrade-plan.ts';

export type OpenOptions = {
  readonly schema: Schema;
  /** Called with a line about each migration before it runs. */
  readonly report: (line: string) => void;
  /** Called with a line about each fault that does not prevent the database from working. */
  readonly warn: (line: string) => void;
};

/** Idempotent. Under the default privileges of an earlier release, the server could write the record of its own code. */
const LEDGER = `
create schema if not exists private;
create table if not exists private.migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now());
do $ledger$
begin
  if to_regclass('private.code_object') is null then
    create table private.code_object (
      name text primary key, hash text not null, release text not null, loaded_at timestamptz not null default now(),
      retired_in text);
    revoke all on private.code_object from public;
    if exists (select from pg_catalog.pg_roles where rolname = 'backend') then
      revoke all on private.code_object from backend;
    end if;
  end if;
end $ledger$;
`;

/** The result of an upgrade: the migrations that ran and the objects of the code that were loaded. */
export type Upgrade = { readonly migrations: readonly string[]; readonly objects: readonly string[] };

/**
 * Brings a database to this version: applies missing migrations, each in its own transaction, and loads the code that has changed. The code
 * that tables need is loaded after the first migration, which creates the schemas, and the rest after the last. Idempotent. Throws
 * `MigrationRefused`, before it changes anything, when this version cannot serve the database. Adopted migrations are recorded last, because the earlier
 * release refuses to start on a database that has them.
 */
export async function migrate(engine: Migrator, schema: Schema, report: (line: string) => void): Promise<Upgrade> {
  const { adopted, adoptedFrom, pending } = planUpgrade(await readMigrationRecords(engine), schema);
  await engine.script(LEDGER);
  if (adoptedFrom) await recordCode(engine, adoptedFrom);
  const first = schema.migrations[0];
  const apply = async (migration: Migration): Promise<void> => {
    report(`migrating ${migration.name}`);
    await run(engine, migration);
  };
  for (const migration of pending) if (migration === first) await apply(migration);
  const early = await loadCode(engine, schema.code.beforeTables, schema.version);
  for (const migration of pending) if (migration !== first) await apply(migration);
  const late = await loadCode(engine, schema.code.others, schema.version);
  await dropRetired(engine, getObjects(schema), schema.version);
  if (adopted.length > 0) await engine.script(`begin;\n${adopted.map(toRecord).join('\n')}\ncommit;`);
  return { migrations: pending.map(({ name }) => name), objects: [...early, ...late] };
}

const toRecord = ({ name, checksum }: Migration): string =>
  `insert into private.migrations (name, checksum) values ('${name}', '${checksum}');`;

/** The first line of a migration whose statements, such as `create index concurrently`, cannot run in a transaction. */
const WITHOUT_TRANSACTION = /^-- Runs without a transaction\b/;
export const runsWithoutTransaction = ({ sql }: Migration): boolean => WITHOUT_TRANSACTION.test(sql);

/**
 * Runs a migration and records it. After a failure, a migration without a transaction runs again as a whole, so each of its statements must
 * be idempotent.
 */
async function run(engine: Migrator, migration: Migration): Promise<void> {
  try {
    if (runsWithoutTransaction(migration)) {
      for (const { text } of splitStatements(migration.sql)) await engine.script(text);
      await engine.script(toRecord(migration));
    } else await engine.script(`begin;\n${migration.sql}\n;${toRecord(migration)}\ncommit;`);
  } catch (cause) {
    throw new Error(`migration ${migration.name}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause: cause instanceof Error ? cause.message : cause,
    });
  }
}
