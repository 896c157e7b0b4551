import type { AuthContext } from '../core/context.ts';
import type { Operation } from '../core/request.ts';

/** `GET /.well-known/jwks.json`: the public keys of access tokens; clients keep them for ten minutes. */
export function createJwks({ keys }: AuthContext): Operation {
  return (c) => {
    c.header('cache-control', 'public, max-age=600');
    return Promise.resolve(c.json(keys.jwks()));
  };
}
