import type { Queryable } from '#server/db/database.ts';

export type UserRow = {
  id: string;
  email: string | null;
  /** Digits of E.164, without the plus. */
  phone: string | null;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  phone_confirmed_at: Date | null;
  confirmation_sent_at: Date | null;
  recovery_sent_at: Date | null;
  email_change: string | null;
  email_change_sent_at: Date | null;
  phone_change: string | null;
  phone_change_sent_at: Date | null;
  reauthentication_sent_at: Date | null;
  invited_at: Date | null;
  last_sign_in_at: Date | null;
  raw_app_meta_data: Record<string, unknown>;
  raw_user_meta_data: Record<string, unknown>;
  banned_until: Date | null;
  deleted_at: Date | null;
  is_anonymous: boolean;
  is_sso_user: boolean;
  identities: readonly Record<string, unknown>[];
  factors: readonly Record<string, unknown>[];
  created_at: Date;
  updated_at: Date;
};

/**
 * The columns of a `UserRow`, from `auth.users u`. A permanent ban is 'infinity', which would become an invalid Date and never compare as
 * later.
 */
export const USER_COLUMNS = `u.id, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at, u.confirmation_sent_at,
  u.recovery_sent_at, u.email_change, u.email_change_sent_at, u.phone_change, u.phone_change_sent_at, u.reauthentication_sent_at,
  u.invited_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data, u.created_at, u.updated_at, u.deleted_at, u.is_anonymous,
  u.is_sso_user,
  case when u.banned_until is not null then least(u.banned_until, timestamptz '9999-12-31 00:00:00+00') end as banned_until,
  coalesce((
    select jsonb_agg(jsonb_build_object(
      'identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id, 'identity_data', i.identity_data, 'provider', i.provider,
      'last_sign_in_at', i.last_sign_in_at, 'created_at', i.created_at, 'updated_at', i.updated_at, 'email', i.email
    ) order by i.created_at, i.id)
    from auth.identities i where i.user_id = u.id
  ), '[]'::jsonb) as identities,
  coalesce((
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'id', f.id, 'friendly_name', f.friendly_name, 'factor_type', f.factor_type, 'status', f.status, 'phone', f.phone,
      'last_challenged_at', f.last_challenged_at, 'created_at', f.created_at, 'updated_at', f.updated_at
    )) order by f.created_at, f.id)
    from auth.mfa_factors f where f.user_id = u.id
  ), '[]'::jsonb) as factors`;

export function userByEmail(db: Queryable, email: string): Promise<UserRow | null> {
  return db.queryRow<UserRow>(`select ${USER_COLUMNS} from auth.users u where u.email = $1 and u.deleted_at is null`, [
    email,
  ]);
}
export function userByPhone(db: Queryable, phone: string): Promise<UserRow | null> {
  return db.queryRow<UserRow>(`select ${USER_COLUMNS} from auth.users u where u.phone = $1 and u.deleted_at is null`, [
    phone,
  ]);
}
export function userById(db: Queryable, id: string): Promise<UserRow | null> {
  return db.queryRow<UserRow>(
    `select ${USER_COLUMNS} from auth.users u where u.id = $1::uuid and u.deleted_at is null`,
    [id],
  );
}
/** Locks an account until the transaction ends, so that concurrent changes of its factors, keys or identities are counted exactly. */
export async function lockUser(tx: Queryable, id: string): Promise<void> {
  await tx.query('select from auth.users where id = $1::uuid for update', [id]);
}
/** Reads several accounts, in unspecified order. */
export async function usersByIds(db: Queryable, ids: readonly string[]): Promise<readonly UserRow[]> {
  const { rows } = await db.query<UserRow>(
    `select ${USER_COLUMNS} from auth.users u where u.id = any($1::uuid[]) and u.deleted_at is null`,
    [ids],
  );
  return rows;
}
/** Returns one page of accounts, newest first, and the total. `page` counts from 1. */
export async function listUsers(
  db: Queryable,
  page: number,
  perPage: number,
): Promise<{ users: readonly UserRow[]; total: number }> {
  const { rows } = await db.query<UserRow>(
    `select ${USER_COLUMNS} from auth.users u where u.deleted_at is null order by u.created_at desc, u.id limit $1::int offset $2::bigint`,
    [perPage, (page - 1) * perPage],
  );
  const count = await db.queryRow<{ n: number }>('select count(*)::int as n from auth.users where deleted_at is null');
  return { users: rows, total: count?.n ?? 0 };
}

/** Whether the email or phone of the account is confirmed. An anonymous account has neither, and counts as confirmed. */
export function isConfirmed(row: UserRow): boolean {
  return row.is_anonymous || row.email_confirmed_at !== null || row.phone_confirmed_at !== null;
}
export function isBanned(row: UserRow, now: Date): boolean {
  return row.banned_until !== null && row.banned_until > now;
}
