import { getAdoptedRecords, getObjectsToLoad, getRetirement, hasNewerCode, isNewer } from './code-changes.ts';
import type { CodeObject } from './code-objects.ts';
import { findLongLocks, getCreatedTables, toPlainStatement } from './long-locks.ts';
import { runsWithoutTransaction } from './migrate.ts';
import type { Migrator } from './migrator.ts';
import { readCodeRecords, readMigrationRecords } from './records.ts';
import { getObjects, type Migration, type Schema } from './schema.ts';
import { splitStatements } from './statements.ts';
import { planUpgrade } from './upgrade-plan.ts';

/** A migration that would run. `longLocks`: one line for each statement that locks a table while it reads or writes all of its rows. */
type MigrationPreview = {
  readonly name: string;
  readonly withoutTransaction: boolean;
  readonly longLocks: readonly string[];
};

/** The changes that the start of this version would make in a database. The lists hold names of functions, views, triggers and policies. */
export type UpgradePreview = {
  /** The newest release that has changed the database; null if it is empty. */
  readonly release: string | null;
  /** Whether a newer release has loaded its code. This version then serves the database and changes none of it. */
  readonly isNewer: boolean;
  readonly migrations: readonly MigrationPreview[];
  readonly created: readonly string[];
  readonly replaced: readonly string[];
  readonly retired: readonly string[];
  readonly dropped: readonly string[];
};

/** Returns what `migrate` would do, without changing anything. Throws `MigrationRefused` if `migrate` would throw it. */
export async function previewUpgrade(engine: Pick<Migrator, 'rows'>, schema: Schema): Promise<UpgradePreview> {
  const ran = await readMigrationRecords(engine);
  const { adoptedFrom, pending } = planUpgrade(ran, schema);
  const recorded = await readCodeRecords(engine);
  const records = adoptedFrom ? [...recorded, ...getAdoptedRecords(recorded, adoptedFrom)] : recorded;
  const objects = getObjects(schema);
  const existing = await readObjectNames(engine);
  const { created = [], replaced = [] } = Object.groupBy(getObjectsToLoad(objects, records, schema.version), (object) =>
    existing.has(toCatalogueName(object)) ? 'replaced' : 'created',
  );
  const { retired, dropped } = getRetirement(objects, records, schema.version);
  return {
    release: getNewest([
      ...getFinishedReleases(new Set(ran.keys()), schema),
      ...records.flatMap(({ release, retiredIn }) => retiredIn ?? release),
    ]),
    isNewer: hasNewerCode(records, schema.version),
    migrations: previewMigrations(pending),
    created: created.map(({ name }) => name),
    replaced: replaced.map(({ name }) => name),
    retired,
    dropped,
  };
}

/** Returns the versions of the releases whose migrations have all run. */
export function getFinishedReleases(ran: ReadonlySet<string>, { releases }: Schema): string[] {
  return releases
    .filter(({ migrations }) => Object.keys(migrations).every((name) => ran.has(name)))
    .map(({ version }) => version);
}

function getNewest(versions: readonly string[]): string | null {
  return versions.reduce<string | null>((a, b) => (a === null || isNewer(b, a) ? b : a), null);
}

function previewMigrations(pending: readonly Migration[]): MigrationPreview[] {
  const newTables = new Set(pending.flatMap(({ sql }) => getCreatedTables(sql)));
  return pending.map((migration) => ({
    name: migration.name,
    withoutTransaction: runsWithoutTransaction(migration),
    longLocks: splitStatements(migration.sql).flatMap(({ text }) => {
      const statement = toPlainStatement(text);
      // The text after a colon is advice for the author of the migration.
      return findLongLocks(statement, newTables).map((lock) => `${statement.slice(0, 60)}: ${lock.split(':')[0]}`);
    }),
  }));
}

/** The functions, views, triggers and policies of a database, by kind and name without the types of arguments. */
const OBJECTS = `
with named as (
  select c.oid, c.relkind, n.nspname || '.' || c.relname as name
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema')
select 'function ' || n.nspname || '.' || p.proname as object
from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
union all select 'view ' || name from named where relkind = 'v'
union all select 'trigger ' || t.tgname || ' on ' || name
  from pg_catalog.pg_trigger t join named on named.oid = t.tgrelid where not t.tgisinternal
union all select 'policy ' || p.polname || ' on ' || name
  from pg_catalog.pg_policy p join named on named.oid = p.polrelid`;

async function readObjectNames(engine: Pick<Migrator, 'rows'>): Promise<ReadonlySet<string>> {
  return new Set((await engine.rows(OBJECTS)).map((row) => String(row['object'])));
}

const toCatalogueName = ({ name }: CodeObject): string => name.replace(/\(.*$/, '').replaceAll('"', '');
