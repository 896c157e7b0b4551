import type { Transaction } from '#server/db/database.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { AuthContext } from '../core/context.ts';

type Kind = 'registration' | 'authentication';
const CHALLENGE_SECONDS = 300;

/** Stores a challenge, which allows one answer. Returns its id and its expiry in Unix seconds. */
export async function storeChallenge(
  { db, clock }: AuthContext,
  of: { kind: Kind; userId: string | null; challenge: string },
): Promise<{ challenge_id: string; expires_at: number }> {
  const now = clock();
  const expires = new Date(now.getTime() + CHALLENGE_SECONDS * 1000);
  const row = await db.queryRow<{ id: string }>(
    `insert into auth.webauthn_challenges (user_id, challenge_type, challenge, expires_at, created_at)
     values ($1::uuid, $2, $3, $4::timestamptz, $5::timestamptz) returning id`,
    [of.userId, of.kind, of.challenge, expires, now],
  );
  return { challenge_id: row?.id ?? '', expires_at: Math.floor(expires.getTime() / 1000) };
}

/** Takes a challenge, so that it can be answered once, right or wrong. Returns a refusal if it is missing or expired. */
export async function takeChallenge(
  { clock }: AuthContext,
  tx: Transaction,
  of: { kind: Kind; userId: string | null; id: string },
): Promise<string | AuthRefusal> {
  const row = await tx.queryRow<{ challenge: string; expires_at: Date }>(
    `delete from auth.webauthn_challenges where id = $1::uuid and challenge_type = $2 and user_id is not distinct from $3::uuid
     returning challenge, expires_at`,
    [of.id, of.kind, of.userId],
  );
  if (!row) return new AuthRefusal(400, 'webauthn_challenge_not_found', 'Challenge not found or already used');
  if (row.expires_at <= clock()) return new AuthRefusal(400, 'webauthn_challenge_expired', 'Challenge has expired');
  return row.challenge;
}

export const verificationFailed = (): AuthRefusal =>
  new AuthRefusal(400, 'webauthn_verification_failed', 'Credential verification failed');
