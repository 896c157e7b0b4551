import { z } from 'zod';
import type { Database, Transaction } from '#server/db/database.ts';
import { addSignUpAttempt } from '../accounts/sign-up-attempts.ts';
import { type DumpRow, readDump } from './dump.ts';

/** The result of an import. `refused`: one line per rejected row, with its id and without secrets. */
type Imported = {
  readonly users: number;
  readonly identities: number;
  readonly skipped: number;
  readonly refused: readonly string[];
};

const text = z.string().nullish();
const json = z
  .string()
  .nullish()
  .transform((value, context) => {
    try {
      return z.record(z.string(), z.unknown()).parse(JSON.parse(value ?? '{}') ?? {});
    } catch {
      context.addIssue({ code: 'custom', message: 'is not a JSON object' });
      return z.NEVER;
    }
  });
const booleanText = z
  .string()
  .nullish()
  .transform((value) => value === 't' || value === 'true');
const timestampText = z
  .string()
  .nullish()
  .refine((value) => value === null || value === undefined || value === 'infinity' || !Number.isNaN(Date.parse(value)));
const hash = z
  .string()
  .nullish()
  .transform((value) => (value ? value : null))
  .refine((value) => value === null || /^\$(2[aby]|argon2(id|i|d))\$/.test(value), 'is neither bcrypt nor argon2');

const userRow = z.object({
  id: z.uuid(),
  email: text.transform((value) => value?.trim().toLowerCase() || null),
  phone: text.transform((value) => value?.replace(/^\+/, '') || null),
  encrypted_password: hash,
  email_confirmed_at: timestampText,
  phone_confirmed_at: timestampText,
  invited_at: timestampText,
  last_sign_in_at: timestampText,
  raw_app_meta_data: json,
  raw_user_meta_data: json,
  created_at: timestampText,
  banned_until: timestampText,
  deleted_at: timestampText,
  is_anonymous: booleanText,
  is_sso_user: booleanText,
  // A dump must not bring in roles such as service_role.
  role: z.enum(['authenticated', '']).nullish(),
});
type ImportedUser = z.output<typeof userRow>;
const identityRow = z.object({
  user_id: z.uuid(),
  provider: z.string().min(1),
  provider_id: text,
  // The provider's id in older dumps.
  id: text,
  identity_data: json,
  last_sign_in_at: timestampText,
  created_at: timestampText,
});

/**
 * Imports the accounts of a hosted Supabase project from a dump of `auth.users` and `auth.identities`. Passwords stay valid; bcrypt hashes
 * are replaced at the next sign-in. Imports all valid rows in one transaction and keeps existing accounts. Idempotent.
 */
export async function importUsers(db: Database, dump: string, now: Date): Promise<Imported> {
  const refused: string[] = [];
  const read = <S extends z.ZodType>(schema: S, row: DumpRow, what: string): z.output<S> | null => {
    const parsed = schema.safeParse(row);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    refused.push(`${what} ${row['id'] ?? '?'}: ${issue?.path.join('.')} ${issue?.message}`);
    return null;
  };
  const users = readDump(dump, 'auth', 'users').flatMap((row) => read(userRow, row, 'user') ?? []);
  const identities = readDump(dump, 'auth', 'identities').flatMap((row) => read(identityRow, row, 'identity') ?? []);
  const providers = new Map<string, string[]>();
  for (const identity of identities)
    providers.set(identity.user_id, [...(providers.get(identity.user_id) ?? []), identity.provider]);
  return db.transaction(async (tx) => {
    let [madeUsers, madeIdentities] = [0, 0];
    for (const user of users) if (await writeUser(tx, user, providers.get(user.id) ?? [], now)) madeUsers += 1;
    for (const identity of identities) if (await writeIdentity(tx, identity, now)) madeIdentities += 1;
    return { users: madeUsers, identities: madeIdentities, skipped: users.length - madeUsers, refused };
  });
}

/** Returns whether the account was written; false if it existed already. */
async function writeUser(
  tx: Transaction,
  user: ImportedUser,
  identityProviders: readonly string[],
  now: Date,
): Promise<boolean> {
  const confirmed = Boolean(user.email_confirmed_at ?? user.phone_confirmed_at) || user.is_anonymous;
  const providers = getProviders(user, identityProviders);
  const written = await tx.queryRow(
    `insert into auth.users (id, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at, invited_at, last_sign_in_at,
       raw_app_meta_data, raw_user_meta_data, created_at, banned_until, deleted_at, is_anonymous, is_sso_user)
     values ($1::uuid, $2, $3, $4, $5::timestamptz, $6::timestamptz, $7::timestamptz, $8::timestamptz, $9::jsonb, $10::jsonb,
       coalesce($11::timestamptz, $12::timestamptz), $13::timestamptz, $14::timestamptz, $15::boolean, $16::boolean)
     on conflict do nothing returning id`,
    [
      user.id,
      user.email,
      user.phone,
      confirmed ? user.encrypted_password : null,
      user.email_confirmed_at ?? null,
      user.phone_confirmed_at ?? null,
      user.invited_at ?? null,
      user.last_sign_in_at ?? null,
      { provider: providers[0], ...user.raw_app_meta_data, providers },
      user.raw_user_meta_data,
      user.created_at ?? null,
      now,
      user.banned_until ?? null,
      user.deleted_at ?? null,
      user.is_anonymous,
      user.is_sso_user,
    ],
  );
  if (written === null) return false;
  // As after a sign-up, the password of an unconfirmed account takes effect only with its code.
  const { id: userId, encrypted_password: passwordHash, raw_user_meta_data: data } = user;
  if (!confirmed && passwordHash !== null)
    await addSignUpAttempt(tx, { userId, passwordHash, data, ip: 'import', at: now });
  return true;
}

/** Returns the providers that the dump lists, else those of the identities, else those of email and phone. */
function getProviders(user: ImportedUser, identityProviders: readonly string[]): readonly unknown[] {
  const listed = user.raw_app_meta_data['providers'];
  if (Array.isArray(listed) && listed.length > 0) return listed;
  if (identityProviders.length > 0) return identityProviders;
  return [...(user.email ? ['email'] : []), ...(user.phone ? ['phone'] : [])];
}

/** Returns whether the identity was written. Skips email and phone identities, which were created with their account. */
async function writeIdentity(tx: Transaction, identity: z.output<typeof identityRow>, now: Date): Promise<boolean> {
  const written = await tx.queryRow(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at, created_at)
     select u.id, $2, $3, $4::jsonb, $5::timestamptz, coalesce($6::timestamptz, $7::timestamptz) from auth.users u
     where u.id = $1::uuid and $2 not in ('email', 'phone') on conflict do nothing returning id`,
    [
      identity.user_id,
      identity.provider,
      identity.provider_id ?? identity.id ?? identity.user_id,
      identity.identity_data,
      identity.last_sign_in_at ?? null,
      identity.created_at ?? null,
      now,
    ],
  );
  return written !== null;
}
