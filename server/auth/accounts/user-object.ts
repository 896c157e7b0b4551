import type { UserRow } from './users.ts';

/** The user object of the API, without hashes and tokens. */
export function toUser(row: UserRow): Record<string, unknown> {
  return {
    id: row.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: row.email ?? '',
    phone: row.phone ?? '',
    email_confirmed_at: row.email_confirmed_at,
    ...optional('phone_confirmed_at', row.phone_confirmed_at),
    confirmed_at: row.email_confirmed_at ?? row.phone_confirmed_at,
    confirmation_sent_at: row.confirmation_sent_at,
    recovery_sent_at: row.recovery_sent_at,
    ...optional('invited_at', row.invited_at),
    ...optional('reauthentication_sent_at', row.reauthentication_sent_at),
    ...(row.email_change === null
      ? {}
      : { new_email: row.email_change, email_change_sent_at: row.email_change_sent_at }),
    ...(row.phone_change === null
      ? {}
      : { new_phone: row.phone_change, phone_change_sent_at: row.phone_change_sent_at }),
    last_sign_in_at: row.last_sign_in_at,
    app_metadata: row.raw_app_meta_data,
    user_metadata: row.raw_user_meta_data,
    identities: row.identities,
    factors: row.factors,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...optional('banned_until', row.banned_until),
    ...optional('deleted_at', row.deleted_at),
    is_anonymous: row.is_anonymous,
    ...(row.is_sso_user ? { is_sso_user: true } : {}),
  };
}
/** Returns an object with the field, or an empty object if the field has no value. */
function optional(name: string, value: unknown): Record<string, unknown> {
  return value === null ? {} : { [name]: value };
}
