import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthParts } from '../auth-parts.ts';
import { createAuthorize, createLinkIdentity } from './authorize.ts';
import { createCallback } from './callback.ts';
import { createUnlink } from './unlink.ts';

/** The addresses of sign-ins by identity providers, and of the identities of an account. */
export function addExternal(door: Hono<Env>, parts: AuthParts): void {
  door.get('/authorize', createAuthorize(parts));
  door.on(['GET', 'POST'], ['/callback'], createCallback(parts));
  door.get('/user/identities/authorize', createLinkIdentity(parts));
  door.delete('/user/identities/:identity', createUnlink(parts));
}
