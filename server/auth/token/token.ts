import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { Operation } from '../core/request.ts';
import { createTokenIdToken } from './id-token.ts';
import { createTokenPassword } from './password.ts';
import { createTokenPkce } from './pkce.ts';
import { createTokenRefresh } from './refresh.ts';
import { createTokenWeb3 } from './web3.ts';

/** `POST /token`: hands over to the grant that is asked for. */
export function createToken(parts: AuthContext): Operation {
  const grants: Readonly<Record<string, Operation>> = {
    password: createTokenPassword(parts),
    refresh_token: createTokenRefresh(parts),
    pkce: createTokenPkce(parts),
    id_token: createTokenIdToken(parts),
    web3: createTokenWeb3(parts),
  };
  return async (c) => {
    const name = c.req.query('grant_type') ?? '';
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
    if (!grant) throw new AuthRefusal(400, 'unsupported_grant_type', 'unsupported_grant_type');
    return grant(c);
  };
}
