import type { Keys } from '#server/crypto/keys.ts';
import type { Database } from '#server/db/database.ts';
import type { Clock, ReadCaller } from '#server/http/caller.ts';
import type { TakeLimit } from '#server/http/limits.ts';
import type { SessionWatch } from '#server/http/token.ts';
import type { Letterhead } from '#server/mails/layout.ts';
import type { Captcha, Mail, SignInProvider, SingleSignOn, TextMessages } from '#server/providers/ports.ts';
import type { AuthConfig } from './config.ts';
import type { MessageQueue } from './message-queue.ts';

/** Dependencies of the auth API. They are the first argument of its functions. */
export type AuthContext = {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly config: AuthConfig;
  readonly limits: TakeLimit;
  /** Called before each refresh, by IP address (`ip:203.0.113.7`): returns null, or the whole seconds to wait. */
  readonly admitRefresh: (key: string) => Promise<number | null>;
  readonly readCaller: ReadCaller;
  /** The cache of live sessions. Drop ended sessions from it, so that this process refuses them immediately. */
  readonly sessions: SessionWatch;
  readonly queue: MessageQueue;
  readonly mail: Mail;
  /** Returns the current sender details for mails. */
  readonly letterhead: () => Letterhead;
  /** Sends codes that a signed-in user requests. Messages that anyone can cause go through the queue instead. */
  readonly texts: TextMessages;
  /** Null if no captcha is required. */
  readonly captcha: Captcha | null;
  /** Whether a password is in the operator's list of breached ones. */
  readonly isBreached: (password: string) => boolean;
  /** Enabled identity providers by their API name. */
  readonly providers: ReadonlyMap<string, SignInProvider>;
  /** SAML identity providers. If there are none, single sign-on is disabled. */
  readonly ssoProviders: readonly SingleSignOn[];
};
