import type { Encryption } from '#server/crypto/encryption.ts';
import type { Fingerprint } from '#server/crypto/fingerprint.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Locks } from '#server/providers/ports.ts';

/** What the operations of access codes work with. */
export type AccessContext = {
  readonly db: Database;
  readonly locks: Locks;
  /** Studio id → lock id. */
  readonly lockOf: ReadonlyMap<string, string>;
  readonly encryption: Encryption;
  /** Fingerprints of PINs, to find one again. */
  readonly fingerprint: Fingerprint;
  readonly clock: Clock;
  readonly log: Log;
};
