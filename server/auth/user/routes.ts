import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { logOut } from '../sessions/logout.ts';
import { endOwnSession, listOwnSessions } from '../sessions/session-list.ts';
import { createUserGet } from './user-get.ts';
import { updateUser } from './user-update.ts';

/** Adds the routes of the signed-in user's account and sessions. */
export function addUserRoutes(router: Hono<Env>, context: AuthContext): void {
  router.get('/user', createUserGet(context));
  router.put('/user', (c) => updateUser(context, c));
  router.get('/user/sessions', (c) => listOwnSessions(context, c));
  router.delete('/user/sessions/:id', (c) => endOwnSession(context, c));
  router.post('/logout', (c) => logOut(context, c));
}
