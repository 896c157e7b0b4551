import type { Transaction, Queryable } from '#server/db/database.ts';
import type { SessionMethod } from './session-response.ts';

/** The ways in which a session can begin, with Supabase Auth's names. */
export type SignInMethod =
  | 'password'
  | 'otp'
  | 'recovery'
  | 'magiclink'
  | 'invite'
  | 'email/signup'
  | 'email_change'
  | 'anonymous'
  | 'oauth'
  | 'sso/saml'
  | 'web3'
  | 'passkey';

export type Assurance = 'aal1' | 'aal2';

export type SessionRow = {
  user_id: string;
  /** The generation of the newest refresh token. */
  generation: number;
  /** When the last refresh tokens were rotated, oldest first. */
  rotated_at: Date[];
  method: string;
  aal: Assurance;
  /** The methods that were proved after the sign-in, newest first. */
  amr: SessionMethod[];
  created_at: Date;
  refreshed_at: Date;
};
export const SESSION_COLUMNS = 'user_id, generation, rotated_at, method, aal, amr, created_at, refreshed_at';

/** Reads a session, and locks it until the transaction ends. */
export function lockSession(tx: Transaction, id: string): Promise<SessionRow | null> {
  return tx.queryRow<SessionRow>(`select ${SESSION_COLUMNS} from auth.sessions where id = $1::uuid for update`, [id]);
}

/** Reads the stored state of a user's session, which may be newer than its token. Returns null if it has ended. */
export function readSession(
  db: Queryable,
  of: { sessionId: string; userId: string },
): Promise<Pick<SessionRow, 'aal' | 'created_at'> | null> {
  return db.queryRow<SessionRow>(
    'select aal, created_at from auth.sessions where id = $1::uuid and user_id = $2::uuid',
    [of.sessionId, of.userId],
  );
}

/** Returns the methods of a session, newest first. The sign-in comes last. */
export function sessionMethods(row: Pick<SessionRow, 'method' | 'created_at' | 'amr'>): SessionMethod[] {
  const method = row.method === 'recovery' ? 'otp' : row.method;
  return [...row.amr, { method, timestamp: Math.floor(row.created_at.getTime() / 1000) }];
}
