import type { Transaction } from '#server/db/database.ts';
import { isBanned, type UserRow, userByEmail, userById } from '../accounts/users.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { record } from '../core/audit-log.ts';
import { ssoManaged } from '../user/prove-identity.ts';

/** Somebody whom another party has let in: an identity provider, a wallet, an employer. */
export type ExternalIdentity = {
  /** As the identity names it: 'google', 'web3', 'sso:<id>'. */
  readonly provider: string;
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Whether an account can do without an address: that of a wallet can. */
  readonly needsEmail: boolean;
  readonly sso: boolean;
};

type Parts = Pick<AuthContext, 'clock' | 'config'>;
const MANAGED = 'This account is managed by its organisation. Sign in by single sign-on.';

/**
 * The account of an outsider: the one that has this identity; else the one with the same verified address; else a new one. An account
 * whose address nobody had confirmed loses what an unknown hand typed into it. Throws what the protocol says against it.
 */
export async function accountOf(parts: Parts, tx: Transaction, who: ExternalIdentity, ip: string): Promise<UserRow> {
  await lockIdentity(tx, who);
  const user =
    (await byIdentity(tx, who, parts.clock())) ??
    (await byAddress(parts, tx, who, ip)) ??
    (await create(parts, tx, who, ip));
  if (isBanned(user, parts.clock())) throw new AuthRefusal(403, 'user_banned', 'User is banned');
  return user;
}

/** Gives an account one more identity. */
export async function linkTo(
  parts: Parts,
  tx: Transaction,
  userId: string,
  who: ExternalIdentity,
  ip: string,
): Promise<UserRow> {
  await lockIdentity(tx, who);
  const owner = await ownerOf(tx, who);
  if (owner !== null)
    throw new AuthRefusal(
      422,
      'identity_already_exists',
      owner === userId ? 'Identity is already linked' : 'Identity is already linked to another user',
    );
  const user = await userById(tx, userId);
  if (!user) throw refuse.noSession();
  if (user.is_sso_user) throw ssoManaged(MANAGED);
  return addIdentity(parts, tx, user, who, ip);
}

/** Two answers about one person at once are taken one after the other. */
async function lockIdentity(tx: Transaction, who: ExternalIdentity): Promise<void> {
  await tx.one('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`identity:${who.provider}:${who.subject}`]);
}

async function ownerOf(tx: Transaction, who: ExternalIdentity): Promise<string | null> {
  const row = await tx.one<{ user_id: string }>(
    'select user_id from auth.identities where provider = $1 and provider_id = $2',
    [who.provider, who.subject],
  );
  return row?.user_id ?? null;
}

async function byIdentity(tx: Transaction, who: ExternalIdentity, now: Date): Promise<UserRow | null> {
  const row = await tx.one<{ user_id: string }>(
    `update auth.identities set identity_data = $3::jsonb, last_sign_in_at = $4::timestamptz, updated_at = $4::timestamptz
     where provider = $1 and provider_id = $2 returning user_id`,
    [who.provider, who.subject, identityData(who), now],
  );
  if (!row) return null;
  const user = await userById(tx, row.user_id);
  if (!user) throw new AuthRefusal(403, 'user_not_found', 'User not found');
  return user;
}

async function byAddress(parts: Parts, tx: Transaction, who: ExternalIdentity, ip: string): Promise<UserRow | null> {
  if (who.email === null) {
    if (who.needsEmail) throw refuse.validation(`Error getting user email from external provider`);
    return null;
  }
  if (!who.emailVerified)
    throw new AuthRefusal(
      401,
      'provider_email_needs_verification',
      `Unverified email with ${who.provider}. Verify the email with ${who.provider} in order to sign in`,
    );
  const user = await userByEmail(tx, who.email);
  if (!user) return null;
  // A second way in would outlive the employer's word that this one is over.
  if (user.is_sso_user && !who.sso) throw ssoManaged(MANAGED);
  if (user.email_confirmed_at !== null) return addIdentity(parts, tx, user, who, ip);
  await discardUnprovenCredentials(tx, user, parts.clock());
  await record(tx, {
    action: 'user_confirmed',
    actorId: user.id,
    at: parts.clock(),
    ip,
    details: { provider: who.provider },
  });
  return addIdentity(parts, tx, (await userById(tx, user.id)) ?? user, who, ip);
}

/** Whoever signed up with this address never showed it was theirs: the one who did takes nothing over from them. */
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

async function create(parts: Parts, tx: Transaction, who: ExternalIdentity, ip: string): Promise<UserRow> {
  if (!parts.config.signupEnabled)
    throw refuse.disabled(422, 'signup_disabled', 'Signups not allowed for this instance');
  const now = parts.clock();
  const row = await tx.one<{ id: string }>(
    `insert into auth.users (email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, is_sso_user, created_at)
     values ($1, case when $1::text is null then null else $2::timestamptz end, $3::jsonb, $4::jsonb, $5::boolean, $2::timestamptz)
     returning id`,
    [who.email, now, { provider: who.provider, providers: [] }, userData(who), who.sso],
  );
  const user = row && (await userById(tx, row.id));
  if (!user) throw new Error('a new account cannot be read back');
  await record(tx, { action: 'user_signedup', actorId: user.id, at: now, ip, details: { provider: who.provider } });
  return addIdentity(parts, tx, user, who, null);
}

/** `ip` null: the identity the account was made with, which its sign-up tells of. */
async function addIdentity(
  { clock }: Parts,
  tx: Transaction,
  user: UserRow,
  who: ExternalIdentity,
  ip: string | null,
): Promise<UserRow> {
  const now = clock();
  await tx.query(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
     values ($1::uuid, $2, $3, $4::jsonb, $5::timestamptz, $5::timestamptz)`,
    [user.id, who.provider, who.subject, identityData(who), now],
  );
  await writeProviders(tx, user.id);
  if (ip !== null)
    await record(tx, { action: 'identity_linked', actorId: user.id, at: now, ip, details: { provider: who.provider } });
  return (await userById(tx, user.id)) ?? user;
}

/** The list of providers in the account follows its identities. */
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

function identityData(who: ExternalIdentity): Record<string, unknown> {
  return {
    ...userData(who),
    sub: who.subject,
    provider_id: who.subject,
    ...(who.email === null ? {} : { email: who.email }),
    email_verified: who.email !== null && who.emailVerified,
    phone_verified: false,
  };
}

/** What the account shows of a person to begin with; it is theirs to change. */
function userData({ claims }: ExternalIdentity): Record<string, unknown> {
  const name = claims['name'];
  const picture = claims['picture'];
  return {
    ...claims,
    ...(typeof name === 'string' ? { full_name: name } : {}),
    ...(typeof picture === 'string' ? { avatar_url: picture } : {}),
  };
}
