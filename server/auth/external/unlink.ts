import { isUniqueViolation, type Transaction } from '#server/db/database.ts';
import { lockUser, userById } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Call, readUuid, requireUser } from '../core/request.ts';
import { writeProviders } from './identity-rows.ts';
import type { AuthContext } from '../core/context.ts';

type Identity = { id: string; provider: string; provider_id: string; email: string | null; verified: boolean };

/**
 * `DELETE /user/identities/:id`: removes an identity. Refuses to remove the last one. Removing the email identity also removes the
 * password.
 */
export async function unlinkIdentity(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock, config } = context;
  const { userId } = await requireUser(context, c);
  if (!config.manualLinking) throw refuse.linkingDisabled();
  const id = readUuid(c.req.param('identity'));
  if (id === null) throw new AuthRefusal(404, 'validation_failed', 'identity_id must be an UUID');
  try {
    await db.transaction(async (tx) => {
      const removed = await removeIdentity(tx, userId, id);
      const details = { identity_id: id, provider: removed.provider, provider_id: removed.provider_id };
      await recordEvent(tx, { action: 'identity_unlinked', actorId: userId, at: clock(), ip: c.var.ip, details });
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw emailConflict();
    throw error;
  }
  return c.json({});
}

async function removeIdentity(tx: Transaction, userId: string, identityId: string): Promise<Identity> {
  await lockUser(tx, userId);
  const identities = await readIdentities(tx, userId);
  if (identities.length <= 1)
    throw new AuthRefusal(422, 'single_identity_not_deletable', 'User must have at least 1 identity after unlinking');
  const removed = identities.find((identity) => identity.id === identityId);
  if (!removed) throw new AuthRefusal(422, 'identity_not_found', "Identity doesn't exist");
  await tx.query('delete from auth.identities where id = $1::uuid', [removed.id]);
  // This comes before the account changes, because its trigger would restore an identity that the list of providers still names.
  await writeProviders(tx, userId);
  if (removed.provider === 'email')
    await tx.query('update auth.users set encrypted_password = null where id = $1::uuid', [userId]);
  if (removed.provider === 'phone')
    await tx.query('update auth.users set phone = null, phone_confirmed_at = null where id = $1::uuid', [userId]);
  else {
    const remaining = identities.filter((identity) => identity !== removed);
    await updateEmail(tx, userId, remaining);
  }
  return removed;
}

async function readIdentities(tx: Transaction, userId: string): Promise<readonly Identity[]> {
  const { rows } = await tx.query<Identity>(
    `select id, provider, provider_id, email, identity_data ->> 'email_verified' = 'true' as verified
     from auth.identities where user_id = $1::uuid order by created_at, id`,
    [userId],
  );
  return rows;
}

/**
 * Keeps the account's email while an identity has it, else takes the email of the oldest identity whose email is verified. Never takes an
 * unverified email, which would count as confirmed and could belong to another person.
 */
async function updateEmail(tx: Transaction, userId: string, remaining: readonly Identity[]): Promise<void> {
  const user = await userById(tx, userId);
  if (!user || remaining.some((identity) => identity.provider === 'email' || identity.email === user.email)) return;
  const next = remaining.find((identity) => identity.email !== null && identity.verified)?.email ?? null;
  if (next !== null) await tx.query('update auth.users set email = $2 where id = $1::uuid', [userId, next]);
}

/** The remaining address belongs to another account. */
function emailConflict(): AuthRefusal {
  return new AuthRefusal(
    422,
    'email_conflict_identity_not_deletable',
    'Unable to unlink identity due to email conflict',
  );
}
