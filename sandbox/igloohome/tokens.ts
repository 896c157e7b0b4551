import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Core } from '../core/core.ts';

const PREFIX = 'igloohomeapi/';
/** The scopes that the sandbox client owns. */
const OWNED = [
  'algopin-hourly',
  'algopin-daily',
  'algopin-permanent',
  'algopin-onetime',
  'create-pin-bridge-proxied-job',
  'delete-pin-bridge-proxied-job',
  'lock-bridge-proxied-job',
  'unlock-bridge-proxied-job',
  'get-devices',
  'get-job-status',
  'get-properties',
  'get-device-status-bridge-proxied-job',
  'get-battery-level-bridge-proxied-job',
  'get-activity-logs-bridge-proxied-job',
  'get-device-activity',
] as const;
export type Scope = (typeof OWNED)[number];

const LIFE_SECONDS = 86_400;

export type Tokens = {
  /** `POST /oauth2/token` */
  issue(request: Request): Promise<Response>;
  /**
   * Returns null if the request is allowed, otherwise 401 for a missing or unknown token or 403 for an expired token or a missing scope.
   */
  refuse(request: Request, scope: Scope): Response | null;
};

/** Issues and checks tokens for client credentials. They look like JWTs and survive a restart. */
export function createTokens(core: Core, client: { id: string; secret: string }, tokenKey: string): Tokens {
  const signature = (text: string): string => createHmac('sha256', tokenKey).update(text).digest('base64url');
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = (): number => Math.floor(core.now().getTime() / 1000);

  function sign(scopes: readonly string[]): string {
    const claims = {
      sub: client.id,
      token_use: 'access',
      scope: scopes.join(' '),
      iat: seconds(),
      exp: seconds() + LIFE_SECONDS,
      jti: randomUUID(),
    };
    const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
    return `${text}.${signature(text)}`;
  }

  function read(token: string): { scope: string; exp: number } | null {
    const [head = '', claims = '', signed = ''] = token.split('.');
    const expected = Buffer.from(signature(`${head}.${claims}`));
    const given = Buffer.from(signed);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    return JSON.parse(Buffer.from(claims, 'base64url').toString());
  }

  return {
    async issue(request) {
      const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
      if (request.headers.get('authorization') !== basic) return refuse(401, 'invalid_client');
      if (!(request.headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded'))
        return refuse(400, 'invalid_request');
      const form = new URLSearchParams(await request.text());
      if (form.get('grant_type') !== 'client_credentials') return refuse(400, 'unsupported_grant_type');
      const owned = OWNED.map((scope) => PREFIX + scope);
      const requested = (form.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
      // A single scope that the client does not own fails the exchange. An empty list means all scopes.
      if (requested.some((scope) => !owned.includes(scope))) return refuse(400, 'invalid_scope');
      const access_token = sign(requested.length > 0 ? requested : owned);
      return Response.json({ access_token, expires_in: LIFE_SECONDS, token_type: 'Bearer' });
    },
    refuse(request, scope) {
      const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
      const claims = token === undefined ? null : read(token);
      if (!claims) return Response.json({ message: 'Unauthorized' }, { status: 401 });
      if (claims.exp <= seconds()) return Response.json({ message: 'The token has expired' }, { status: 403 });
      return claims.scope.split(' ').includes(PREFIX + scope)
        ? null
        : Response.json({ message: `The token lacks ${PREFIX}${scope}` }, { status: 403 });
    },
  };
}

const refuse = (status: number, error: string): Response => Response.json({ error }, { status });
