import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { authorize, authorizeLink } from './authorize.ts';
import { callback } from './callback.ts';
import { unlinkIdentity } from './unlink.ts';

/** Adds the routes of sign-ins by identity providers, and of an account's identities. */
export function addExternalRoutes(router: Hono<Env>, context: AuthContext): void {
  router.get('/authorize', (c) => authorize(context, c));
  router.on(['GET', 'POST'], ['/callback'], (c) => callback(context, c));
  router.get('/user/identities/authorize', (c) => authorizeLink(context, c));
  router.delete('/user/identities/:identity', (c) => unlinkIdentity(context, c));
}
