import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Locks } from '#server/providers/ports.ts';
import type { Sealer } from '../seal.ts';

/** What the operations of access codes work with. */
export type AccessContext = {
  readonly db: Database;
  readonly locks: Locks;
  /** Studio id → lock id. */
  readonly lockOf: ReadonlyMap<string, string>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
};
