import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { resetLimit } from '#server/http/limits.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody, requireUser, type SignedInUser } from '../core/request.ts';
import { endAllSessions } from '../sessions/end.ts';
import type { SessionResponse } from '../sessions/session-response.ts';
import { stepUpSession } from '../sessions/step-up.ts';
import { answerFactor, checkShape, factorAnswerFields, storeAnswer } from './answer-factor.ts';
import type { FactorUpdate } from './check-answer.ts';
import { closedRefusal } from './challenge-rows.ts';
import { factorDisabled, wrongAnswer } from './factor-refusals.ts';
import { type FactorRow, type FactorType, readPathFactor } from './factor-rows.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object(factorAnswerFields);
type Body = z.output<typeof schema>;
const METHODS: Readonly<Record<FactorType, string>> = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
};

/** `POST /factors/:id/verify`: raises the session to aal2. The first right answer verifies the factor. Other sessions at aal1 end. */
export async function verifyFactor(context: AuthContext, c: Call): Promise<Response> {
  const { db, config, sessions } = context;
  const caller = await requireUser(context, c);
  const body = await readBody(c, schema);
  const factor = await readPathFactor(db, c, caller.userId);
  checkShape(factor, body);
  if (!config.factors[factor.factor_type]) throw factorDisabled(factor.factor_type);
  const key = `factor:${factor.id}`;
  await takeLimit(context, authLimits.factorAttempts, key);
  const outcome = await answerChallenge(context, c, caller, body);
  if (outcome === 'closed')
    throw await closedRefusal(context, { challengeId: body.challenge_id, factorId: factor.id, ip: c.var.ip });
  if (outcome === 'wrong') throw wrongAnswer(factor.factor_type);
  await resetLimit(db, { limit: authLimits.factorAttempts, key });
  sessions.forget(outcome.ended);
  return c.json(outcome.response);
}

/** `closed`: the challenge can no longer be answered. */
type Outcome = { readonly response: SessionResponse; readonly ended: readonly string[] } | 'wrong' | 'closed';

/**
 * Answers a challenge in one transaction. A refused answer is returned instead of thrown, because a throw would roll back the counted
 * attempt.
 */
function answerChallenge(context: AuthContext, c: Call, caller: SignedInUser, body: Body): Promise<Outcome> {
  const { ip } = c.var;
  return context.db.transaction(async (tx) => {
    // The factor is locked first, so that concurrent answers are checked one after another and a TOTP code is accepted once.
    const factor = await readPathFactor(tx, c, caller.userId, 'lock');
    const answer = await answerFactor(context, tx, factor, { ...body, ip });
    if (answer === 'closed' || answer === 'wrong') return answer;
    return acceptFactor(context, tx, caller, factor, answer);
  });
}

/** Stores the answer in the factor, raises the session, and ends the sessions without a second factor. */
async function acceptFactor(
  context: AuthContext,
  tx: Transaction,
  caller: SignedInUser,
  factor: FactorRow,
  update: FactorUpdate,
): Promise<{ response: SessionResponse; ended: readonly string[] }> {
  await storeAnswer(context, tx, factor.id, update);
  await tx.query(
    `delete from auth.mfa_factors where user_id = $1::uuid and factor_type = $2 and status = 'unverified'`,
    [caller.userId, factor.factor_type],
  );
  const response = await stepUpSession(context, tx, caller, { method: METHODS[factor.factor_type], aal: 'aal2' });
  await tx.query('update auth.sessions set factor_id = $2::uuid where id = $1::uuid', [caller.sessionId, factor.id]);
  return { response, ended: await endAllSessions(tx, caller.userId, 'aal1') };
}
