import type { Database, Queryable } from '#server/db/database.ts';
import { readSchemaCache } from '../schema-cache/schema-cache.ts';
import type { SchemaCache } from '../schema-cache/schema.ts';
import { createPlans, type Plans } from './prepared.ts';
import { readSettings, type RestConfig, type RoleSettings } from '../core/config.ts';

/** One state of the database: its settings and schema cache, and the plans that were made for them, by request shape. */
export type CachedSchema = {
  readonly settings: RestConfig;
  readonly roles: RoleSettings;
  readonly schemaCache: SchemaCache;
  readonly plans: Plans;
  /** Returns the names of all time zones that the database supports. Reads them on first use. */
  readonly timeZones: () => Promise<ReadonlySet<string>>;
};
export type SchemaCacheLoader = { now(): Promise<CachedSchema>; reload(): void };

/**
 * Reads settings and schema cache on first use, and again after `notify pgrst` with 'reload schema', 'reload config' or an empty payload,
 * as PostgREST does. `fromEnvironment`: settings that the database may override.
 */
export function createSchemaCacheLoader(
  db: Database,
  fromEnvironment: RestConfig,
  warn: (line: string) => void,
): SchemaCacheLoader {
  let cached: Promise<CachedSchema> | null = null;
  let listening: Promise<unknown> | null = null;
  const reload = (): void => {
    cached = null;
  };
  let zones: Promise<ReadonlySet<string>> | null = null;
  const timeZones: CachedSchema['timeZones'] = () => {
    zones ??= readTimeZones(db).catch((error: unknown) => {
      zones = null;
      throw error;
    });
    return zones;
  };
  const read = async (): Promise<CachedSchema> => {
    // Listening starts before reading, so that no change in between is missed.
    listening ??= db.listen('pgrst', (payload) => {
      if (payload === '' || payload === 'reload schema' || payload === 'reload config') reload();
    });
    await listening.catch((error: unknown) => {
      listening = null;
      throw error;
    });
    return db.transaction(async ({ query }) => {
      const { settings, roles } = await readSettings(query, fromEnvironment, warn);
      const { schemas, extraSearchPath } = settings;
      const schemaCache = await readSchemaCache(query, { schemas, searched: extraSearchPath });
      return { settings, roles, schemaCache, plans: createPlans(), timeZones };
    });
  };
  return {
    now() {
      if (cached) return cached;
      const reading = read();
      cached = reading;
      reading.catch(() => {
        if (cached === reading) reload();
      });
      return reading;
    },
    reload,
  };
}

async function readTimeZones({ query }: Queryable): Promise<ReadonlySet<string>> {
  const { rows } = await query<{ name: string }>('select name from pg_catalog.pg_timezone_names');
  return new Set(rows.map(({ name }) => name));
}
