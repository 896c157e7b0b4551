import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { Handler } from '../core/request.ts';
import { createTokenIdToken } from './id-token.ts';
import { createTokenPassword } from './password.ts';
import { createTokenPkce } from './pkce.ts';
import { createTokenRefresh } from './refresh.ts';
import { createTokenWeb3 } from './web3.ts';

/** `POST /token`: calls the handler of the grant type. */
export function createToken(context: AuthContext): Handler {
  const grants: Readonly<Record<string, Handler>> = {
    password: createTokenPassword(context),
    refresh_token: createTokenRefresh(context),
    pkce: createTokenPkce(context),
    id_token: createTokenIdToken(context),
    web3: createTokenWeb3(context),
  };
  return async (c) => {
    const name = c.req.query('grant_type') ?? '';
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
    if (!grant) throw new AuthRefusal(400, 'unsupported_grant_type', 'unsupported_grant_type');
    return grant(c);
  };
}
