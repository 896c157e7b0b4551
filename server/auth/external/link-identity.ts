import type { Transaction } from '#server/db/database.ts';
import { type UserRow, userById } from '../accounts/users.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import type { ExternalIdentity } from './external-identity.ts';
import { addIdentity, identityOwner, lockIdentity } from './identity-rows.ts';
import type { AuthContext } from '../core/context.ts';

/** Adds an identity to an account. Refuses an identity that already belongs to an account. */
export async function linkIdentity(
  context: AuthContext,
  tx: Transaction,
  userId: string,
  identity: ExternalIdentity,
  ip: string,
): Promise<UserRow> {
  await lockIdentity(tx, identity);
  const owner = await identityOwner(tx, identity);
  if (owner !== null)
    throw new AuthRefusal(
      422,
      'identity_already_exists',
      owner === userId ? 'Identity is already linked' : 'Identity is already linked to another user',
    );
  const user = await userById(tx, userId);
  if (!user) throw refuse.noSession();
  if (user.is_sso_user) throw refuse.ssoManaged();
  return addIdentity(context, tx, user, identity, ip);
}
