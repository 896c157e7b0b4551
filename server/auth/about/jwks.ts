import type { AuthContext } from '../core/context.ts';
import type { Handler } from '../core/request.ts';

/** `GET /.well-known/jwks.json`: the public keys of access tokens. Clients may cache them for ten minutes. */
export function createJwks({ keys }: AuthContext): Handler {
  return (c) => {
    c.header('cache-control', 'public, max-age=600');
    return Promise.resolve(c.json(keys.jwks()));
  };
}
