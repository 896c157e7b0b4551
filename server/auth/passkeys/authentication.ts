import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { type UserRow, userById } from '../accounts/users.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type From, type Operation, readBody, readFrom } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { keepChallenge, notVerified, takeChallenge } from './ceremony.ts';
import { passkeyByCredential, toStored } from './passkey-rows.ts';
import { readAssertion, readClaim, requestOptions } from './relying-party.ts';

const schema = z.object({ challenge_id: z.uuid(), credential: z.unknown().optional() });

/** `POST /passkeys/authentication/options`: for whoever holds a key; which, the authenticator knows. */
export function createSignInOptions(parts: AuthContext): Operation {
  const { config, limits } = parts;
  return async (c) => {
    await readBody(c, z.object({}));
    const wait = await limits(authLimits.passkeyIp, `ip:${c.var.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const options = await requestOptions(config.relyingParty, [], 'key');
    const kept = await keepChallenge(parts, { kind: 'authentication', userId: null, challenge: options.challenge });
    return c.json({ ...kept, options });
  };
}

/** `POST /passkeys/authentication/verify`: begins a session for the holder of the key. */
export function createSignIn(parts: AuthContext): Operation {
  const { db, clock, config, limits, sessions } = parts;

  /** The account of the key that answered; null when the answer does not hold. The counter moves on under the key's lock. */
  async function holderOf(tx: Transaction, sent: unknown, challenge: string): Promise<UserRow | null> {
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
  function signIn(id: string, sent: unknown, from: From): Promise<Begun | AuthRefusal> {
    return db.transaction(async (tx) => {
      const challenge = await takeChallenge(tx, { kind: 'authentication', userId: null, id, now: clock() });
      // Refusals are answered, not thrown: the challenge must stay used.
      if (challenge instanceof AuthRefusal) return challenge;
      const user = await holderOf(tx, sent, challenge);
      if (!user) {
        await record(tx, { action: 'passkey_refused', actorId: null, at: clock(), ip: from.ip });
        return notVerified();
      }
      if (!user.email_confirmed_at) return new AuthRefusal(403, 'email_not_confirmed', 'Email not confirmed');
      if (user.banned_until && user.banned_until > clock())
        return new AuthRefusal(403, 'user_banned', 'User is banned');
      return sessions.beginIn(tx, user, 'passkey', from);
    });
  }

  return async (c) => {
    const body = await readBody(c, schema);
    if (!body.credential) throw refuse.validation('credential is required');
    const from = readFrom(c);
    const wait = await limits(authLimits.passkeyIp, `ip:${from.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const begun = await signIn(body.challenge_id, body.credential, from);
    if (begun instanceof AuthRefusal) throw begun;
    sessions.forget(begun.ended);
    return c.json(begun.answer);
  };
}
