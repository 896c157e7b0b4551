import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { Call } from '../core/request.ts';
import { signInWithIdToken } from './id-token.ts';
import { signInWithPassword } from './password.ts';
import { exchangeCode } from './pkce.ts';
import { refresh } from './refresh.ts';
import { signInWithWallet } from './web3.ts';

const GRANTS: Readonly<Record<string, (context: AuthContext, c: Call) => Promise<Response>>> = {
  password: signInWithPassword,
  refresh_token: refresh,
  pkce: exchangeCode,
  id_token: signInWithIdToken,
  web3: signInWithWallet,
};

/** Adds `POST /token`, which calls the handler of the grant type. */
export function addTokenRoute(router: Hono<Env>, context: AuthContext): void {
  router.post('/token', (c) => {
    const name = c.req.query('grant_type') ?? '';
    const grant = Object.hasOwn(GRANTS, name) ? GRANTS[name] : undefined;
    if (!grant) throw new AuthRefusal(400, 'unsupported_grant_type', 'unsupported_grant_type');
    return grant(context, c);
  });
}
