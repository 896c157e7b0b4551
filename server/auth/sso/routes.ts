import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { createAcs } from './acs.ts';
import { createMetadata } from './metadata.ts';
import { createSso } from './sso.ts';

/** Adds the routes of single sign-on. */
export function addSso(router: Hono<Env>, context: AuthContext): void {
  router.post('/sso', createSso(context));
  router.get('/sso/saml/metadata', createMetadata(context));
  router.post('/sso/saml/acs', createAcs(context));
}
