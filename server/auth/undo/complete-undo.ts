import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { checkPassword } from '../accounts/password-rules.ts';
import { hashPassword } from '../accounts/passwords.ts';
import { lockUser, type UserRow, userById } from '../accounts/users.ts';
import { revokeTokens } from '../codes/revoke-tokens.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody } from '../core/request.ts';
import { writeProviders } from '../external/identity-rows.ts';
import { answerFactor, factorAnswerFields, storeAnswer } from '../factors/answer-factor.ts';
import { wrongAnswer } from '../factors/factor-refusals.ts';
import { endAllSessions } from '../sessions/end.ts';
import { withProvider } from '../verify/with-provider.ts';
import { requiredFactors } from './begin-undo.ts';
import { lockReplaced, type ReplacedEmail } from '../codes/replaced-emails.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  token_hash: z.string().max(200),
  password: z.string().max(1_024),
  factor_id: z.uuid().nullish(),
  ...factorAnswerFields,
  challenge_id: z.uuid().nullish(),
});
type Body = z.output<typeof schema>;
/**
 * `POST /email-undo/complete`: restores the account's replaced address, sets a new password and ends all sessions. Requires one of the
 * second factors that the account had at the time of the change and still has. Removes credentials that were added around the change.
 */
export async function completeUndo(context: AuthContext, c: Call): Promise<Response> {
  const { db, sessions } = context;
  const body = await readBody(c, schema);
  const { ip } = c.var;
  await takeLimit(context, authLimits.verifyIp, `ip:${ip}`);
  checkPassword(context, body.password);
  if (body.factor_id) await takeLimit(context, authLimits.factorAttempts, `factor:${body.factor_id}`);
  const hash = await hashPassword(body.password);
  const outcome = await db.transaction(async (tx) => {
    const replaced = await lockReplaced(context, tx, body.token_hash);
    await lockUser(tx, replaced.userId);
    const user = await userById(tx, replaced.userId);
    if (!user) throw refuse.wrongCode();
    // The refusal is returned, because a throw would roll back the counted attempt.
    const refusal = await proveFactor(context, tx, replaced, body, ip);
    if (refusal !== null) return refusal;
    return restore(context, tx, { replaced, user, hash, ip });
  });
  if (outcome instanceof AuthRefusal) throw outcome;
  sessions.forget(outcome);
  return c.json({});
}

/** Checks the answer of a required factor. Returns null if it is right or no factor is required. */
async function proveFactor(
  context: AuthContext,
  tx: Transaction,
  replaced: ReplacedEmail,
  body: Body,
  ip: string,
): Promise<AuthRefusal | null> {
  const required = await requiredFactors(tx, replaced);
  if (required.length === 0) return null;
  const factor = required.find((factor) => factor.id === body.factor_id);
  const challengeId = body.challenge_id;
  if (!factor || !challengeId)
    throw new AuthRefusal(401, 'insufficient_aal', 'Undoing this change needs the second step of the account.');
  const answer = await answerFactor(context, tx, factor, { ...body, challenge_id: challengeId, ip });
  if (answer === 'closed') return new AuthRefusal(422, 'mfa_challenge_expired', 'Ask for a new code and try again.');
  if (answer === 'wrong') return wrongAnswer(factor.factor_type);
  await storeAnswer(context, tx, factor.id, answer);
  return null;
}

type Restored = {
  readonly replaced: ReplacedEmail;
  readonly user: UserRow;
  readonly hash: string;
  readonly ip: string;
};

/** Restores the account. Returns the ids of the sessions that ended. */
async function restore(
  { clock }: AuthContext,
  tx: Transaction,
  { replaced, user, hash, ip }: Restored,
): Promise<readonly string[]> {
  const at = clock();
  // Deletes this link and the links to addresses that came later, whose owners may have made the change that is undone.
  await tx.query('delete from auth.replaced_emails where user_id = $1::uuid and replaced_at >= $2::timestamptz', [
    user.id,
    replaced.replacedAt,
  ]);
  await removeNewCredentials(tx, replaced);
  await tx.query(`select set_config('auth.undoing', $1, true)`, [user.id]);
  await tx.query(
    `update auth.users u set email = $2, email_confirmed_at = coalesce(u.email_confirmed_at, $3::timestamptz), email_change = null,
       email_change_sent_at = null, email_change_confirm_status = 0, phone_change = null, phone_change_sent_at = null,
       encrypted_password = $4, raw_app_meta_data = ${withProvider('email')},
       phone = case when not exists (select from auth.users o where o.phone = $5 and o.id <> u.id and o.deleted_at is null) then $5 end,
       phone_confirmed_at = case when not exists (select from auth.users o where o.phone = $5 and o.id <> u.id and o.deleted_at is null)
         then $6::timestamptz end
     where id = $1::uuid`,
    [user.id, replaced.email, at, hash, replaced.phone, replaced.phoneConfirmedAt],
  );
  await tx.query(`select set_config('auth.undoing', '', true)`);
  await revokeTokens(tx, user);
  await recordEvent(tx, { action: 'user_email_undone', actorId: user.id, at, ip });
  return endAllSessions(tx, user.id);
}

/**
 * Removes second factors that were added since the address was replaced, and passkeys and identities of other providers that were added
 * since or in the three days before, because a thief with a stolen session adds them before changing the address.
 */
async function removeNewCredentials(
  tx: Transaction,
  { userId, factorIds, phone, replacedAt }: ReplacedEmail,
): Promise<void> {
  await tx.query('delete from auth.mfa_factors where user_id = $1::uuid and id <> all($2::uuid[])', [
    userId,
    factorIds,
  ]);
  const since = `created_at > $2::timestamptz - interval '72 hours'`;
  await tx.query(`delete from auth.webauthn_credentials where user_id = $1::uuid and ${since}`, [userId, replacedAt]);
  await tx.query(
    `delete from auth.identities where user_id = $1::uuid
       and (provider not in ('email', 'phone') and ${since} or provider = 'phone' and $3::text is null)`,
    [userId, replacedAt, phone],
  );
  await writeProviders(tx, userId);
}
