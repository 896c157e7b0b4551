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

/** The dependencies of the auth handlers. */
export type AuthContext = {
  readonly db: Database;
  readonly limits: TakeLimit;
  readonly queue: MessageQueue;
  readonly codes: OneTimeCodes;
  /** Checks a new password. Throws the API's refusal. */
  readonly checkPassword: (password: string) => void;
  readonly captcha: Captcha | null;
  /** Sends codes that a signed-in user requests. Messages that anybody can cause go through the queue. */
  readonly texts: TextMessages;
  readonly tokens: OneTimeTokens;
  readonly sessions: Sessions;
  readonly flows: Flows;
  /** Enabled identity providers by their API name. */
  readonly providers: ReadonlyMap<string, SignInProvider>;
  /** SAML identity providers; empty: single sign-on is disabled. */
  readonly ssoProviders: readonly SingleSignOn[];
  readonly readCaller: ReadCaller;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: AuthConfig;
};
