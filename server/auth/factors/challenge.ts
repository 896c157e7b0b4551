import { z } from 'zod';
import { codeTextMessage } from '#server/mails/account-text-message.ts';
import type { Transaction } from '#server/db/database.ts';
import { userById } from '../accounts/users.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Handler, readBody, readPerson } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { registrationOptions, requestOptions } from '../passkeys/relying-party.ts';
import { type FactorRow, factorNames, factorOf, factorsOf } from './factor-rows.ts';

const schema = z.object({ channel: z.enum(['sms', 'whatsapp']).nullish() });
/** What a challenge contains besides its id. An authenticator app needs nothing. */
type ChallengeContent = {
  readonly codeHash: string | null;
  readonly webauthnChallenge: string | null;
  readonly webauthn: Record<string, unknown> | null;
};
const NO_CONTENT: ChallengeContent = { codeHash: null, webauthnChallenge: null, webauthn: null };

/** `POST /factors/:id/challenge`: valid for one right answer, five tries and a few minutes, and only from the same address. */
export function createChallenge(context: AuthContext): Handler {
  const { db, clock, config, limits, readCaller } = context;

  async function prepare(factor: FactorRow, id: string): Promise<ChallengeContent> {
    if (factor.factor_type === 'totp') return NO_CONTENT;
    if (factor.factor_type === 'webauthn') return prepareKey(factor);
    return sendCode(factor, id);
  }

  async function prepareKey(factor: FactorRow): Promise<ChallengeContent> {
    if (factor.status === 'verified') {
      const known = factor.web_authn_credential ? [factor.web_authn_credential] : [];
      const publicKey = await requestOptions(config.relyingParty, known, 'factor');
      return {
        codeHash: null,
        webauthnChallenge: publicKey.challenge,
        webauthn: { type: 'request', credential_options: { publicKey } },
      };
    }
    const user = await userById(db, factor.user_id);
    if (!user) throw refuse.noSession();
    const known = (await factorsOf(db, user.id)).flatMap((one) => one.web_authn_credential ?? []);
    const holder = { id: user.id, name: user.email || user.id };
    const publicKey = await registrationOptions(config.relyingParty, holder, known, 'factor');
    return {
      codeHash: null,
      webauthnChallenge: publicKey.challenge,
      webauthn: { type: 'create', credential_options: { publicKey } },
    };
  }

  async function sendCode(factor: FactorRow, id: string): Promise<ChallengeContent> {
    const phone = factor.phone ?? '';
    const wait = await limits(authLimits.factorMessage, `phone:${phone}`);
    if (wait !== null) throw refuse.smsRate(wait);
    // Derived from the challenge, so that the database holds no readable code.
    const code = String(context.keys.hmac('factor-message', id).readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
    const minutes = Math.round(config.factors.challengeSeconds / 60);
    await context.texts
      .send({ to: `+${phone}`, text: codeTextMessage({ code, minutes }), key: `factor-${id}` })
      .catch((error: unknown) => {
        context.log.error({ err: error, factor: factor.id }, 'a second-factor code could not be sent');
        throw new AuthRefusal(422, 'sms_send_failed', 'Error sending message');
      });
    return { ...NO_CONTENT, codeHash: codeHash(context, id, code) };
  }

  async function write(
    tx: Transaction,
    factor: FactorRow,
    challenge: { id: string; ip: string },
    content: ChallengeContent,
  ) {
    const now = clock();
    const expires = new Date(now.getTime() + config.factors.challengeSeconds * 1000);
    await tx.query(
      `insert into auth.mfa_challenges (id, factor_id, ip_address, code_hash, web_authn_challenge, expires_at, created_at)
       values ($1::uuid, $2::uuid, $3, $4, $5, $6::timestamptz, $7::timestamptz)`,
      [challenge.id, factor.id, challenge.ip, content.codeHash, content.webauthnChallenge, expires, now],
    );
    await tx.query('update auth.mfa_factors set last_challenged_at = $2::timestamptz where id = $1::uuid', [
      factor.id,
      now,
    ]);
    await record(tx, {
      action: 'challenge_created',
      actorId: factor.user_id,
      at: now,
      ip: challenge.ip,
      details: { factor_id: factor.id, factor_status: factor.status },
    });
    return Math.floor(expires.getTime() / 1000);
  }

  return async (c) => {
    const person = await readPerson(c, readCaller);
    await readBody(c, schema);
    const factor = await factorOf(db, { factorId: c.req.param('factor') ?? '', userId: person.userId });
    if (!config.factors[factor.factor_type]) throw notEnabled(factor);
    const wait = await limits(authLimits.factorChallenge, `user:${person.userId}`);
    if (wait !== null) throw refuse.rate(wait);
    const { id } = (await db.one<{ id: string }>('select gen_random_uuid() as id')) ?? { id: '' };
    const content = await prepare(factor, id);
    const expires = await db.transaction((tx) => write(tx, factor, { id, ip: c.var.ip }, content));
    return c.json({
      id,
      type: factor.factor_type,
      expires_at: expires,
      ...(content.webauthn && { webauthn: content.webauthn }),
    });
  };
}

export function notEnabled({ factor_type: type }: FactorRow): Error {
  return refuse.disabled(
    422,
    `mfa_${type}_verify_not_enabled`,
    `MFA verification is disabled for ${factorNames[type]}`,
  );
}

export function codeHash({ keys }: Pick<AuthContext, 'keys'>, challengeId: string, code: string): string {
  return keys.hmac('factor-code', `${challengeId}:${code}`).toString('base64url');
}
