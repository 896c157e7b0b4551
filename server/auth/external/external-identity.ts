import type { Transaction } from '#server/db/database.ts';
import { isBanned, type UserRow, userByEmail, userById } from '../accounts/users.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { record } from '../core/audit-log.ts';
import { ssoManaged } from '../user/prove-identity.ts';

/** A verified identity from an identity provider, a wallet or single sign-on. */
export type ExternalIdentity = {
  /** The stored provider name: 'google', 'web3', 'sso:<id>'. */
  readonly provider: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Whether the account needs an email address. One of a wallet does not. */
  readonly needsEmail: boolean;
  readonly sso: boolean;
};

type Context = Pick<AuthContext, 'clock' | 'config'>;
const MANAGED = 'This account is managed by its organisation. Sign in by single sign-on.';

/**
 * Returns the account of an external identity: the one that has it, else the one with the same verified address, else a new one.
 * An existing account with an unconfirmed address loses its earlier credentials. Throws the API's refusals.
 */
export async function findOrCreateUser(
  context: Context,
  tx: Transaction,
  identity: ExternalIdentity,
  ip: string,
): Promise<UserRow> {
  await lockIdentity(tx, identity);
  const user =
    (await byIdentity(tx, identity, context.clock())) ??
    (await byAddress(context, tx, identity, ip)) ??
    (await create(context, tx, identity, ip));
  if (isBanned(user, context.clock())) throw new AuthRefusal(403, 'user_banned', 'User is banned');
  return user;
}

/** Adds an identity to an account. */
export async function linkIdentity(
  context: Context,
  tx: Transaction,
  userId: string,
  identity: ExternalIdentity,
  ip: string,
): Promise<UserRow> {
  await lockIdentity(tx, identity);
  const owner = await ownerOf(tx, identity);
  if (owner !== null)
    throw new AuthRefusal(
      422,
      'identity_already_exists',
      owner === userId ? 'Identity is already linked' : 'Identity is already linked to another user',
    );
  const user = await userById(tx, userId);
  if (!user) throw refuse.noSession();
  if (user.is_sso_user) throw ssoManaged(MANAGED);
  return addIdentity(context, tx, user, identity, ip);
}

/** Serialises concurrent sign-ins with the same identity. */
async function lockIdentity(tx: Transaction, identity: ExternalIdentity): Promise<void> {
  await tx.one('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `identity:${identity.provider}:${identity.subject}`,
  ]);
}

async function ownerOf(tx: Transaction, identity: ExternalIdentity): Promise<string | null> {
  const row = await tx.one<{ user_id: string }>(
    'select user_id from auth.identities where provider = $1 and provider_id = $2',
    [identity.provider, identity.subject],
  );
  return row?.user_id ?? null;
}

async function byIdentity(tx: Transaction, identity: ExternalIdentity, now: Date): Promise<UserRow | null> {
  const row = await tx.one<{ user_id: string }>(
    `update auth.identities set identity_data = $3::jsonb, last_sign_in_at = $4::timestamptz, updated_at = $4::timestamptz
     where provider = $1 and provider_id = $2 returning user_id`,
    [identity.provider, identity.subject, identityData(identity), now],
  );
  if (!row) return null;
  const user = await userById(tx, row.user_id);
  if (!user) throw new AuthRefusal(403, 'user_not_found', 'User not found');
  return user;
}

