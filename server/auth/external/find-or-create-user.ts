import type { Transaction } from '#server/db/database.ts';
import { deleteSignUpAttempts } from '../accounts/sign-up-attempts.ts';
import { isBanned, type UserRow, userByEmail, userById } from '../accounts/users.ts';
import { deleteTokens } from '../codes/revoke-tokens.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { endAllSessions } from '../sessions/end.ts';
import { isReserved } from '../codes/replaced-emails.ts';
import { type ExternalIdentity, userData } from './external-identity.ts';
import { addIdentity, lockIdentity, refreshIdentity } from './identity-rows.ts';
import type { AuthContext } from '../core/context.ts';

/**
 * Returns the account of an external identity: the account that has the identity, else the account with the same verified address, else a
 * new account. An existing account with an unconfirmed address loses its earlier credentials. Throws the API's errors.
 */
export async function findOrCreateUser(
  context: AuthContext,
  tx: Transaction,
  identity: ExternalIdentity,
  ip: string,
): Promise<UserRow> {
  await lockIdentity(tx, identity);
  const user =
    (await userByIdentity(context, tx, identity)) ??
    (await userByAddress(context, tx, identity, ip)) ??
    (await createUser(context, tx, identity, ip));
  if (isBanned(user, context.clock())) throw refuse.banned(403);
  return user;
}

async function userByIdentity(
  { clock }: AuthContext,
  tx: Transaction,
  identity: ExternalIdentity,
): Promise<UserRow | null> {
  const userId = await refreshIdentity(tx, identity, clock());
  if (userId === null) return null;
  const user = await userById(tx, userId);
  if (!user) throw new AuthRefusal(403, 'user_not_found', 'User not found');
  return user;
}

async function userByAddress(
  context: AuthContext,
  tx: Transaction,
  identity: ExternalIdentity,
  ip: string,
): Promise<UserRow | null> {
  const { email, provider } = identity;
  if (email === null) {
    if (identity.needsEmail) throw refuse.validation(`Error getting user email from external provider`);
    return null;
  }
  if (!identity.emailVerified)
    throw new AuthRefusal(
      401,
      'provider_email_needs_verification',
      `Unverified email with ${provider}. Verify the email with ${provider} in order to sign in`,
    );
  const user = await userByEmail(tx, email);
  if (!user) return null;
  // Only SSO may sign in to an SSO account: another identity would outlive the end of access through the organisation.
  if (user.is_sso_user && !identity.sso) throw refuse.ssoManaged();
  if (user.email_confirmed_at !== null) return addIdentity(context, tx, user, identity, ip);
  const now = context.clock();
  await discardUnprovenCredentials(tx, user, now);
  await recordEvent(tx, { action: 'user_confirmed', actorId: user.id, at: now, ip, details: { provider } });
  return addIdentity(context, tx, (await userById(tx, user.id)) ?? user, identity, ip);
}

/** Discards the credentials of an earlier sign-up, which never proved that it owned this address. */
async function discardUnprovenCredentials(tx: Transaction, user: UserRow, now: Date): Promise<void> {
  await endAllSessions(tx, user.id);
  await deleteTokens(tx, user.id);
  await deleteSignUpAttempts(tx, user.id);
  await tx.query('delete from auth.identities where user_id = $1::uuid', [user.id]);
  await tx.query(
    `update auth.users set encrypted_password = null, email_confirmed_at = $2::timestamptz, phone = null, phone_confirmed_at = null,
       raw_user_meta_data = '{}', raw_app_meta_data = raw_app_meta_data || '{"providers": []}' where id = $1::uuid`,
    [user.id, now],
  );
}

async function createUser(
  context: AuthContext,
  tx: Transaction,
  identity: ExternalIdentity,
  ip: string,
): Promise<UserRow> {
  const { clock, config } = context;
  if (!config.signupEnabled) throw refuse.signUpDisabled();
  const now = clock();
  const { email, provider, sso } = identity;
  if (email !== null && (await isReserved(tx, { email, userId: null, now }))) throw refuse.emailExists();
  const row = await tx.queryRow<{ id: string }>(
    `insert into auth.users (email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, is_sso_user, created_at)
     values ($1, case when $1::text is null then null else $2::timestamptz end, $3::jsonb, $4::jsonb, $5::boolean, $2::timestamptz)
     returning id`,
    [email, now, { provider, providers: [] }, userData(identity), sso],
  );
  const user = row && (await userById(tx, row.id));
  if (!user) throw new Error('a new account cannot be read back');
  await recordEvent(tx, { action: 'user_signedup', actorId: user.id, at: now, ip, details: { provider } });
  return addIdentity(context, tx, user, identity, null);
}
