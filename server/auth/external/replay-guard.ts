import type { Transaction } from '#server/db/database.ts';
import type { AuthContext } from '../core/context.ts';

/** A proof that may be used once, such as an id token or a signed message. `until`: when it expires. */
type Proof = { readonly kind: string; readonly text: string; readonly until: Date };

/** Marks a proof as used. Returns false if it was used before. */
export async function markUsed({ keys }: AuthContext, tx: Transaction, proof: Proof): Promise<boolean> {
  const [hash, ...earlier] = keys.hmacs(`used-${proof.kind}`, proof.text).map((hmac) => hmac.toString('base64url'));
  const row = await tx.queryRow(
    `insert into auth.used_proofs (proof_hash, expires_at) select $1, $2::timestamptz
     where not exists (select from auth.used_proofs u where u.proof_hash = any($3::text[])) on conflict do nothing returning proof_hash`,
    [hash, proof.until, earlier],
  );
  return row !== null;
}
