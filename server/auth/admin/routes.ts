import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { createGenerateLink } from './generate-link.ts';
import { createInvite } from './invite.ts';
import { createAdminAudit, createAdminUserList } from './lists.ts';
import { createAdminUserChange, createAdminUserGet } from './user-change.ts';
import { createAdminUserCreate } from './user-create.ts';
import { createAdminUserDelete } from './user-delete.ts';

/** What only the service key may do. */
export function addAdmin(router: Hono<Env>, parts: AuthContext): void {
  router.get('/admin/users', createAdminUserList(parts));
  router.post('/admin/users', createAdminUserCreate(parts));
  router.get('/admin/users/:user', createAdminUserGet(parts));
  router.put('/admin/users/:user', createAdminUserChange(parts));
  router.delete('/admin/users/:user', createAdminUserDelete(parts));
  router.get('/admin/audit', createAdminAudit(parts));
  router.post('/admin/generate_link', createGenerateLink(parts));
  router.post('/invite', createInvite(parts));
}
