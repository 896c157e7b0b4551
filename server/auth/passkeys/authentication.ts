import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { type UserRow, userById } from '../accounts/users.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type RequestInfo, type Handler, readBody, readRequestInfo } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { storeChallenge, notVerified, takeChallenge } from './ceremony.ts';
import { passkeyByCredential, toStored } from './passkey-rows.ts';
import { readAssertion, readClaim, requestOptions } from './relying-party.ts';

const schema = z.object({ challenge_id: z.uuid(), credential: z.unknown().optional() });

/** `POST /passkeys/authentication/options`: no account is named, because the authenticator knows its own keys. */
export function createSignInOptions(context: AuthContext): Handler {
  const { config, limits } = context;
  return async (c) => {
    await readBody(c, z.object({}));
    const wait = await limits(authLimits.passkeyIp, `ip:${c.var.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const options = await requestOptions(config.relyingParty, [], 'key');
    const kept = await storeChallenge(context, { kind: 'authentication', userId: null, challenge: options.challenge });
    return c.json({ ...kept, options });
  };
}

/** `POST /passkeys/authentication/verify`: signs in the owner of the passkey. */
export function createSignIn(context: AuthContext): Handler {
  const { db, clock, config, limits, sessions } = context;

  /** Returns the account of the passkey; null when the answer is invalid. Updates the counter under the passkey's lock. */
  async function ownerOf(tx: Transaction, sent: unknown, challenge: string): Promise<UserRow | null> {
    const claim = readClaim(sent);
    const passkey = claim && (await passkeyByCredential(tx, claim.credentialId));
    if (!passkey || claim.userHandle !== passkey.user_id) return null;
    const proof = await readAssertion(config.relyingParty, sent, challenge, toStored(passkey), 'key');
    if (!proof) return null;
    await tx.query(
      `update auth.webauthn_credentials set sign_count = $2::bigint, backed_up = $3::boolean,
         last_used_at = $4::timestamptz, updated_at = $4::timestamptz where id = $1::uuid`,
      [passkey.id, proof.counter, proof.backedUp, clock()],
    );
    return userById(tx, passkey.user_id);
  }

  type Begun = Awaited<ReturnType<typeof sessions.beginIn>>;
  function signIn(id: string, sent: unknown, request: RequestInfo): Promise<Begun | AuthRefusal> {
    return db.transaction(async (tx) => {
      const challenge = await takeChallenge(tx, { kind: 'authentication', userId: null, id, now: clock() });
      // Return refusals instead of throwing: the challenge must stay used.
      if (challenge instanceof AuthRefusal) return challenge;
      const user = await ownerOf(tx, sent, challenge);
      if (!user) {
        await record(tx, { action: 'passkey_refused', actorId: null, at: clock(), ip: request.ip });
        return notVerified();
      }
      if (!user.email_confirmed_at) return new AuthRefusal(403, 'email_not_confirmed', 'Email not confirmed');
      if (user.banned_until && user.banned_until > clock())
        return new AuthRefusal(403, 'user_banned', 'User is banned');
      return sessions.beginIn(tx, user, 'passkey', request);
    });
  }

  return async (c) => {
    const body = await readBody(c, schema);
    if (!body.credential) throw refuse.validation('credential is required');
    const request = readRequestInfo(c);
    const wait = await limits(authLimits.passkeyIp, `ip:${request.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const begun = await signIn(body.challenge_id, body.credential, request);
    if (begun instanceof AuthRefusal) throw begun;
    sessions.forget(begun.ended);
    return c.json(begun.answer);
  };
}
