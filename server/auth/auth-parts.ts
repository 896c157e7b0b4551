import type { Database } from '#server/db/database.ts';
import type { Clock, Log, ReadCaller } from '#server/http/caller.ts';
import type { Keys } from '#server/http/keys.ts';
import type { TakeLimit } from '#server/http/limits.ts';
import type { AuthConfig } from './auth-config.ts';
import type { MailQueue } from './codes/mail-queue.ts';
import type { OneTimeTokens } from './codes/one-time-tokens.ts';
import type { Sessions } from './sessions/sessions.ts';

/** What an operation of the auth door works with. */
export type AuthParts = {
  readonly db: Database;
  readonly limits: TakeLimit;
  readonly queue: MailQueue;
  readonly tokens: OneTimeTokens;
  readonly sessions: Sessions;
  readonly readCaller: ReadCaller;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: AuthConfig;
};
