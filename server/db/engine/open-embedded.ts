import { migrate, type OpenOptions } from '../schema/migrate.ts';
import type { Migrator } from '../schema/migrator.ts';
import { startMaintenance } from './maintenance.ts';
import { createPglite, type DataLocation, type Embedded, type PgliteOptions } from './pglite.ts';

/** Opens the embedded database and migrates it; runs maintenance for a database in a folder until it closes. */
export async function openEmbedded(location: DataLocation, options: OpenOptions & PgliteOptions): Promise<Embedded> {
  const engine = await createPglite(location, options);
  try {
    await migrate(toMigrator(engine), options.schema, options.report);
  } catch (error) {
    await engine.close();
    throw error;
  }
  if (typeof location !== 'string') return engine;
  const maintenance = startMaintenance(engine, options);
  return {
    ...engine,
    async close() {
      await maintenance.stop();
      await engine.close();
    },
  };
}

/** Returns the operations that migrating an embedded database needs. */
export function toMigrator(engine: Pick<Embedded, 'script' | 'query'>): Migrator {
  return {
    script: (sql) => engine.script(sql),
    rows: async (sql) => (await engine.query<Record<string, unknown>>(sql)).rows,
  };
}
