import type { AuthParts } from '../auth-parts.ts';
import { AuthRefusal, refuse } from '../errors.ts';
import type { Operation } from '../request.ts';
import { createTokenIdToken } from './id-token.ts';
import { createTokenPassword } from './password.ts';
import { createTokenPkce } from './pkce.ts';
import { createTokenRefresh } from './refresh.ts';

/** The grants that are switched off, in the protocol's words. */
const OFF: Readonly<Record<string, () => AuthRefusal>> = {
  web3: () => refuse.disabled(422, 'web3_provider_disabled', 'Web3 provider is disabled'),
};

/** `POST /token`: hands over to the grant that is asked for. */
export function createToken(parts: AuthParts): Operation {
  const grants: Readonly<Record<string, Operation>> = {
    password: createTokenPassword(parts),
    refresh_token: createTokenRefresh(parts),
    pkce: createTokenPkce(parts),
    id_token: createTokenIdToken(parts),
  };
  return async (c) => {
    const name = c.req.query('grant_type') ?? '';
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
    if (grant) return grant(c);
    const off = Object.hasOwn(OFF, name) ? OFF[name] : undefined;
    throw off ? off() : new AuthRefusal(400, 'unsupported_grant_type', 'unsupported_grant_type');
  };
}
