import { z } from 'zod';
import { DatabaseError, type Transaction } from '#server/db/database.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import type { TokenKind, UsedToken } from '../codes/one-time-tokens.ts';
import { type From, type Operation, readAddress, readBody, readFrom, readPhone, type Way } from '../core/request.ts';
import { confirm } from '../accounts/confirm.ts';
import { isBanned, userById } from '../accounts/users.ts';
import { record } from '../core/audit-log.ts';
import { applyEmailChange, applyPhoneChange } from './apply-change.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  token: z.string().max(64).nullish(),
  token_hash: z.string().max(200).nullish(),
  type: z.string().max(32),
});

/** Which codes a type of the wire takes; `email` is what the client sends after a sign-up and for a link to sign in. */
const MAILED: Readonly<Record<string, readonly TokenKind[]>> = {
  signup: ['signup'],
  invite: ['invite'],
  magiclink: ['magiclink'],
  email: ['signup', 'magiclink'],
  recovery: ['recovery'],
  email_change: ['email_change', 'email_change_current'],
};
const TEXTED: Readonly<Record<string, readonly TokenKind[]>> = { sms: ['sms'], phone_change: ['phone_change'] };

type Proof = (Way & { code: string }) | { link: string };
type Done = { answer: Record<string, unknown>; ended: readonly string[] } | 'half' | 'banned' | 'wrong';

/** `POST /verify`: a code with the address or phone it was sent to, or the token of a mailed link. Begins a session. */
export function createVerify(parts: AuthContext): Operation {
  const { db, clock, limits, tokens, sessions } = parts;

  /** Using up the code, what it allows and the session are one step: a crash between them cannot cost the code. */
  async function apply(tx: Transaction, used: UsedToken, from: From): Promise<Done> {
    const now = clock();
    const { user, kind } = used;
    const changed = { at: now, ip: from.ip };
    if (kind === 'email_change' || kind === 'email_change_current') {
      if (!(await applyEmailChange(tx, used, changed))) return 'half';
    } else if (kind === 'phone_change') await applyPhoneChange(tx, used, changed);
    else
      await confirm(tx, user, {
        what: used.phone === null ? 'email' : 'phone',
        attemptId: used.attemptId,
        kind,
        ...changed,
      });
    const fresh = await userById(tx, user.id);
    if (!fresh) return 'wrong';
    if (isBanned(fresh, now)) return 'banned';
    return sessions.beginIn(tx, fresh, kind === 'recovery' ? 'recovery' : 'otp', from);
  }

  async function prove(proof: Proof, kinds: readonly TokenKind[], from: From): Promise<Done> {
    try {
      return await db.transaction(async (tx) => {
        const used =
          'link' in proof ? await tokens.useLink(tx, proof.link, kinds) : await tokens.useCode(tx, proof, kinds);
        // Not thrown inside: a wrong try must be counted, and a throw would roll the count back.
        if (used) return apply(tx, used, from);
        await record(tx, { action: 'otp_failed', actorId: null, at: clock(), ip: from.ip, details: { kinds } });
        return 'wrong';
      });
    } catch (error) {
      if (error instanceof DatabaseError && error.code === '23505')
        throw 'phone' in proof
          ? new AuthRefusal(422, 'phone_exists', 'A user with this phone number has already been registered')
          : new AuthRefusal(422, 'email_exists', 'A user with this email address has already been registered');
      throw error;
    }
  }

  return async (c) => {
    const body = await readBody(c, schema);
    const table = body.phone ? TEXTED : MAILED;
    const kinds = Object.hasOwn(table, body.type) ? table[body.type] : undefined;
    if (body.phone) readPhone(body.phone);
    if (!kinds) {
      if (Object.hasOwn(TEXTED, body.type)) throw refuse.otp();
      throw refuse.validation('Verify requires a verification type');
    }
    const from = readFrom(c);
    const proof = readProof(body);
    if (!proof) throw refuse.validation('Verify requires a token or a token hash');
    const wait = await limits(authLimits.verifyIp, `ip:${from.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const done = await prove(proof, kinds, from);
    if (done === 'wrong') throw refuse.otp();
    if (done === 'banned') throw new AuthRefusal(403, 'user_banned', 'User is banned');
    if (done === 'half')
      return c.json({
        code: 200,
        msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
      });
    sessions.forget(done.ended);
    return c.json(done.answer);
  };
}

function readProof(body: z.output<typeof schema>): Proof | null {
  if (body.token_hash) return { link: body.token_hash };
  if (!body.token) return null;
  if (body.phone) return { phone: readPhone(body.phone), code: body.token };
  return body.email ? { email: readAddress(body.email), code: body.token } : null;
}
