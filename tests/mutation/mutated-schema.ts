import { type CodeObject, objectsIn } from '#server/db/schema/code-objects.ts';
import { getObjects, type Schema } from '#server/db/schema/schema.ts';

/** A migration, or an object of the code, as one script. */
export type Source = { readonly name: string; readonly sql: string };

/** Returns everything that makes the database. */
export function getSources(schema: Schema): Source[] {
  const objects = getObjects(schema).map(({ name, statements }) => ({ name, sql: `${statements.join(';\n')};` }));
  return [...schema.migrations.map(({ name, sql }) => ({ name, sql })), ...objects];
}

/** Returns the schema with another text of one source. Checksums and hashes stay: the tests must take the database for an up-to-date one. */
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
