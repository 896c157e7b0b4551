import { type Caller, type Clock, type ReadCaller, TokenRefused } from './caller.ts';
import type { Keys } from './keys.ts';

/** Whether a session still lives; asked of the database, remembered for at most half a second. */
export type SessionWatch = {
  alive(sessionId: string): Promise<boolean>;
  /** Ends the memory of sessions at once, in this process. */
  forget(sessionIds: readonly string[]): void;
};

const REMEMBERED_MS = 500;
const REMEMBERED_MAX = 10_000;

export function createSessionWatch(ask: (sessionId: string) => Promise<boolean>): SessionWatch {
  // The question is kept, not its answer: `forget` then also drops one that is still under way, and a crowd asks once.
  const known = new Map<string, { alive: Promise<boolean>; at: number }>();
  return {
    alive(sessionId) {
      const found = known.get(sessionId);
      if (found && performance.now() - found.at < REMEMBERED_MS) return found.alive;
      const asked = { alive: ask(sessionId), at: performance.now() };
      known.delete(sessionId); // so that the order of the map is the order of asking
      if (known.size >= REMEMBERED_MAX) dropOldest(known);
      known.set(sessionId, asked);
      asked.alive.catch(() => {
        if (known.get(sessionId) === asked) known.delete(sessionId); // whoever awaits it hears of the failure
      });
      return asked.alive;
    },
    forget(sessionIds) {
      for (const id of sessionIds) known.delete(id);
    },
  };
}

function dropOldest(map: Map<string, unknown>): void {
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}

/** Reads who calls from `Authorization` and `apikey`, as supabase-js sends them (wire.md 1). */
export function createReadCaller(parts: { keys: Keys; sessions: SessionWatch; clock: Clock }): ReadCaller {
  const { keys, sessions, clock } = parts;
  return async (request, ip) => {
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const token = bearer ?? request.headers.get('apikey');
    if (!token) throw new TokenRefused('no_api_key', 'No API key found in request');
    const claims = await keys.verify(token, clock());
    if (!claims) throw new TokenRefused('bad_jwt', 'invalid JWT: unable to verify the token');
    const role = claims['role'];
    if (role === 'authenticated') return person(claims, ip);
    if (role === 'anon' || role === 'service_role') {
      return { role, userId: null, sessionId: null, claims, claimsJson: JSON.stringify(claims), ip };
    }
    throw new TokenRefused('bad_jwt', 'invalid JWT: unknown role');
  };

  async function person(claims: Readonly<Record<string, unknown>>, ip: string): Promise<Caller> {
    const { sub, session_id: sessionId } = claims;
    if (typeof sub !== 'string' || typeof sessionId !== 'string')
      throw new TokenRefused('bad_jwt', 'invalid JWT: claims missing');
    if (!(await sessions.alive(sessionId)))
      throw new TokenRefused('session_not_found', 'Session from session_id claim in JWT does not exist');
    return { role: 'authenticated', userId: sub, sessionId, claims, claimsJson: JSON.stringify(claims), ip };
  }
}
