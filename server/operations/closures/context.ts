import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';

/** What the operations of closures work with. */
export type ClosureContext = { readonly db: Database; readonly clock: Clock };
