import { LRUCache } from 'lru-cache';
import { type Caller, type Clock, type ReadCaller, TokenRefused } from './caller.ts';
import type { Keys } from '#server/crypto/keys.ts';

/** Checks whether a session is alive. Answers are cached for half a second. */
export type SessionWatch = {
  alive(sessionId: string): Promise<boolean>;
  /** Drops sessions from the cache of this process. */
  forget(sessionIds: readonly string[]): void;
};

const CACHE_MS = 500;
const CACHE_MAX = 10_000;

export function createSessionWatch(isAlive: (sessionId: string) => Promise<boolean>): SessionWatch {
  // The cache holds the promise, not its result, so that concurrent callers share one query and `forget` also drops a query that is still
  // running.
  const cache = new LRUCache<string, { alive: Promise<boolean>; at: number }>({ max: CACHE_MAX });
  return {
    alive(sessionId) {
      const cached = cache.get(sessionId);
      if (cached && performance.now() - cached.at < CACHE_MS) return cached.alive;
      const entry = { alive: isAlive(sessionId), at: performance.now() };
      cache.set(sessionId, entry);
      entry.alive.catch(() => {
        if (cache.peek(sessionId) === entry) cache.delete(sessionId); // the callers that await it see the error
      });
      return entry.alive;
    },
    forget(sessionIds) {
      for (const id of sessionIds) cache.delete(id);
    },
  };
}

/** The claims of a request without a key, which is a guest's. */
const GUEST_CLAIMS = { role: 'anon' } as const;

/**
 * Reads the caller from `Authorization` and `apikey`, as supabase-js sends them. A token may carry any role; without a role it counts as
 * `anon`. `keyRequired`: whether a request without a key is refused (`no_api_key`) instead of treated as a guest.
 */
export function createReadCaller(dependencies: {
  keys: Keys;
  sessions: SessionWatch;
  clock: Clock;
  keyRequired: boolean;
}): ReadCaller {
  const { keys, sessions, clock, keyRequired } = dependencies;
  return async (request, ip) => {
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const token = bearer ?? request.headers.get('apikey');
    if (!token) {
      if (keyRequired) throw new TokenRefused('no_api_key', 'No API key found in request');
      return toCaller('anon', GUEST_CLAIMS, ip);
    }
    const claims = await keys.verify(token, clock());
    if (!claims) throw new TokenRefused('bad_jwt', `invalid JWT: ${tokenFault(token, clock())}`);
    const role = claims['role'] ?? 'anon';
    if (typeof role !== 'string' || role === '') throw new TokenRefused('bad_jwt', 'invalid JWT: unknown role');
    const caller = toCaller(role, claims, ip);
    // A token without a session id was signed directly with the key, not issued at a sign-in, so it has no session that could end.
    if (caller.sessionId !== null && !(await sessions.alive(caller.sessionId)))
      throw new TokenRefused('session_not_found', 'Session from session_id claim in JWT does not exist');
    return caller;
  };
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
/** Roles of the client keys, which belong to no user. */
const CLIENT_KEY_ROLES = new Set(['anon', 'service_role']);

function toCaller(role: string, claims: Readonly<Record<string, unknown>>, ip: string): Caller {
  const { sub, session_id: session } = claims;
  return {
    role,
    userId: !CLIENT_KEY_ROLES.has(role) && typeof sub === 'string' && UUID.test(sub) ? sub : null,
    sessionId: typeof session === 'string' && session !== '' ? session : null,
    claims,
    claimsJson: toJson(claims),
    ip,
  };
}

/** The JSON of claims by their object, which stays the same while the token is cached. */
const jsonTexts = new WeakMap<object, string>();
function toJson(claims: Readonly<Record<string, unknown>>): string {
  const cached = jsonTexts.get(claims);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(claims);
  jsonTexts.set(claims, text);
  return text;
}

/** Returns the reason why a token was refused, in GoTrue's words. The token's content is not trusted; it only selects the message. */
function tokenFault(token: string, now: Date): string {
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
