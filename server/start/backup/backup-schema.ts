import type { Schema } from '#server/db/schema/schema.ts';
import { BackupUnreadable } from './encrypted-file.ts';

/**
 * Returns the schema that the rows of a backup fit: that of the version that made the backup. `ran`: the migrations of that version, in
 * order. The schema of an older backup has only the code that its tables need, because other code may read columns that the backup lacks;
 * the next start migrates the database and loads the code. Throws `BackupUnreadable` if the backup was made by a newer version or before
 * the first release.
 */
export function toBackupSchema(ran: readonly string[], schema: Schema): Schema {
  const chain = schema.releases.find(
    ({ baseline, migrations }) => baseline !== undefined && ran.some((name) => Object.hasOwn(migrations, name)),
  );
  if (chain !== undefined && ran.length < Object.keys(chain.migrations).length)
    throw new BackupUnreadable(
      `the backup was made before ${chain.version}; restore it with the version of commit ${chain.commit} and make a new one`,
    );
  const names = new Set([...schema.migrations.map(({ name }) => name), ...Object.keys(chain?.migrations ?? {})]);
  const unknown = ran.find((name) => !names.has(name));
  if (unknown !== undefined)
    throw new BackupUnreadable(`the backup was made by a newer version, with the migration ${unknown}`);
  const last = [chain?.baseline ?? '', ran.at(-1) ?? ''].toSorted().at(-1) ?? '';
  const migrations = schema.migrations.filter(({ name }) => name <= last);
  if (migrations.length === schema.migrations.length) return schema;
  return { ...schema, migrations, code: { ...schema.code, others: [] } };
}
