import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { finishSso } from './acs.ts';
import { ssoMetadata } from './metadata.ts';
import { startSso } from './start.ts';

export function addSsoRoutes(router: Hono<Env>, context: AuthContext): void {
  router.post('/sso', (c) => startSso(context, c));
  router.get('/sso/saml/metadata', (c) => ssoMetadata(context, c));
  router.post('/sso/saml/acs', (c) => finishSso(context, c));
}
