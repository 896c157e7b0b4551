import { z } from 'zod';
import { DatabaseError, type Transaction } from '#server/db/database.ts';
import { authLimits } from '../auth-config.ts';
import type { AuthParts } from '../auth-parts.ts';
import { AuthRefusal, refuse } from '../errors.ts';
import type { TokenKind } from '../codes/mail-queue.ts';
import type { UsedToken } from '../codes/one-time-tokens.ts';
import { type Operation, readAddress, readBody, readFrom } from '../request.ts';
import { record } from '../trail.ts';
import { type UserRow, userById } from '../accounts/users.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  token: z.string().max(64).nullish(),
  token_hash: z.string().max(200).nullish(),
  type: z.string().max(32),
});

/** Which mails' codes a type of the wire takes; `email` is what the client sends after a sign-up. */
const KINDS: Readonly<Record<string, readonly TokenKind[]>> = {
  signup: ['signup'],
  email: ['signup'],
  recovery: ['recovery'],
  email_change: ['email_change'],
};
/** Types whose mails we do not send: no code of theirs can be right. */
const NEVER_SENT = ['magiclink', 'invite', 'sms', 'phone_change'];

/** `POST /verify`: a mailed code with its address, or the token of a mailed link. Begins a session. */
export function createVerify(parts: AuthParts): Operation {
  const { db, clock, limits, tokens, sessions } = parts;

  /** Using up the code and what it allows are one step: a crash between them cannot cost the code. */
  async function apply(tx: Transaction, used: UsedToken, ip: string): Promise<UserRow | null> {
    const { user, kind } = used;
    const now = clock();
    if (kind === 'email_change') {
      if (user.email_change !== used.email) throw refuse.otp();
      await tx.query(
        `update auth.users set email = $2, email_change = null, email_change_sent_at = null, email_confirmed_at = $3::timestamptz where id = $1::uuid`,
        [user.id, used.email, now],
      );
      // What was mailed to the old address is good for nothing any more.
      await tx.query(`delete from auth.one_time_tokens where user_id = $1::uuid and kind <> 'email_change'`, [user.id]);
      await record(tx, { action: 'user_email_changed', actorId: user.id, at: now, ip });
    } else if (!user.email_confirmed_at) {
      await tx.query(`update auth.users set email_confirmed_at = $2::timestamptz where id = $1::uuid`, [user.id, now]);
      await record(tx, { action: 'user_confirmed', actorId: user.id, at: now, ip, details: { kind } });
    }
    return userById(tx, user.id);
  }

  return async (c) => {
    const body = await readBody(c, schema);
    if (body.phone) throw refuse.disabled(400, 'validation_failed', 'Invalid phone number format (E.164 required)');
    if (NEVER_SENT.includes(body.type)) throw refuse.otp();
    const kinds = Object.hasOwn(KINDS, body.type) ? KINDS[body.type] : undefined;
    if (!kinds) throw refuse.validation('Verify requires a verification type');
    const from = readFrom(c);
    const proof = body.token_hash
      ? { link: body.token_hash }
      : body.email && body.token
        ? { email: readAddress(body.email), code: body.token }
        : null;
    if (!proof) throw refuse.validation('Verify requires a token or a token hash');
    const wait = await limits(authLimits.verifyIp, `ip:${from.ip}`);
    if (wait !== null) throw refuse.rate(wait);

    const done = await db
      .transaction(async (tx) => {
        const used =
          'link' in proof ? await tokens.useLink(tx, proof.link, kinds) : await tokens.useCode(tx, proof, kinds);
        // Not thrown inside: a wrong try must be counted, and a throw would roll the count back.
        return used ? { user: await apply(tx, used, from.ip), kind: used.kind } : null;
      })
      .catch((error: unknown) => {
        if (error instanceof DatabaseError && error.code === '23505')
          throw new AuthRefusal(422, 'email_exists', 'A user with this email address has already been registered');
        throw error;
      });
    if (!done?.user) throw refuse.otp();
    if (done.user.banned_until && done.user.banned_until > clock())
      throw new AuthRefusal(403, 'user_banned', 'User is banned');
    return c.json(await sessions.begin(done.user, done.kind === 'recovery' ? 'recovery' : 'otp', from));
  };
}
