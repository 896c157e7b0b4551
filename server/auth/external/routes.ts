import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { createAuthorize, createLinkIdentity } from './authorize.ts';
import { createCallback } from './callback.ts';
import { createUnlink } from './unlink.ts';

/** The addresses of sign-ins by identity providers, and of the identities of an account. */
export function addExternal(router: Hono<Env>, parts: AuthContext): void {
  router.get('/authorize', createAuthorize(parts));
  router.on(['GET', 'POST'], ['/callback'], createCallback(parts));
  router.get('/user/identities/authorize', createLinkIdentity(parts));
  router.delete('/user/identities/:identity', createUnlink(parts));
}
