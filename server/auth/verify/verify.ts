import { z } from 'zod';
import { isUniqueViolation, type Transaction } from '#server/db/database.ts';
import { confirmContact } from '../accounts/confirm.ts';
import { isBanned, userById } from '../accounts/users.ts';
import { useCode, useLink, type UsedToken } from '../codes/use-token.ts';
import { recordEvent } from '../core/audit-log.ts';
import { type Contact, readContact, readPhone } from '../core/contact.ts';
import { refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import type { TokenKind } from '../core/message-queue.ts';
import { type Call, readBody, readRequestInfo, type RequestInfo } from '../core/request.ts';
import { type BegunSession, beginSessionIn } from '../sessions/begin.ts';
import { applyEmailChange } from './email-change.ts';
import { applyPhoneChange } from './phone-change.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  token: z.string().max(64).nullish(),
  token_hash: z.string().max(200).nullish(),
  type: z.string().max(32),
});
type Body = z.output<typeof schema>;
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

/** A code with its email or phone, or the token of a link, with the kinds that it may have. */
type Proof = { readonly kinds: readonly TokenKind[] } & ((Contact & { code: string }) | { link: string });
/** A session, or the reason why none began. `half`: the other address must confirm too. */
type Verified = BegunSession | 'half' | 'banned' | 'wrong';

/** `POST /verify`: accepts a code with its email or phone, or the token of a mailed link. Begins a session. */
export async function verify(context: AuthContext, c: Call): Promise<Response> {
  const proof = readProof(await readBody(c, schema));
  const request = readRequestInfo(c);
  await takeLimit(context, authLimits.verifyIp, `ip:${request.ip}`);
  const verified = await useProof(context, proof, request);
  if (verified === 'wrong') throw refuse.wrongCode();
  if (verified === 'banned') throw refuse.banned(403);
  if (verified === 'half')
    return c.json({
      code: 200,
      msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
    });
  context.sessions.forget(verified.ended);
  return c.json(verified.response);
}

function readProof(body: Body): Proof {
  const table = body.phone ? TEXTED : MAILED;
  const kinds = Object.hasOwn(table, body.type) ? table[body.type] : undefined;
  if (body.phone) readPhone(body.phone);
  if (!kinds) {
    if (Object.hasOwn(TEXTED, body.type)) throw refuse.wrongCode();
    throw refuse.validation('Verify requires a verification type');
  }
  if (body.token_hash) return { kinds, link: body.token_hash };
  if (!body.token || (!body.email && !body.phone)) throw refuse.validation('Verify requires a token or a token hash');
  const contact = body.phone ? { phone: readPhone(body.phone) } : readContact({ email: body.email });
  return { kinds, ...contact, code: body.token };
}

/** Uses the code, applies its effect and begins the session in one transaction, so that a crash cannot waste the code. */
async function useProof(context: AuthContext, proof: Proof, request: RequestInfo): Promise<Verified> {
  const { db, clock } = context;
  const { kinds } = proof;
  try {
    return await db.transaction(async (tx) => {
      const used =
        'link' in proof ? await useLink(context, tx, proof.link, kinds) : await useCode(context, tx, proof, kinds);
      // A wrong code is returned as a value, because a throw would roll back the counted attempt.
      if (used) return apply(context, tx, used, request);
      await recordEvent(tx, { action: 'otp_failed', actorId: null, at: clock(), ip: request.ip, details: { kinds } });
      return 'wrong';
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw 'phone' in proof ? refuse.phoneExists() : refuse.emailExists();
    throw error;
  }
}

/** Applies the effect of a code and begins the session. */
async function apply(context: AuthContext, tx: Transaction, used: UsedToken, request: RequestInfo): Promise<Verified> {
  const at = context.clock();
  const { user, kind, attemptId } = used;
  const when = { at, ip: request.ip };
  if (kind === 'email_change' || kind === 'email_change_current') {
    if (!(await applyEmailChange(tx, used, when))) return 'half';
  } else if (kind === 'phone_change') await applyPhoneChange(tx, used, when);
  else {
    const what = used.phone === null ? 'email' : 'phone';
    await confirmContact(tx, user, { what, attemptId, kind, ...when });
  }
  const changed = await userById(tx, user.id);
  if (!changed) return 'wrong';
  if (isBanned(changed, at)) return 'banned';
  return beginSessionIn(context, tx, changed, kind === 'recovery' ? 'recovery' : 'otp', request);
}
