import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { recordEvent } from '../core/audit-log.ts';
import { refuse } from '../core/errors.ts';
import { countAttempt, markVerified } from './challenge-rows.ts';
import { checkAnswer, type FactorUpdate } from './check-answer.ts';
import type { FactorRow } from './factor-rows.ts';
import type { AuthContext } from '../core/context.ts';

/** The fields of a request that answers a challenge of a factor. */
export const factorAnswerFields = {
  challenge_id: z.uuid(),
  code: z.string().max(32).nullish(),
  webauthn: z.object({ type: z.string().max(16), credential_response: z.unknown().optional() }).nullish(),
} as const;
type Fields = z.output<z.ZodObject<typeof factorAnswerFields>>;
/** Checks that an answer has the parts that its factor needs. */
export function checkShape(factor: FactorRow, body: Fields): void {
  if (factor.factor_type !== 'webauthn') {
    if (!body.code) throw refuse.validation('Code needs to be non-empty');
    return;
  }
  if (!body.webauthn) throw refuse.validation('WebAuthn config required');
  const { type, credential_response: response } = body.webauthn;
  if (type !== 'create' && type !== 'request') throw refuse.validation('WebAuthn type must be create or request');
  if (response === undefined || response === null) throw refuse.validation('credential_response required');
  if ((type === 'create') !== (factor.status === 'unverified'))
    throw refuse.validation('WebAuthn type does not match the status of the factor');
}

/**
 * Answers a challenge of a locked factor. Returns the update of the factor. A refused answer is returned instead of thrown, because a throw
 * would roll back the counted attempt. `closed`: the challenge can no longer be answered.
 */
export async function answerFactor(
  context: AuthContext,
  tx: Transaction,
  factor: FactorRow,
  { ip, ...body }: Fields & { readonly ip: string },
): Promise<FactorUpdate | 'wrong' | 'closed'> {
  checkShape(factor, body);
  const { clock } = context;
  const challenge = await countAttempt(context, tx, { challengeId: body.challenge_id, factorId: factor.id, ip });
  if (challenge === null) return 'closed';
  const update = await checkAnswer(context, factor, challenge, {
    code: body.code ?? '',
    credential: body.webauthn?.credential_response,
  });
  const details = {
    factor_id: factor.id,
    factor_type: factor.factor_type,
    challenge_id: challenge.id,
    verified: update !== null,
  };
  await recordEvent(tx, { action: 'verification_attempted', actorId: factor.user_id, at: clock(), ip, details });
  if (update === null) return 'wrong';
  await markVerified(tx, challenge.id, clock());
  return update;
}

/**
 * Stores the update of a factor after a right answer, so that a TOTP code is accepted once and a counter only grows. The first right answer
 * verifies the factor.
 */
export async function storeAnswer(
  { clock }: AuthContext,
  tx: Transaction,
  factorId: string,
  update: FactorUpdate,
): Promise<void> {
  await tx.query(
    `update auth.mfa_factors set status = 'verified', updated_at = $2::timestamptz, last_step = coalesce($3::bigint, last_step),
       web_authn_credential = coalesce($4::jsonb, web_authn_credential) where id = $1::uuid`,
    [factorId, clock(), update.step ?? null, update.credential ?? null],
  );
}
