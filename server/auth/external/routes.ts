import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { createAuthorize, createLinkIdentity } from './authorize.ts';
import { createCallback } from './callback.ts';
import { createUnlink } from './unlink.ts';

/** Adds the routes of sign-ins by identity providers, and of an account's identities. */
export function addExternal(router: Hono<Env>, context: AuthContext): void {
  router.get('/authorize', createAuthorize(context));
  router.on(['GET', 'POST'], ['/callback'], createCallback(context));
  router.get('/user/identities/authorize', createLinkIdentity(context));
  router.delete('/user/identities/:identity', createUnlink(context));
}
