import type { Migration, Release, Schema } from './schema.ts';

/**
 * The database belongs to another version of the program. The message is one line for the operator and names the version that can start.
 */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

export type UpgradePlan = {
  /**
   * Migrations whose tables the database already has, although they never ran there: the chain of an earlier release created the same
   * tables.
   */
  readonly adopted: readonly Migration[];
  /** The earlier release that had this chain. */
  readonly adoptedFrom?: Release;
  /** Migrations that have not run. */
  readonly pending: readonly Migration[];
};

/**
 * Plans the upgrade of a database to this version. `recorded`: its migrations, checksum by name. Throws `MigrationRefused` if this version
 * cannot serve the database: a migration has changed since it ran, an unknown one precedes the last of ours, or the chain of an earlier
 * release was not finished. Unknown migrations after ours belong to a newer version, which only adds to the database.
 */
export function planUpgrade(recorded: ReadonlyMap<string, string>, schema: Schema): UpgradePlan {
  refuseOtherVersion(recorded, schema);
  const release = releaseToAdopt(recorded, schema);
  const missing = schema.migrations.filter(({ name }) => !recorded.has(name));
  if (release?.baseline === undefined) return { adopted: [], pending: missing };
  const { baseline } = release;
  const adopted = missing.filter(({ name }) => name <= baseline);
  const pending = missing.filter(({ name }) => name > baseline);
  return adopted.length === 0 ? { adopted, pending } : { adopted, adoptedFrom: release, pending };
}

function refuseOtherVersion(recorded: ReadonlyMap<string, string>, { migrations, releases }: Schema): void {
  for (const { name, checksum } of migrations)
    if ((recorded.get(name) ?? checksum) !== checksum)
      throw new MigrationRefused(
        `migration ${name} has changed since it ran on this database; start the version that wrote this data`,
      );
  const listed = new Set([
    ...migrations.map(({ name }) => name),
    ...releases.flatMap((release) => Object.keys(release.migrations)),
  ]);
  const last = migrations.at(-1)?.name ?? '';
  const unknown = [...recorded.keys()].find((name) => !listed.has(name) && name < last);
  if (unknown !== undefined)
    throw new MigrationRefused(
      `the database has the unknown migration ${unknown}; start the version that wrote this data`,
    );
}

/** Returns the earlier release whose chain this database has, if a baseline replaced that chain. */
function releaseToAdopt(recorded: ReadonlyMap<string, string>, { releases }: Schema): Release | undefined {
  const earlier = releases.find(
    ({ baseline, migrations }) => baseline !== undefined && Object.keys(migrations).some((name) => recorded.has(name)),
  );
  if (earlier === undefined) return undefined;
  const differing = Object.entries(earlier.migrations).find(([name, checksum]) => recorded.get(name) !== checksum);
  if (differing !== undefined)
    throw new MigrationRefused(
      `the database is older than version ${earlier.version} (migration ${differing[0]} is missing or differs); ` +
        `start commit ${earlier.commit} once, then this version`,
    );
  return earlier;
}
