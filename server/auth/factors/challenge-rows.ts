import type { Transaction } from '#server/db/database.ts';
import { AuthRefusal } from '../core/errors.ts';
import type { AuthContext } from '../core/context.ts';

export type ChallengeRow = { id: string; code_hash: string | null; web_authn_challenge: string | null };
/** An answer to a challenge of a factor, with the client's IP address. */
type ChallengeAttempt = { readonly challengeId: string; readonly factorId: string; readonly ip: string };

/** Wrong answers that a challenge allows. */
const ATTEMPTS_MAX = 5;

/**
 * Counts an attempt on the challenge, under its lock: of a thousand concurrent guesses, five are checked. Returns null if the challenge can
 * no longer be answered.
 */
export function countAttempt(
  { clock }: AuthContext,
  tx: Transaction,
  { challengeId, factorId, ip }: ChallengeAttempt,
): Promise<ChallengeRow | null> {
  return tx.queryRow<ChallengeRow>(
    `update auth.mfa_challenges set attempts = attempts + 1
     where id = $1::uuid and factor_id = $2::uuid and ip_address = $3 and verified_at is null
       and expires_at > $4::timestamptz and attempts < $5::int
     returning id, code_hash, web_authn_challenge`,
    [challengeId, factorId, ip, clock(), ATTEMPTS_MAX],
  );
}

/** Marks a challenge as answered, so that it cannot be answered again. */
export async function markVerified(tx: Transaction, challengeId: string, at: Date): Promise<void> {
  await tx.query('update auth.mfa_challenges set verified_at = $2::timestamptz where id = $1::uuid', [challengeId, at]);
}

/**
 * Returns the error for a closed challenge: it belongs to another factor or IP address, was used, has expired, or had too many attempts.
 */
export async function closedRefusal(
  { db, clock }: AuthContext,
  { challengeId, factorId, ip }: ChallengeAttempt,
): Promise<AuthRefusal> {
  const row = await db.queryRow<{ ip_address: string; verified_at: Date | null; expires_at: Date }>(
    'select ip_address, verified_at, expires_at from auth.mfa_challenges where id = $1::uuid and factor_id = $2::uuid',
    [challengeId, factorId],
  );
  if (!row) return new AuthRefusal(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found');
  if (row.verified_at !== null || row.ip_address !== ip)
    return new AuthRefusal(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.');
  const reason = row.expires_at <= clock() ? 'has expired' : 'has had too many attempts';
  return new AuthRefusal(
    422,
    'mfa_challenge_expired',
    `MFA challenge ${challengeId} ${reason}, verify against another challenge or create a new challenge.`,
  );
}
