import type { Database } from '#server/db/database.ts';
import { type Catalogue, readCatalogue } from './catalogue/catalogue.ts';
import type { Prepared } from './prepare.ts';
import { readSettings, type RestSettings, type RoleSettings } from './settings.ts';

/** What is known of one state of the database: its settings and catalogue, and the plans made against it by request shape. */
export type Knowledge = {
  readonly settings: RestSettings;
  readonly roles: RoleSettings;
  readonly catalogue: Catalogue;
  readonly plans: Map<string, Prepared>;
};
export type Known = { now(): Promise<Knowledge>; reload(): void };

/** Odd shapes push out the oldest plans, never the memory's limit. */
const PLANS_MAX = 1_000;

/**
 * Reads settings and catalogue when they are first needed, and again after `notify pgrst` with 'reload schema', 'reload config' or
 * nothing, as PostgREST does. `settings`: those of the environment, which the database may overrule.
 */
export function createKnown(db: Database, given: RestSettings, warn: (line: string) => void): Known {
  let knowledge: Promise<Knowledge> | null = null;
  let listening: Promise<unknown> | null = null;
  const reload = (): void => {
    knowledge = null;
  };
  const read = async (): Promise<Knowledge> => {
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
      const catalogue = await readCatalogue(query, { schemas, searched: extraSearchPath });
      return { settings, roles, catalogue, plans: new Map() };
    });
  };
  return {
    now() {
      if (knowledge) return knowledge;
      const reading = read();
      knowledge = reading;
      reading.catch(() => {
        if (knowledge === reading) reload();
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
