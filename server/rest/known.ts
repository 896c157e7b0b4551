import type { Database } from '#server/db/database.ts';
import { type Catalogue, readCatalogue } from './catalogue/catalogue.ts';
import type { Prepared } from './prepare.ts';

/** What is known of one state of the database: its catalogue, and the plans made against it by request shape. */
export type Knowledge = { readonly catalogue: Catalogue; readonly plans: Map<string, Prepared> };
export type Known = { now(): Promise<Knowledge>; reload(): void };

/** Odd shapes push out the oldest plans, never the memory's limit. */
const PLANS_MAX = 1_000;

/** Reads the catalogue when it is first needed, and again after `notify pgrst, 'reload schema'`, as PostgREST does. */
export function createKnown(db: Database, schemas: readonly string[]): Known {
  let knowledge: Promise<Knowledge> | null = null;
  let listening: Promise<unknown> | null = null;
  const reload = (): void => {
    knowledge = null;
  };
  const read = async (): Promise<Knowledge> => {
    // Listening starts before reading, so that no change falls between the two.
    await (listening ??= db.listen('pgrst', (payload) => {
      if (payload === '' || payload === 'reload schema') reload();
    }));
    return { catalogue: await readCatalogue(db.query, schemas), plans: new Map() };
  };
  return {
    now() {
      if (knowledge) return knowledge;
      const reading = read();
      knowledge = reading;
      reading.catch(() => {
        listening = null;
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
