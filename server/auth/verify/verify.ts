import { z } from 'zod';
import { DatabaseError, type Transaction } from '#server/db/database.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import type { TokenKind, UsedToken } from '../codes/one-time-tokens.ts';
import {
  type RequestInfo,
  type Handler,
  readAddress,
  readBody,
  readRequestInfo,
  readPhone,
  type Contact,
} from '../core/request.ts';
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

/** The kinds of code that a `type` accepts. supabase-js sends `email` after a sign-up and for a magic link. */
const MAILED: Readonly<Record<string, readonly TokenKind[]>> = {
  signup: ['signup'],
  invite: ['invite'],
  magiclink: ['magiclink'],
  email: ['signup', 'magiclink'],
  recovery: ['recovery'],
  email_change: ['email_change', 'email_change_current'],
};
const TEXTED: Readonly<Record<string, readonly TokenKind[]>> = { sms: ['sms'], phone_change: ['phone_change'] };

type Proof = (Contact & { code: string }) | { link: string };
type Done = { answer: Record<string, unknown>; ended: readonly string[] } | 'half' | 'banned' | 'wrong';

/** `POST /verify`: accepts a code with its email or phone, or the token of a mailed link. Begins a session. */
export function createVerify(context: AuthContext): Handler {
  const { db, clock, limits, tokens, sessions } = context;

  /** Uses the code, applies its effect and begins the session in one transaction, so that a crash cannot waste the code. */
  async function apply(tx: Transaction, used: UsedToken, request: RequestInfo): Promise<Done> {
    const now = clock();
    const { user, kind } = used;
    const changed = { at: now, ip: request.ip };
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
    return sessions.beginIn(tx, fresh, kind === 'recovery' ? 'recovery' : 'otp', request);
  }

  async function prove(proof: Proof, kinds: readonly TokenKind[], request: RequestInfo): Promise<Done> {
    try {
      return await db.transaction(async (tx) => {
        const used =
          'link' in proof ? await tokens.useLink(tx, proof.link, kinds) : await tokens.useCode(tx, proof, kinds);
        // Return instead of throwing: a throw would roll back the counted try.
        if (used) return apply(tx, used, request);
        await record(tx, { action: 'otp_failed', actorId: null, at: clock(), ip: request.ip, details: { kinds } });
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
    const request = readRequestInfo(c);
    const proof = readProof(body);
    if (!proof) throw refuse.validation('Verify requires a token or a token hash');
    const wait = await limits(authLimits.verifyIp, `ip:${request.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const done = await prove(proof, kinds, request);
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
