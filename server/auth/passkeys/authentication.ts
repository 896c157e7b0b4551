import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { isBanned, type UserRow, userById } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody, readRequestInfo, type RequestInfo } from '../core/request.ts';
import { type BegunSession, beginSessionIn } from '../sessions/begin.ts';
import { readAssertion, readClaim, requestOptions } from '../webauthn/assertion.ts';
import { storeChallenge, takeChallenge, verificationFailed } from './challenges.ts';
import { passkeyByCredential, toStored } from './passkey-rows.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({ challenge_id: z.uuid(), credential: z.unknown().optional() });

/**
 * `POST /passkeys/authentication/options`: the options of a sign-in. They name no account, because the authenticator finds its own keys.
 */
export async function passkeySignInOptions(context: AuthContext, c: Call): Promise<Response> {
  await readBody(c, z.object({}));
  await takeLimit(context, authLimits.passkeyIp, `ip:${c.var.ip}`);
  const options = await requestOptions(context.config.relyingParty, [], 'passkey');
  const { challenge } = options;
  const stored = await storeChallenge(context, { kind: 'authentication', userId: null, challenge });
  return c.json({ ...stored, options });
}

/** The answer of an authenticator to a challenge. */
type PasskeyAnswer = { readonly challengeId: string; readonly credential: unknown };

/** `POST /passkeys/authentication/verify`: signs in the owner of the passkey. */
export async function signInWithPasskey(context: AuthContext, c: Call): Promise<Response> {
  const { db, sessions } = context;
  const body = await readBody(c, schema);
  if (!body.credential) throw refuse.validation('credential is required');
  const request = readRequestInfo(c);
  await takeLimit(context, authLimits.passkeyIp, `ip:${request.ip}`);
  const answer = { challengeId: body.challenge_id, credential: body.credential };
  const begun = await db.transaction((tx) => signInIn(context, tx, answer, request));
  if (begun instanceof AuthRefusal) throw begun;
  sessions.forget(begun.ended);
  return c.json(begun.response);
}

/** Returns refusals instead of throwing them, so that the challenge stays used. */
async function signInIn(
  context: AuthContext,
  tx: Transaction,
  { challengeId, credential }: PasskeyAnswer,
  request: RequestInfo,
): Promise<BegunSession | AuthRefusal> {
  const challenge = await takeChallenge(context, tx, { kind: 'authentication', userId: null, id: challengeId });
  if (challenge instanceof AuthRefusal) return challenge;
  const user = await findOwner(context, tx, credential, challenge);
  const now = context.clock();
  if (!user) {
    await recordEvent(tx, { action: 'passkey_refused', actorId: null, at: now, ip: request.ip });
    return verificationFailed();
  }
  if (!user.email_confirmed_at) return refuse.emailUnconfirmed(403);
  if (isBanned(user, now)) return refuse.banned(403);
  return beginSessionIn(context, tx, user, 'passkey', request);
}

/** Returns the account of the passkey, or null if the answer is invalid. Updates the counter under the passkey's lock. */
async function findOwner(
  { clock, config }: AuthContext,
  tx: Transaction,
  credential: unknown,
  challenge: string,
): Promise<UserRow | null> {
  const claim = readClaim(credential);
  const passkey = claim && (await passkeyByCredential(tx, claim.credentialId));
  if (!passkey || claim.userHandle !== passkey.user_id) return null;
  const proof = await readAssertion(config.relyingParty, credential, challenge, toStored(passkey), 'passkey');
  if (!proof) return null;
  await tx.query(
    `update auth.webauthn_credentials set sign_count = $2::bigint, backed_up = $3::boolean,
       last_used_at = $4::timestamptz, updated_at = $4::timestamptz where id = $1::uuid`,
    [passkey.id, proof.counter, proof.backedUp, clock()],
  );
  return userById(tx, passkey.user_id);
}
