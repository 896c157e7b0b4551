import type { Clock, Log } from '#server/http/caller.ts';
import type { BodyBudget } from '#server/http/bodies/bodies.ts';
import type { JsonBudget } from '#server/http/bodies/json-budget.ts';
import type { Accounts } from '../core/accounts.ts';
import type { Authorization, Changes, Messages } from '../core/ports.ts';
import type { RealtimeOptions } from '../core/options.ts';
import type { TokenVerifier } from '../core/token.ts';
import type { Topics } from '../topics/topics.ts';
import type { SessionEnds } from './session-ends.ts';

/** Dependencies of the sockets and channels. */
export type RealtimeContext = {
  readonly settings: RealtimeOptions;
  /** The public address of the site whose pages may connect. */
  readonly siteUrl: string;
  readonly tokens: TokenVerifier;
  readonly sessionAlive: (sessionId: string) => Promise<boolean>;
  readonly sessionEnds: SessionEnds;
  readonly accounts: Accounts;
  /** Memory for bodies of calls: up to 1 MiB counted by address, larger ones by account. `perMinute` limits the bytes per minute. */
  readonly bodies: { readonly small: BodyBudget; readonly large: BodyBudget; readonly perMinute: JsonBudget };
  readonly topics: Topics;
  readonly authorization: Authorization;
  readonly messages: Messages;
  readonly changes: Changes;
  /** Counters for `/metrics`. */
  readonly counts: { refused: number };
  readonly clock: Clock;
  readonly log: Log;
};
