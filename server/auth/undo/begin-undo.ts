import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody } from '../core/request.ts';
import { beginChallenge } from '../factors/challenge.ts';
import { type FactorRow, readFactors } from '../factors/factor-rows.ts';
import { lockReplaced, type ReplacedEmail } from '../codes/replaced-emails.ts';
import type { AuthContext } from '../core/context.ts';

const tokenSchema = z.object({ token_hash: z.string().max(200) });
const challengeSchema = tokenSchema.extend({ factor_id: z.uuid() });

/**
 * `POST /email-undo`: begins to undo a change of address. Returns the address, and the second factors of which one must be proved.
 * Idempotent. Supabase Auth has no such call.
 */
export async function beginUndo(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock } = context;
  const { token_hash: token } = await readBody(c, tokenSchema);
  await takeLimit(context, authLimits.verifyIp, `ip:${c.var.ip}`);
  const begun = await db.transaction(async (tx) => {
    const replaced = await lockReplaced(context, tx, token);
    const at = clock();
    const { count } = await tx.query(
      'update auth.replaced_emails set begun_at = $2::timestamptz where id = $1::uuid and begun_at is null',
      [replaced.id, at],
    );
    if (count > 0)
      await recordEvent(tx, { action: 'user_email_undo_begun', actorId: replaced.userId, at, ip: c.var.ip });
    return { replaced, factors: await requiredFactors(tx, replaced) };
  });
  return c.json({
    email: begun.replaced.email,
    expires_at: Math.floor(begun.replaced.expiresAt.getTime() / 1000),
    factors: begun.factors.map((factor) => ({
      id: factor.id,
      factor_type: factor.factor_type,
      friendly_name: factor.friendly_name,
    })),
  });
}

/** `POST /email-undo/challenge`: begins a challenge of one of the required factors. The answer goes to `/email-undo/complete`. */
export async function challengeUndo(context: AuthContext, c: Call): Promise<Response> {
  const { token_hash: token, factor_id: factorId } = await readBody(c, challengeSchema);
  await takeLimit(context, authLimits.verifyIp, `ip:${c.var.ip}`);
  const factors = await context.db.transaction(async (tx) =>
    requiredFactors(tx, await lockReplaced(context, tx, token)),
  );
  const factor = factors.find((factor) => factor.id === factorId);
  if (!factor) throw new AuthRefusal(404, 'mfa_factor_not_found', 'Factor not found');
  return beginChallenge(context, c, factor);
}

/** Returns the factors of which one must be proved: those that the account had when the address was replaced and still has. */
export async function requiredFactors(tx: Transaction, replaced: ReplacedEmail): Promise<readonly FactorRow[]> {
  const factors = await readFactors(tx, replaced.userId);
  return factors.filter((factor) => factor.status === 'verified' && replaced.factorIds.includes(factor.id));
}
