import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#server/config/operating/config.ts';
import { DirectoryLocked, lockDirectory } from '#server/db/directory-lock.ts';
import { toMigrator } from '#server/db/engine/open-embedded.ts';
import { createPglite, type Embedded } from '#server/db/engine/pglite.ts';
import { asReader } from '#server/db/postgres/open-postgres.ts';
import { migrate } from '#server/db/schema/migrate.ts';
import { readSchema, type Schema } from '#server/db/schema/schema.ts';
import { MigrationRefused } from '#server/db/schema/upgrade-plan.ts';
import { getFinishedReleases, previewUpgrade, type UpgradePreview } from '#server/db/schema/upgrade-preview.ts';
import { openRestored } from '../backup/restore-backup.ts';
import { requirePassphrase } from '../backup/run.ts';
import { createTemporaryFolder } from '../backup/temporary-folder.ts';
import { DATABASE } from '../open-database.ts';

type Print = (line: string) => void;

/**
 * `npm run upgrade:check`: prints what the start of this program would change in the database at DATABASE_URL, which servers may be using,
 * or in the embedded database, which must not be in use. With a file, it checks the database of that backup instead. Changes none of them.
 * Returns 0 if the start would succeed, 1 if it would be refused.
 */
export async function runUpgradeCheck(config: Config, file: string | undefined, print: Print): Promise<number> {
  const schema = await readSchema(DATABASE);
  try {
    if (file !== undefined) await checkBackup(config, file, schema, print);
    else if (config.databaseUrl === null) await checkFolder(config.dataDir, schema, print);
    else await checkPostgres(config.databaseUrl, config.databaseWaitSeconds, schema, print);
  } catch (error) {
    if (!(error instanceof MigrationRefused || error instanceof TrialFailed)) throw error;
    print(`Refused: ${error.message}`);
    return 1;
  }
  return 0;
}

async function checkPostgres(url: string, seconds: number, schema: Schema, print: Print): Promise<void> {
  const preview = await asReader(url, { seconds, report: print }, (engine) => previewUpgrade(engine, schema));
  if (printPreview(preview, schema, print))
    print('This program can upgrade the database. Nothing has been changed yet.');
}

/** Prints what the start would change. Returns whether it would change anything. */
function printPreview(preview: UpgradePreview, schema: Schema, print: Print): boolean {
  const { migrations, created, replaced, retired, dropped } = preview;
  const lines = [describeReleases(preview.release, schema), ...describeMigrations(preview), describeCode(preview)];
  lines.forEach(print);
  const changes = [migrations, created, replaced, retired, dropped].some(({ length }) => length > 0);
  if (!changes) print('There is nothing to do.');
  return changes;
}

/** The engine recovers and writes as soon as it opens a folder, so it opens a copy. */
async function checkFolder(dataDir: string, schema: Schema, print: Print): Promise<void> {
  const original = join(dataDir, 'database');
  if (!existsSync(original))
    throw new Error(`There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL to what you want to upgrade.`);
  await using opened = new AsyncDisposableStack();
  const unlock = await lockDirectory(dataDir).catch((error: unknown) => {
    throw error instanceof DirectoryLocked ? new Error(WHILE_RUNNING) : error;
  });
  opened.defer(unlock);
  const copy = join(opened.use(await createTemporaryFolder('upgrade-check-')).path, 'database');
  await cp(original, copy, { recursive: true });
  const db = await createPglite(copy, { warn: print, limits: { server: null } });
  opened.defer(() => db.close());
  const preview = await previewUpgrade(toMigrator(db), schema);
  if (printPreview(preview, schema, print)) await tryUpgrade(db, schema, print);
}
const WHILE_RUNNING =
  'A server is running, and no other program can read its embedded database. ' +
  'Stop it first, or make a backup, which needs no stop, and check that: npm run backup -- FILE && npm run upgrade:check -- FILE';

/** A backup has rows and the names of migrations, but no functions, views, triggers or policies. */
async function checkBackup(config: Config, file: string, schema: Schema, print: Print): Promise<void> {
  await using restored = await openRestored(file, requirePassphrase(config));
  const { db, migrations } = restored;
  print(describeBackup(new Set(migrations), schema));
  describeMigrations(await previewUpgrade(toMigrator(db), schema)).forEach(print);
  print('Code: not compared, because a backup has rows alone.');
  await tryUpgrade(db, schema, print);
}

/** The upgrade fails on the rows of this database. */
class TrialFailed extends Error {
  override readonly name = 'TrialFailed';
}

/** Upgrades a copy of a database. */
async function tryUpgrade(db: Embedded, schema: Schema, print: Print): Promise<void> {
  const began = performance.now();
  try {
    await migrate(toMigrator(db), schema, () => undefined);
  } catch (error) {
    throw new TrialFailed(`a copy of the database could not be upgraded: ${String(error)}`, { cause: error });
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  print(`A copy of the database was upgraded in ${seconds} s. The database itself has not been changed.`);
}

function describeReleases(release: string | null, { version }: Schema): string {
  const database = release === null ? 'The database is empty' : `The database has release ${release}`;
  return `${database}; this program is release ${version}.`;
}

function describeBackup(ran: ReadonlySet<string>, schema: Schema): string {
  const release = getFinishedReleases(ran, schema).at(-1);
  const tables = release === undefined ? `${ran.size} migrations` : `the tables of release ${release}`;
  return `The backup has ${tables}; this program is release ${schema.version}.`;
}

function describeMigrations({ migrations }: UpgradePreview): string[] {
  if (migrations.length === 0) return ['Migrations: none.'];
  return [
    `Migrations: ${migrations.length}, in this order:`,
    ...migrations.flatMap(({ name, withoutTransaction, longLocks }) => [
      `  ${name}${withoutTransaction ? ', without a transaction' : ''}`,
      ...longLocks.map((lock) => `    ${lock}`),
    ]),
  ];
}

function describeCode({ isNewer, created, replaced, retired, dropped }: UpgradePreview): string {
  if (isNewer) return 'Code: none, because that of the newer release serves this program too.';
  const changes = Object.entries({ creates: created, replaces: replaced, retires: retired, drops: dropped }).flatMap(
    ([verb, names]) => describeChange(verb, names),
  );
  return changes.length === 0 ? 'Code: none.' : `Code: ${changes.join('; ')}.`;
}

const PLURALS: ReadonlyMap<string, string> = new Map([['policy', 'policies']]);

/** Returns for example `creates 2 functions, 1 view`; an empty list without names. */
function describeChange(verb: string, names: readonly string[]): string[] {
  const kinds = Map.groupBy(names, (name) => name.split(' ')[0] ?? '');
  const counts = [...kinds].map(
    ([kind, { length }]) => `${length} ${length === 1 ? kind : (PLURALS.get(kind) ?? `${kind}s`)}`,
  );
  return counts.length === 0 ? [] : [`${verb} ${counts.join(', ')}`];
}
