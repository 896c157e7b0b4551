import type { Database } from '#server/db/database.ts';
import { type SchemaCache, readSchemaCache } from './schema-cache.ts';
import type { Prepared } from '../prepare.ts';
import { readSettings, type RestSettings, type RoleSettings } from '../settings.ts';

/** What is known of one state of the database: its settings and catalogue, and the plans made against it by request shape. */
export type CachedSchema = {
  readonly settings: RestSettings;
  readonly roles: RoleSettings;
  readonly schemaCache: SchemaCache;
  readonly plans: Map<string, Prepared>;
};
export type SchemaCacheLoader = { now(): Promise<CachedSchema>; reload(): void };

/** Odd shapes push out the oldest plans, never the memory's limit. */
const PLANS_MAX = 1_000;

/**
 * Reads settings and catalogue when they are first needed, and again after `notify pgrst` with 'reload schema', 'reload config' or
 * nothing, as PostgREST does. `settings`: those of the environment, which the database may overrule.
 */
export function createSchemaCacheLoader(
  db: Database,
  given: RestSettings,
  warn: (line: string) => void,
): SchemaCacheLoader {
  let cached: Promise<CachedSchema> | null = null;
  let listening: Promise<unknown> | null = null;
  const reload = (): void => {
    cached = null;
  };
  const read = async (): Promise<CachedSchema> => {
    // Listening starts before reading, so that no change falls between the two.
    listening ??= db.listen('pgrst', (payload) => {
      if (payload === '' || payload === 'reload schema' || payload === 'reload config') reload();
    });
    await listening.catch((error: unknown) => {
      listening = null;
      throw error;
    });
    return db.transaction(async ({ query }) => {
      const { settings, roles } = await readSettings(query, given, warn);
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

/** The plan for a shape, made once. */
export function planOnce(plans: Map<string, Prepared>, key: string, make: () => Prepared): Prepared {
  const found = plans.get(key);
  if (found) return found;
  const made = make();
  const [oldest] = plans.keys();
  if (plans.size >= PLANS_MAX && oldest !== undefined) plans.delete(oldest);
  plans.set(key, made);
  return made;
}
