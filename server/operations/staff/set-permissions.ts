import type { Permission } from '#rules/permissions.ts';
import { callSql } from '../core/call-sql.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/**
 * Gives an account exactly these permissions. The first permission makes the account staff; without any permission it is no longer staff.
 * Throws `Refusal`, for example to keep the last owner.
 */
export async function setPermissions(
  { db }: Services,
  change: { userId: string; permissions: readonly Permission[] },
  actor: string,
): Promise<void> {
  const outcome = await callSql(db, 'set_permissions', {
    p_user: change.userId,
    p_permissions: change.permissions,
    p_actor: actor,
  });
  switch (outcome) {
    case 'set':
      return;
    case 'not_owner':
      throw new Refusal('not_yours', 'Only owners can do this.', { permission: 'owner' });
    case 'no_account':
      throw new Refusal('not_found', 'This account doesn’t exist.');
    case 'unconfirmed':
      throw new Refusal('mail_unconfirmed', 'This account has not confirmed its email address yet.');
    case 'last_owner':
      throw new Refusal('last_owner', 'This is the only owner. Make someone else an owner first.');
    default:
      throw new Error(`set_permissions returned ${outcome}`);
  }
}
