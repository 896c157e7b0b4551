import type { Permission } from '#rules/permissions.ts';
import type { Database } from '#server/db/database.ts';
import { Refusal } from '../core/refusal.ts';

/** What `private.set_second_factor_rules()` returns. */
type Outcome = 'set' | 'not_owner' | 'no_factor' | 'not_shown';

/** Sets exactly the permissions that need a session with a second factor. Throws `Refusal` for an owner who has none or has not shown it. */
export async function setSecondFactorRules(
  { db }: { db: Pick<Database, 'one'> },
  permissions: readonly Permission[],
  by: { readonly actor: string; readonly sessionId: string | null },
): Promise<void> {
  const row = await db.one<{ outcome: Outcome }>(
    'select private.set_second_factor_rules($1::text[], $2::uuid, $3::uuid) as outcome',
    [permissions, by.actor, by.sessionId],
  );
  switch (row?.outcome) {
    case 'set':
      return;
    case 'not_owner':
      throw new Refusal('not_yours', 'Only owners can do this.', { permission: 'owner' });
    case 'no_factor':
      throw new Refusal(
        'second_factor_required',
        'Add an authenticator app in your account settings first. Otherwise you would lock yourself out.',
      );
    case 'not_shown':
      throw new Refusal('second_factor_required', 'Sign in with your second step first.');
    case undefined:
      throw new Error('set_second_factor_rules returned no row');
  }
}
