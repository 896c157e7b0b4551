import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { codeTextMessage } from '#server/mails/account/text-message.ts';
import { userById } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody, requireUser } from '../core/request.ts';
import { requestOptions } from '../webauthn/assertion.ts';
import { registrationOptions } from '../webauthn/registration.ts';
import { factorCode, factorCodeHash } from './factor-codes.ts';
import { factorDisabled } from './factor-refusals.ts';
import { type FactorRow, readFactors, readPathFactor } from './factor-rows.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({ channel: z.enum(['sms', 'whatsapp']).nullish() });

/** The content of a challenge besides its id. A challenge for an authenticator app has no content. */
type ChallengeContent = {
  readonly codeHash: string | null;
  readonly webauthn: WebauthnChallenge | null;
};
type WebauthnChallenge = {
  readonly type: 'create' | 'request';
  readonly credential_options: { readonly publicKey: { readonly challenge: string } };
};
/**
 * `POST /factors/:id/challenge`: begins a challenge, which is valid for one right answer, five attempts and a few minutes, and only from
 * the same IP address.
 */
export async function createChallenge(context: AuthContext, c: Call): Promise<Response> {
  const { userId } = await requireUser(context, c);
  await readBody(c, schema);
  return beginChallenge(context, c, await readPathFactor(context.db, c, userId));
}

/** Begins a challenge of a factor and returns it as the response. */
export async function beginChallenge(context: AuthContext, c: Call, factor: FactorRow): Promise<Response> {
  const { db, config } = context;
  if (!config.factors[factor.factor_type]) throw factorDisabled(factor.factor_type);
  await takeLimit(context, authLimits.factorChallenge, `user:${factor.user_id}`);
  const id = randomUUID();
  const content = await makeContent(context, c, factor, id);
  const expires = await db.transaction((tx) => storeChallenge(context, tx, factor, { id, ip: c.var.ip, content }));
  return c.json({
    id,
    type: factor.factor_type,
    expires_at: Math.floor(expires.getTime() / 1000),
    ...(content.webauthn && { webauthn: content.webauthn }),
  });
}

async function makeContent(context: AuthContext, c: Call, factor: FactorRow, id: string): Promise<ChallengeContent> {
  switch (factor.factor_type) {
    case 'totp':
      return { codeHash: null, webauthn: null };
    case 'webauthn':
      return { codeHash: null, webauthn: await makeWebauthnChallenge(context, factor) };
    case 'phone':
      return { codeHash: await sendCode(context, c, factor, id), webauthn: null };
  }
}

/** Creates the options for registering an unverified factor's key, or for an answer by a verified factor's key. */
async function makeWebauthnChallenge({ db, config }: AuthContext, factor: FactorRow): Promise<WebauthnChallenge> {
  if (factor.status === 'verified') {
    const existing = factor.web_authn_credential ? [factor.web_authn_credential] : [];
    const publicKey = await requestOptions(config.relyingParty, existing, 'factor');
    return { type: 'request', credential_options: { publicKey } };
  }
  const user = await userById(db, factor.user_id);
  if (!user) throw refuse.noSession();
  const existing = (await readFactors(db, user.id)).flatMap((row) => row.web_authn_credential ?? []);
  const holder = { id: user.id, name: user.email || user.id };
  const publicKey = await registrationOptions(config.relyingParty, holder, existing, 'factor');
  return { type: 'create', credential_options: { publicKey } };
}

/** Texts a code to the factor's phone. Returns the code's hash. */
async function sendCode(context: AuthContext, c: Call, factor: FactorRow, id: string): Promise<string> {
  const { config, limits, texts } = context;
  const phone = factor.phone ?? '';
  const wait = await limits(authLimits.factorMessage, `phone:${phone}`);
  if (wait !== null) throw refuse.smsRate(wait);
  const code = factorCode(context, id);
  const minutes = Math.round(config.factors.challengeSeconds / 60);
  const text = codeTextMessage({ from: config.relyingParty.name, code, minutes });
  await texts.send({ to: `+${phone}`, text, key: `factor-${id}` }).catch((error: unknown) => {
    c.var.log.error(
      { err: error, factor: factor.id },
      'a second-factor code could not be sent; the challenge was refused',
    );
    throw new AuthRefusal(422, 'sms_send_failed', 'Error sending message');
  });
  return factorCodeHash(context, id, code);
}

/** Stores the challenge and returns its expiry. */
async function storeChallenge(
  { clock, config }: AuthContext,
  tx: Transaction,
  factor: FactorRow,
  { id, ip, content }: { id: string; ip: string; content: ChallengeContent },
): Promise<Date> {
  const at = clock();
  const expires = new Date(at.getTime() + config.factors.challengeSeconds * 1000);
  const webauthnChallenge = content.webauthn?.credential_options.publicKey.challenge ?? null;
  await tx.query(
    `insert into auth.mfa_challenges (id, factor_id, ip_address, code_hash, web_authn_challenge, expires_at, created_at)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6::timestamptz, $7::timestamptz)`,
    [id, factor.id, ip, content.codeHash, webauthnChallenge, expires, at],
  );
  await tx.query('update auth.mfa_factors set last_challenged_at = $2::timestamptz where id = $1::uuid', [
    factor.id,
    at,
  ]);
  const details = { factor_id: factor.id, factor_status: factor.status };
  await recordEvent(tx, { action: 'challenge_created', actorId: factor.user_id, at, ip, details });
  return expires;
}
