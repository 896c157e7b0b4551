import type { Caller } from '#server/http/caller.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { signedIn } from '../requests.ts';

/** Returns the account and session of the caller. Throws `Refusal` for a token without a session. */
export function readOwnSession(caller: Caller): { userId: string; sessionId: string } {
  const { userId } = signedIn(caller);
  if (caller.sessionId === null) throw new Refusal('not_signed_in', 'Please sign in first.');
  return { userId, sessionId: caller.sessionId };
}
