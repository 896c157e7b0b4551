import type { Clock, Log } from '#server/http/caller.ts';
import type { Authorization, Changes, Messages } from '../core/ports.ts';
import type { RealtimeSettings } from '../core/settings.ts';
import type { VerifyToken } from '../core/token.ts';
import type { Topics } from '../topics/topics.ts';

/** What the sockets and channels work with. */
export type RealtimeContext = {
  readonly settings: RealtimeSettings;
  readonly verify: VerifyToken;
  readonly sessionAlive: (sessionId: string) => Promise<boolean>;
  readonly topics: Topics;
  readonly authorization: Authorization;
  readonly messages: Messages;
  readonly changes: Changes;
  /** Counted for `/metrics`. */
  readonly counts: { refused: number };
  readonly clock: Clock;
  readonly log: Log;
};
