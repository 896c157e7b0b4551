import type { Database } from '#server/db/database.ts';
import type { Clock, Log, ReadCaller } from '#server/http/caller.ts';
import type { Keys } from '#server/crypto/keys.ts';
import type { TakeLimit } from '#server/http/limits.ts';
import type { AuthConfig } from './config.ts';
import type { Captcha, SignInProvider, SingleSignOn, TextMessages } from '#server/providers/ports.ts';
import type { OneTimeCodes } from '../codes/one-time-codes.ts';
import type { Flows } from '../external/flows.ts';
import type { MessageQueue } from '../codes/message-queue.ts';
import type { OneTimeTokens } from '../codes/one-time-tokens.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** What an operation of the auth door works with. */
export type AuthContext = {
  readonly db: Database;
  readonly limits: TakeLimit;
  readonly queue: MessageQueue;
  readonly codes: OneTimeCodes;
  /** Whether a new password may be chosen; throws what the protocol says against it. */
  readonly checkPassword: (password: string) => void;
  readonly captcha: Captcha | null;
  /** For codes that are asked for by somebody signed in; what strangers may cause goes through the queue. */
  readonly texts: TextMessages;
  readonly tokens: OneTimeTokens;
  readonly sessions: Sessions;
  readonly flows: Flows;
  /** Identity providers that are switched on, by their names on the wire. */
  readonly providers: ReadonlyMap<string, SignInProvider>;
  /** Identity providers of employers; empty: single sign-on is switched off. */
  readonly ssoProviders: readonly SingleSignOn[];
  readonly readCaller: ReadCaller;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: AuthConfig;
};
