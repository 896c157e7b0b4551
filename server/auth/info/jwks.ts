import type { Call } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

/** `GET /.well-known/jwks.json`: the public keys of access tokens. Clients may cache them for ten minutes. */
export function jwks({ keys }: AuthContext, c: Call): Response {
  c.header('cache-control', 'public, max-age=600');
  return c.json(keys.jwks());
}
