import { type CodeObject, objectsIn } from '#server/db/schema/code-objects.ts';
import { getObjects, type Schema } from '#server/db/schema/schema.ts';

/** A migration or a code object, as one script. */
export type Source = { readonly name: string; readonly sql: string };

/** Returns the sources that create the database. */
export function getSources(schema: Schema): Source[] {
  const objects = getObjects(schema).map(({ name, statements }) => ({ name, sql: `${statements.join(';\n')};` }));
  return [...schema.migrations.map(({ name, sql }) => ({ name, sql })), ...objects];
}

/**
 * Returns the schema with a different text for one source. Checksums and hashes stay the same, because the tests must regard the database
 * as up to date.
 */
export function withSource(schema: Schema, { name, sql }: Source): Schema {
  const changed = (objects: readonly CodeObject[]): CodeObject[] =>
    objects.flatMap((object) =>
      object.name === name ? objectsIn(sql, name).map((other) => ({ ...other, hash: object.hash })) : [object],
    );
  return {
    ...schema,
    migrations: schema.migrations.map((migration) => (migration.name === name ? { ...migration, sql } : migration)),
    code: { beforeTables: changed(schema.code.beforeTables), others: changed(schema.code.others) },
  };
}
