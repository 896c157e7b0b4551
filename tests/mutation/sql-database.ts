import pg from 'pg';
import { migrate } from '#server/db/schema/migrate.ts';
import { createTestDatabase } from '#tests/support/postgres.ts';
import { describeCatalogue } from '#tests/support/schema.ts';
import type { Schema } from '#server/db/schema/schema.ts';

/** A migrated database, with the URL of its superuser and a description of everything in it. */
export type Migrated = { readonly url: string; readonly catalogue: string; drop(): Promise<void> };

/** Creates a database with this schema. Throws if PostgreSQL refuses a statement. */
export async function migrateNew(schema: Schema): Promise<Migrated> {
  const database = await createTestDatabase();
  if (!database) throw new Error('The faults are tried on PostgreSQL: TEST_POSTGRES_URL must lead to a server.');
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const rows = (text: string): Promise<Record<string, unknown>[]> => client.query(text).then((result) => result.rows);
  let refused = false;
  try {
    await migrate({ script: async (text) => void (await rows(text)), rows }, schema, () => undefined);
    return { ...database, catalogue: await describeCatalogue(rows) };
  } catch (error) {
    refused = true;
    throw error;
  } finally {
    await client.end();
    if (refused) await database.drop();
  }
}
