import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { createGenerateLink } from './generate-link.ts';
import { createInvite } from './invite.ts';
import { createAdminAudit, createAdminUserList } from './lists.ts';
import { createAdminUserChange, createAdminUserGet } from './user-change.ts';
import { createAdminUserCreate } from './user-create.ts';
import { createAdminUserDelete } from './user-delete.ts';

/** Adds the calls that only the service key may make. */
export function addAdmin(router: Hono<Env>, context: AuthContext): void {
  router.get('/admin/users', createAdminUserList(context));
  router.post('/admin/users', createAdminUserCreate(context));
  router.get('/admin/users/:user', createAdminUserGet(context));
  router.put('/admin/users/:user', createAdminUserChange(context));
  router.delete('/admin/users/:user', createAdminUserDelete(context));
  router.get('/admin/audit', createAdminAudit(context));
  router.post('/admin/generate_link', createGenerateLink(context));
  router.post('/invite', createInvite(context));
}
