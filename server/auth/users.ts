import type { Transaction } from '#server/db/database.ts';

export type UserRow = {
  id: string;
  email: string;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  confirmation_sent_at: Date | null;
  recovery_sent_at: Date | null;
  email_change: string | null;
  email_change_sent_at: Date | null;
  last_sign_in_at: Date | null;
  raw_app_meta_data: Record<string, unknown>;
  raw_user_meta_data: Record<string, unknown>;
  banned_until: Date | null;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = `id, email, encrypted_password, email_confirmed_at, confirmation_sent_at, recovery_sent_at, email_change, email_change_sent_at,
  last_sign_in_at, raw_app_meta_data, raw_user_meta_data, banned_until, created_at, updated_at`;

type Ask = Pick<Transaction, 'one'>;

export function userByEmail(db: Ask, email: string): Promise<UserRow | null> {
  return db.one<UserRow>(`select ${COLUMNS} from auth.users where email = $1 and deleted_at is null`, [email]);
}
export function userById(db: Ask, id: string): Promise<UserRow | null> {
  return db.one<UserRow>(`select ${COLUMNS} from auth.users where id = $1::uuid and deleted_at is null`, [id]);
}

/** The user as the wire shows it; no hash, no token. */
export function toUser(row: UserRow): Record<string, unknown> {
  return {
    id: row.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: row.email,
    phone: '',
    email_confirmed_at: row.email_confirmed_at,
    confirmed_at: row.email_confirmed_at,
    confirmation_sent_at: row.confirmation_sent_at,
    recovery_sent_at: row.recovery_sent_at,
    ...(row.email_change === null
      ? {}
      : { new_email: row.email_change, email_change_sent_at: row.email_change_sent_at }),
    last_sign_in_at: row.last_sign_in_at,
    app_metadata: row.raw_app_meta_data,
    user_metadata: row.raw_user_meta_data,
    identities: [
      {
        identity_id: row.id,
        id: row.id,
        user_id: row.id,
        identity_data: {
          ...row.raw_user_meta_data,
          email: row.email,
          email_verified: row.email_confirmed_at !== null,
          sub: row.id,
        },
        provider: 'email',
        last_sign_in_at: row.last_sign_in_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
        email: row.email,
      },
    ],
    factors: [],
    created_at: row.created_at,
    updated_at: row.updated_at,
    is_anonymous: false,
  };
}
