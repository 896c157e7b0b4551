import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { resetLimit } from '#server/http/limits.ts';
import { recordEvent } from '../core/audit-log.ts';
import type { Needs } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody, requireUser, type SignedInUser } from '../core/request.ts';
import { endAllSessions } from '../sessions/end.ts';
import type { ResponseContext, SessionResponse } from '../sessions/session-response.ts';
import { stepUpSession } from '../sessions/step-up.ts';
import { type AnswerContext, checkAnswer, type FactorUpdate } from './check-answer.ts';
import { countAttempt, closedRefusal, markVerified } from './challenge-rows.ts';
import { factorDisabled, wrongAnswer } from './factor-refusals.ts';
import { type FactorRow, type FactorType, readPathFactor } from './factor-rows.ts';

const schema = z.object({
  challenge_id: z.uuid(),
  code: z.string().max(32).nullish(),
  webauthn: z.object({ type: z.string().max(16), credential_response: z.unknown().optional() }).nullish(),
});
type Body = z.output<typeof schema>;
type VerifyContext = ResponseContext & AnswerContext & Needs<'db'>;

const METHODS: Readonly<Record<FactorType, string>> = {
  totp: 'totp',
  phone: 'mfa/phone',
  webauthn: 'mfa/webauthn',
};

/** `POST /factors/:id/verify`: raises the session to aal2. The first right answer verifies the factor. Other sessions at aal1 end. */
export async function verifyFactor(
  context: VerifyContext & Needs<'limits' | 'readCaller' | 'sessions', 'factors'>,
  c: Call,
): Promise<Response> {
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

/** Checks that the answer has the parts that its factor needs. */
function checkShape(factor: FactorRow, body: Body): void {
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

/** `closed`: the challenge cannot be answered any more. */
type Outcome = { readonly response: SessionResponse; readonly ended: readonly string[] } | 'wrong' | 'closed';

/** Answers a challenge in one transaction. Returns a refused answer instead of throwing: a throw would roll the counted attempt back. */
function answerChallenge(context: VerifyContext, c: Call, caller: SignedInUser, body: Body): Promise<Outcome> {
  const { db, clock } = context;
  const { ip } = c.var;
  return db.transaction(async (tx) => {
    // Lock the factor first: concurrent answers are checked one after the other, so a TOTP code is accepted once.
    const factor = await readPathFactor(tx, c, caller.userId, 'lock');
    const challenge = await countAttempt(context, tx, { challengeId: body.challenge_id, factorId: factor.id, ip });
    if (challenge === null) return 'closed';
    const update = await checkAnswer(context, factor, challenge, {
      code: body.code ?? '',
      credential: body.webauthn?.credential_response,
    });
    const { id, factor_type } = factor;
    const details = { factor_id: id, factor_type, challenge_id: challenge.id, verified: update !== null };
    await recordEvent(tx, { action: 'verification_attempted', actorId: caller.userId, at: clock(), ip, details });
    if (update === null) return 'wrong';
    await markVerified(tx, challenge.id, clock());
    return acceptFactor(context, tx, caller, factor, update);
  });
}

/** Stores the answer in the factor, raises the session, and ends the sessions without a second factor. */
async function acceptFactor(
  context: ResponseContext,
  tx: Transaction,
  caller: SignedInUser,
  factor: FactorRow,
  update: FactorUpdate,
): Promise<{ response: SessionResponse; ended: readonly string[] }> {
  await tx.query(
    `update auth.mfa_factors set status = 'verified', updated_at = $2::timestamptz, last_step = coalesce($3::bigint, last_step),
       web_authn_credential = coalesce($4::jsonb, web_authn_credential) where id = $1::uuid`,
    [factor.id, context.clock(), update.step ?? null, update.credential ?? null],
  );
  await tx.query(
    `delete from auth.mfa_factors where user_id = $1::uuid and factor_type = $2 and status = 'unverified'`,
    [caller.userId, factor.factor_type],
  );
  const response = await stepUpSession(context, tx, caller, { method: METHODS[factor.factor_type], aal: 'aal2' });
  await tx.query('update auth.sessions set factor_id = $2::uuid where id = $1::uuid', [caller.sessionId, factor.id]);
  return { response, ended: await endAllSessions(tx, caller.userId, 'aal1') };
}
