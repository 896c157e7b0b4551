import type { AuthParts } from '../auth-parts.ts';
import { AuthRefusal, refuse } from '../errors.ts';
import type { Operation } from '../request.ts';
import { createTokenPassword } from './password.ts';
import { createTokenRefresh } from './refresh.ts';

/** The grants that are switched off, in the protocol's words. */
const OFF: Readonly<Record<string, () => AuthRefusal>> = {
  web3: () => refuse.disabled(422, 'web3_provider_disabled', 'Web3 provider is disabled'),
  id_token: () => refuse.disabled(400, 'provider_disabled', 'Provider is not enabled'),
  pkce: () => refuse.disabled(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found'),
};

/** `POST /token`: hands over to the grant that is asked for. */
export function createToken(parts: AuthParts): Operation {
  const grants: Readonly<Record<string, Operation>> = {
    password: createTokenPassword(parts),
    refresh_token: createTokenRefresh(parts),
  };
  return async (c) => {
    const name = c.req.query('grant_type') ?? '';
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
    if (grant) return grant(c);
    const off = Object.hasOwn(OFF, name) ? OFF[name] : undefined;
    throw off ? off() : new AuthRefusal(400, 'unsupported_grant_type', 'unsupported_grant_type');
  };
}
