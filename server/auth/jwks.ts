import type { AuthParts } from './auth-parts.ts';
import type { Operation } from './request.ts';

/** `GET /.well-known/jwks.json`: the public keys of access tokens; clients keep them for ten minutes. */
export function createJwks({ keys }: AuthParts): Operation {
  return (c) => Promise.resolve(c.json(keys.jwks(), 200, { 'cache-control': 'public, max-age=600' }));
}
