import type { Database } from '#server/db/database.ts';
import { readSchemaCache } from '../schema-cache/schema-cache.ts';
import type { SchemaCache } from '../schema-cache/schema.ts';
import type { Prepared } from './prepared.ts';
import { readSettings, type RestSettings, type RoleSettings } from '../core/settings.ts';

/** One state of the database: its settings and schema cache, and the plans made against them by request shape. */
export type CachedSchema = {
  readonly settings: RestSettings;
  readonly roles: RoleSettings;
  readonly schemaCache: SchemaCache;
  readonly plans: Map<string, Prepared>;
};
export type SchemaCacheLoader = { now(): Promise<CachedSchema>; reload(): void };

/**
 * Reads settings and schema cache on first use, and again after `notify pgrst` with 'reload schema', 'reload config' or an empty payload,
 * as PostgREST does. `fromEnvironment`: settings that the database may override.
 */
export function createSchemaCacheLoader(
  db: Database,
  fromEnvironment: RestSettings,
  warn: (line: string) => void,
): SchemaCacheLoader {
  let cached: Promise<CachedSchema> | null = null;
  let listening: Promise<unknown> | null = null;
  const reload = (): void => {
    cached = null;
  };
  const read = async (): Promise<CachedSchema> => {
    // Listen before reading, so that no change is missed in between.
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
      return { settings, roles, schemaCache, plans: new Map() };
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
