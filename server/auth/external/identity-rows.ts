import type { Transaction } from '#server/db/database.ts';
import { type UserRow, userById } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { type ExternalIdentity, identityData } from './external-identity.ts';
import type { AuthContext } from '../core/context.ts';

/** Serialises concurrent sign-ins with the same identity, until the transaction ends. */
export async function lockIdentity(tx: Transaction, identity: ExternalIdentity): Promise<void> {
  await tx.queryRow('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `identity:${identity.provider}:${identity.subject}`,
  ]);
}

/** Returns the id of the account that has an identity. */
export async function identityOwner(tx: Transaction, identity: ExternalIdentity): Promise<string | null> {
  const row = await tx.queryRow<{ user_id: string }>(
    'select user_id from auth.identities where provider = $1 and provider_id = $2',
    [identity.provider, identity.subject],
  );
  return row?.user_id ?? null;
}

/**
 * Stores the provider's current data and the time of the sign-in. Returns the id of the account, or null if no account has the identity.
 */
export async function refreshIdentity(tx: Transaction, identity: ExternalIdentity, now: Date): Promise<string | null> {
  const row = await tx.queryRow<{ user_id: string }>(
    `update auth.identities set identity_data = $3::jsonb, last_sign_in_at = $4::timestamptz, updated_at = $4::timestamptz
     where provider = $1 and provider_id = $2 returning user_id`,
    [identity.provider, identity.subject, identityData(identity), now],
  );
  return row?.user_id ?? null;
}

/**
 * Adds an identity to an account. Pass null as `ip` for the first identity of a new account, because the sign-up entry of the audit log
 * already covers it.
 */
export async function addIdentity(
  { clock }: AuthContext,
  tx: Transaction,
  user: UserRow,
  identity: ExternalIdentity,
  ip: string | null,
): Promise<UserRow> {
  const now = clock();
  const { provider, subject } = identity;
  await tx.query(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
     values ($1::uuid, $2, $3, $4::jsonb, $5::timestamptz, $5::timestamptz)`,
    [user.id, provider, subject, identityData(identity), now],
  );
  await writeProviders(tx, user.id);
  if (ip !== null)
    await recordEvent(tx, { action: 'identity_linked', actorId: user.id, at: now, ip, details: { provider } });
  return (await userById(tx, user.id)) ?? user;
}

/** Copies the list of providers from the identities to the account. */
export async function writeProviders(tx: Transaction, userId: string): Promise<void> {
  await tx.query(
    `update auth.users u set raw_app_meta_data = u.raw_app_meta_data || jsonb_build_object(
       'provider', coalesce((select i.provider from auth.identities i where i.user_id = u.id order by i.created_at, i.id limit 1), 'email'),
       'providers', coalesce((
         select jsonb_agg(p.provider order by p.first) from (
           select i.provider, min(i.created_at) as first from auth.identities i where i.user_id = u.id group by i.provider
         ) p), '[]'))
     where u.id = $1::uuid`,
    [userId],
  );
}
