import type { Permission } from '#rules/permissions.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';

/** What `private.set_permissions()` returns. */
type Outcome = 'set' | 'not_owner' | 'no_account' | 'unconfirmed' | 'last_owner';

/**
 * Gives an account exactly these permissions. The first one makes it staff; without any it is staff no more. Throws `Refusal`; the last
 * owner stays one.
 */
export async function setPermissions(
  { db }: Services,
  change: { userId: string; permissions: readonly Permission[] },
  actor: string,
): Promise<void> {
  const row = await db.one<{ outcome: Outcome }>(
    'select private.set_permissions($1::uuid, $2::text[], $3::uuid) as outcome',
    [change.userId, change.permissions, actor],
  );
  switch (row?.outcome) {
    case 'set':
      return;
    case 'not_owner':
      throw new Refusal('not_yours', 'Only owners can do this.', { permission: 'owner' });
    case 'no_account':
      throw new Refusal('not_found', 'There is no such account.');
    case 'unconfirmed':
      throw new Refusal('mail_unconfirmed', 'This account has not confirmed its email address yet.');
    case 'last_owner':
      throw new Refusal('last_owner', 'Make somebody else an owner first: there is no other.');
    case undefined:
      throw new Error('set_permissions returned no row');
  }
}
