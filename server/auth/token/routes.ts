import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { Call } from '../core/request.ts';
import { signInWithIdToken } from './id-token.ts';
import { signInWithPassword } from './password.ts';
import { exchangeCode } from './pkce.ts';
import { createRefresh } from './refresh.ts';
import { signInWithWallet } from './web3.ts';

/** Adds `POST /token`, which calls the handler of the grant type. */
export function addTokenRoute(router: Hono<Env>, context: AuthContext): void {
  const grants: Readonly<Record<string, (c: Call) => Promise<Response>>> = {
    password: (c) => signInWithPassword(context, c),
    refresh_token: createRefresh(context),
    pkce: (c) => exchangeCode(context, c),
    id_token: (c) => signInWithIdToken(context, c),
    web3: (c) => signInWithWallet(context, c),
  };
  router.post('/token', (c) => {
    const name = c.req.query('grant_type') ?? '';
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
    if (!grant) throw new AuthRefusal(400, 'unsupported_grant_type', 'unsupported_grant_type');
    return grant(c);
  });
}
