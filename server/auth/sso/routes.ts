import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { createAcs } from './acs.ts';
import { createMetadata } from './metadata.ts';
import { createSso } from './sso.ts';

/** The addresses of single sign-on. */
export function addSso(router: Hono<Env>, parts: AuthContext): void {
  router.post('/sso', createSso(parts));
  router.get('/sso/saml/metadata', createMetadata(parts));
  router.post('/sso/saml/acs', createAcs(parts));
}
