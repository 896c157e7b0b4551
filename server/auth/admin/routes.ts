import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { generateLink } from './generate-link.ts';
import { invite } from './invite.ts';
import { listAuditLog, listAccounts } from './lists.ts';
import { changeUser, getUser } from './user-change.ts';
import { createUser } from './user-create.ts';
import { deleteUser } from './user-delete.ts';

/** Adds the calls that only the service key may make. */
export function addAdminRoutes(router: Hono<Env>, context: AuthContext): void {
  router.get('/admin/users', (c) => listAccounts(context, c));
  router.post('/admin/users', (c) => createUser(context, c));
  router.get('/admin/users/:user', (c) => getUser(context, c));
  router.put('/admin/users/:user', (c) => changeUser(context, c));
  router.delete('/admin/users/:user', (c) => deleteUser(context, c));
  router.get('/admin/audit', (c) => listAuditLog(context, c));
  router.post('/admin/generate_link', (c) => generateLink(context, c));
  router.post('/invite', (c) => invite(context, c));
}
