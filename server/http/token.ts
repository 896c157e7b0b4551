import { type Caller, type Clock, type ReadCaller, TokenRefused } from './caller.ts';
import type { Keys } from '#server/crypto/keys.ts';

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

/** The guest: a request without any key. */
const GUEST_CLAIMS = { role: 'anon' } as const;

/**
 * Reads who calls from `Authorization` and `apikey`, as supabase-js sends them. A token carries any role; the role of a token without
 * one is anon. `keyRequired`: a request without any key is refused (`no_api_key`) and not taken for a guest.
 */
export function createReadCaller(parts: {
  keys: Keys;
  sessions: SessionWatch;
  clock: Clock;
  keyRequired: boolean;
}): ReadCaller {
  const { keys, sessions, clock, keyRequired } = parts;
  return async (request, ip) => {
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const token = bearer ?? request.headers.get('apikey');
    if (!token) {
      if (keyRequired) throw new TokenRefused('no_api_key', 'No API key found in request');
      return callerOf('anon', GUEST_CLAIMS, ip);
    }
    const claims = await keys.verify(token, clock());
    if (!claims) throw new TokenRefused('bad_jwt', `invalid JWT: ${whyNot(token, clock())}`);
    const role = claims['role'] ?? 'anon';
    if (typeof role !== 'string' || role === '') throw new TokenRefused('bad_jwt', 'invalid JWT: unknown role');
    const caller = callerOf(role, claims, ip);
    // A token without a session was made by whoever holds a signing key, not by signing in: it has no session that could have ended.
    if (caller.sessionId !== null && !(await sessions.alive(caller.sessionId)))
      throw new TokenRefused('session_not_found', 'Session from session_id claim in JWT does not exist');
    return caller;
  };
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
/** Client keys carry these without a person. */
const NOBODY = new Set(['anon', 'service_role']);

function callerOf(role: string, claims: Readonly<Record<string, unknown>>, ip: string): Caller {
  const { sub, session_id: session } = claims;
  return {
    role,
    userId: !NOBODY.has(role) && typeof sub === 'string' && UUID.test(sub) ? sub : null,
    sessionId: typeof session === 'string' && session !== '' ? session : null,
    claims,
    claimsJson: JSON.stringify(claims),
    ip,
  };
}

/** Why a token was refused, in GoTrue's words. What stands in the token is not trusted: it only chooses the sentence. */
function whyNot(token: string, now: Date): string {
  const [, payload, ...rest] = token.split('.');
  if (payload === undefined || rest.length !== 1)
    return 'unable to parse or verify signature, token is malformed: token contains an invalid number of segments';
  try {
    const { exp }: { exp?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) ?? {};
    if (typeof exp === 'number' && exp * 1000 < now.getTime())
      return 'unable to parse or verify signature, token has invalid claims: token is expired';
  } catch {
    return 'unable to parse or verify signature, token is malformed: could not JSON decode claim';
  }
  return 'unable to parse or verify signature, token signature is invalid: signature is invalid';
}