async function byAddress(
  context: Context,
  tx: Transaction,
  identity: ExternalIdentity,
  ip: string,
): Promise<UserRow | null> {
  if (identity.email === null) {
    if (identity.needsEmail) throw refuse.validation(`Error getting user email from external provider`);
    return null;
  }
  if (!identity.emailVerified)
    throw new AuthRefusal(
      401,
      'provider_email_needs_verification',
      `Unverified email with ${identity.provider}. Verify the email with ${identity.provider} in order to sign in`,
    );
  const user = await userByEmail(tx, identity.email);
  if (!user) return null;
  // Only SSO may sign in to an SSO account: another identity would outlive the end of access through the organisation.
  if (user.is_sso_user && !identity.sso) throw ssoManaged(MANAGED);
  if (user.email_confirmed_at !== null) return addIdentity(context, tx, user, identity, ip);
  await discardUnprovenCredentials(tx, user, context.clock());
  await record(tx, {
    action: 'user_confirmed',
    actorId: user.id,
    at: context.clock(),
    ip,
    details: { provider: identity.provider },
  });
  return addIdentity(context, tx, (await userById(tx, user.id)) ?? user, identity, ip);
}

/** An earlier sign-up never proved that it owns this address: discard its credentials. */
async function discardUnprovenCredentials(tx: Transaction, user: UserRow, now: Date): Promise<void> {
  await tx.query('delete from auth.sessions where user_id = $1::uuid', [user.id]);
  await tx.query('delete from auth.one_time_tokens where user_id = $1::uuid', [user.id]);
  await tx.query('delete from auth.signup_attempts where user_id = $1::uuid', [user.id]);
  await tx.query('delete from auth.identities where user_id = $1::uuid', [user.id]);
  await tx.query(
    `update auth.users set encrypted_password = null, email_confirmed_at = $2::timestamptz, phone = null, phone_confirmed_at = null,
       raw_user_meta_data = '{}', raw_app_meta_data = raw_app_meta_data || '{"providers": []}' where id = $1::uuid`,
    [user.id, now],
  );
}

async function create(context: Context, tx: Transaction, identity: ExternalIdentity, ip: string): Promise<UserRow> {
  if (!context.config.signupEnabled)
    throw refuse.disabled(422, 'signup_disabled', 'Signups not allowed for this instance');
  const now = context.clock();
  const row = await tx.one<{ id: string }>(
    `insert into auth.users (email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, is_sso_user, created_at)
     values ($1, case when $1::text is null then null else $2::timestamptz end, $3::jsonb, $4::jsonb, $5::boolean, $2::timestamptz)
     returning id`,
    [identity.email, now, { provider: identity.provider, providers: [] }, userData(identity), identity.sso],
  );
  const user = row && (await userById(tx, row.id));
  if (!user) throw new Error('a new account cannot be read back');
  await record(tx, {
    action: 'user_signedup',
    actorId: user.id,
    at: now,
    ip,
    details: { provider: identity.provider },
  });
  return addIdentity(context, tx, user, identity, null);
}

/** `ip` null: the first identity of a new account, which the sign-up entry already logs. */
async function addIdentity(
  { clock }: Context,
  tx: Transaction,
  user: UserRow,
  identity: ExternalIdentity,
  ip: string | null,
): Promise<UserRow> {
  const now = clock();
  await tx.query(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
     values ($1::uuid, $2, $3, $4::jsonb, $5::timestamptz, $5::timestamptz)`,
    [user.id, identity.provider, identity.subject, identityData(identity), now],
  );
  await writeProviders(tx, user.id);
  if (ip !== null)
    await record(tx, {
      action: 'identity_linked',
      actorId: user.id,
      at: now,
      ip,
      details: { provider: identity.provider },
    });
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

function identityData(identity: ExternalIdentity): Record<string, unknown> {
  return {
    ...userData(identity),
    sub: identity.subject,
    provider_id: identity.subject,
    ...(identity.email === null ? {} : { email: identity.email }),
    email_verified: identity.email !== null && identity.emailVerified,
    phone_verified: false,
  };
}

/** Initial profile data of an account. Its owner can change it. */
function userData({ claims }: ExternalIdentity): Record<string, unknown> {
  const name = claims['name'];
  const picture = claims['picture'];
  return {
    ...claims,
    ...(typeof name === 'string' ? { full_name: name } : {}),
    ...(typeof picture === 'string' ? { avatar_url: picture } : {}),
  };
}
