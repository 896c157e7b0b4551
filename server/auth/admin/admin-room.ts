import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthParts } from '../auth-parts.ts';
import { createGenerateLink } from './generate-link.ts';
import { createInvite } from './invite.ts';
import { createAdminAudit, createAdminUserList } from './lists.ts';
import { createAdminUserChange, createAdminUserGet } from './user-change.ts';
import { createAdminUserCreate } from './user-create.ts';
import { createAdminUserDelete } from './user-delete.ts';

/** What only the service key may do. */
export function addAdmin(door: Hono<Env>, parts: AuthParts): void {
  door.get('/admin/users', createAdminUserList(parts));
  door.post('/admin/users', createAdminUserCreate(parts));
  door.get('/admin/users/:user', createAdminUserGet(parts));
  door.put('/admin/users/:user', createAdminUserChange(parts));
  door.delete('/admin/users/:user', createAdminUserDelete(parts));
  door.get('/admin/audit', createAdminAudit(parts));
  door.post('/admin/generate_link', createGenerateLink(parts));
  door.post('/invite', createInvite(parts));
}
