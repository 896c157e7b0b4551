import type { Transaction } from '#server/db/database.ts';
import type { Keys } from '#server/crypto/keys.ts';

/** Marks a proof as used. Returns false when the token was used before. `until`: when it expires. */
export async function markUsed(
  tx: Pick<Transaction, 'one'>,
  keys: Keys,
  proof: { kind: string; text: string; until: Date },
): Promise<boolean> {
  const hash = keys.hmac(`shown-${proof.kind}`, proof.text).toString('base64url');
  const row = await tx.one(
    `insert into auth.used_proofs (proof_hash, expires_at) values ($1, $2::timestamptz) on conflict do nothing returning proof_hash`,
    [hash, proof.until],
  );
  return row !== null;
}
