import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { refuseAdminCall, refuseOauthServer } from './disabled-features.ts';
import { health } from './health.ts';
import { jwks } from './jwks.ts';
import { settings } from './settings.ts';

/** Adds the routes that describe the API. */
export function addInfoRoutes(router: Hono<Env>, context: AuthContext): void {
  router.get('/.well-known/jwks.json', (c) => jwks(context, c));
  router.get('/settings', (c) => settings(context, c));
  router.get('/health', (c) => health(c));
}

/** Adds the refusals of calls that this server does not offer. Call it last, so that all other routes take precedence. */
export function addDisabledRoutes(router: Hono<Env>, context: AuthContext): void {
  router.on(['GET', 'POST', 'DELETE'], ['/oauth/*', '/user/oauth/*'], refuseOauthServer);
  router.on(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], ['/admin/*', '/invite'], (c) => refuseAdminCall(context, c));
}
