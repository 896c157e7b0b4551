import type { Release, Schema } from '#server/db/schema/schema.ts';

/**
 * Returns the releases with one more: the version of `schema`, built from `commit`, with the checksum of each of its migrations. Throws if
 * the version is already recorded, is older than the last release, or has no section in the changelog.
 */
export function addRelease(
  { version, migrations, releases }: Schema,
  commit: string,
  changelog: string,
): readonly Release[] {
  if (releases.some((release) => release.version === version))
    throw new Error(`${version} is in database/released.json already; a release never changes.`);
  const last = releases.at(-1)?.version ?? '';
  if (version.localeCompare(last, 'en', { numeric: true }) < 0)
    throw new Error(`${version} of package.json is older than the last release, ${last}.`);
  if (!changelog.split('\n').some((line) => line === `## ${version}` || line.startsWith(`## ${version},`)))
    throw new Error(`CHANGELOG.md has no section ${version}.`);
  const checksums = migrations.map(({ name, checksum }) => [name, checksum] as const);
  return [...releases, { version, commit, migrations: Object.fromEntries(checksums) }];
}
