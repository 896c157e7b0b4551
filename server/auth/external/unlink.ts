import { z } from 'zod';
import { DatabaseError, type Transaction } from '#server/db/database.ts';
import { userById } from '../accounts/users.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Handler, readPerson } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { writeProviders } from './external-identity.ts';

type Identity = { id: string; provider: string; provider_id: string; email: string | null; verified: boolean };

/** `DELETE /user/identities/:id`: removes an identity, but not the last one. Removing the email identity also removes the password. */
export function createUnlink({ db, clock, config, readCaller }: AuthContext): Handler {
  async function unlink(tx: Transaction, userId: string, identityId: string, ip: string): Promise<void> {
    await tx.one('select 1 from auth.users where id = $1::uuid for update', [userId]);
    const { rows } = await tx.query<Identity>(
      `select id, provider, provider_id, email, identity_data ->> 'email_verified' = 'true' as verified
       from auth.identities where user_id = $1::uuid order by created_at, id`,
      [userId],
    );
    if (rows.length <= 1)
      throw new AuthRefusal(422, 'single_identity_not_deletable', 'User must have at least 1 identity after unlinking');
    const removed = rows.find((row) => row.id === identityId);
    if (!removed) throw new AuthRefusal(422, 'identity_not_found', "Identity doesn't exist");
    const left = rows.filter((row) => row !== removed);
    await tx.query('delete from auth.identities where id = $1::uuid', [removed.id]);
    // Before the account changes: its trigger would restore an identity that the list of providers still names.
    await writeProviders(tx, userId);
    if (removed.provider === 'email')
      await tx.query('update auth.users set encrypted_password = null where id = $1::uuid', [userId]);
    if (removed.provider === 'phone')
      await tx.query('update auth.users set phone = null, phone_confirmed_at = null where id = $1::uuid', [userId]);
    else await followAddress(tx, userId, left);
    const { provider, provider_id } = removed;
    const details = { identity_id: removed.id, provider, provider_id };
    await record(tx, { action: 'identity_unlinked', actorId: userId, at: clock(), ip, details });
  }

  return async (c) => {
    const person = await readPerson(c, readCaller);
    if (!config.manualLinking) throw refuse.disabled(404, 'manual_linking_disabled', 'Manual linking is disabled');
    const id = z.uuid().safeParse(c.req.param('identity'));
    if (!id.success) throw new AuthRefusal(404, 'validation_failed', 'identity_id must be an UUID');
    await db
      .transaction((tx) => unlink(tx, person.userId, id.data, c.var.ip))
      .catch((error: unknown) => {
        if (error instanceof DatabaseError && error.code === '23505')
          throw new AuthRefusal(
            422,
            'email_conflict_identity_not_deletable',
            'Unable to unlink identity due to email conflict',
          );
        throw error;
      });
    return c.json({});
  };
}

/**
 * Keeps the account's email while an identity has it, else takes that of the oldest identity with a verified one.
 * Never takes an unverified email: it would count as confirmed, and could belong to somebody else.
 */
async function followAddress(tx: Transaction, userId: string, left: readonly Identity[]): Promise<void> {
  const user = await userById(tx, userId);
  if (!user || left.some((one) => one.provider === 'email' || one.email === user.email)) return;
  const next = left.find((one) => one.email !== null && one.verified)?.email ?? null;
  if (next !== null) await tx.query('update auth.users set email = $2 where id = $1::uuid', [userId, next]);
}
