import type { Database } from '#server/db/database.ts';
import type { Clock } from '#server/http/caller.ts';
import type { IdentityChecks, IdReader, ObjectStore, PictureDecoder } from '#server/providers/ports.ts';
import type { CheckQueue } from './check-queue.ts';

/** What the operations of ID checks work with. */
export type IdentityContext = {
  readonly db: Database;
  readonly reader: IdReader;
  readonly pictures: Pick<PictureDecoder, 'repack'>;
  /** Where photos wait for the reader. */
  readonly queue: CheckQueue;
  /** The hosted check; null: photos only. */
  readonly checks: IdentityChecks | null;
  /** Keeps the photos that staff have to review. */
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly siteUrl: string;
};
