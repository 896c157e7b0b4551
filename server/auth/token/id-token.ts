import { createHash } from 'node:crypto';
import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import { z } from 'zod';
import type { IdToken } from '#server/providers/ports.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { toExternalIdentity } from '../external/callback.ts';
import { findOrCreateUser, linkIdentity } from '../external/external-identity.ts';
import { markUsed } from '../external/replay-guard.ts';
import { type Handler, readBody, readRequestInfo, readPerson } from '../core/request.ts';

const schema = z.object({
  provider: z.string().max(100).nullish(),
  id_token: z.string().min(1).max(16_384),
  access_token: z.string().max(16_384).nullish(),
  nonce: z.string().max(500).nullish(),
  link_identity: z.boolean().nullish(),
});
const bad = (message: string): AuthRefusal => new AuthRefusal(400, 'validation_failed', message);

/** `POST /token?grant_type=id_token`: signs in with an id token from the provider's own dialog. Accepted once, and for our client ids only. */
export function createTokenIdToken(context: AuthContext): Handler {
  const { db, config, keys, limits, providers, readCaller, sessions } = context;

  async function read(name: string, idToken: string, accessToken: string | null): Promise<IdToken> {
    const provider = providers.get(name);
    if (!provider?.readIdToken) throw refuse.disabled(400, 'provider_disabled', 'Provider is not enabled');
    const token = await provider.readIdToken(idToken, accessToken).catch((error: unknown) => {
      context.log.error({ err: error, provider: name }, 'an identity provider did not answer');
      throw new AuthRefusal(503, 'unexpected_failure', 'The identity provider does not answer. Please try again.');
    });
    if (!token) throw bad('Bad ID token');
    return token;
  }

  return async (c) => {
    const body = await readBody(c, schema);
    const request = readRequestInfo(c);
    const wait = await limits(authLimits.flowIp, `ip:${request.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const link = body.link_identity === true ? await readPerson(c, readCaller) : null;
    if (link && !config.manualLinking)
      throw refuse.disabled(404, 'manual_linking_disabled', 'Manual linking is disabled');
    const token = await read((body.provider ?? '').toLowerCase(), body.id_token, body.access_token || null);
    checkNonce(token.nonce, body.nonce || null);
    const identity = toExternalIdentity((body.provider ?? '').toLowerCase(), token.person);
    const done = await db.transaction(async (tx) => {
      if (!(await markUsed(tx, keys, { kind: 'id-token', text: body.id_token, until: token.expiresAt })))
        throw bad('Bad ID token');
      const user = link
        ? await linkIdentity(context, tx, link.userId, identity, request.ip)
        : await findOrCreateUser(context, tx, identity, request.ip);
      return sessions.beginIn(tx, user, 'oauth', request);
    });
    sessions.forget(done.ended);
    return c.json(done.answer);
  };
}

/** The token contains the hash of a nonce that only the requesting app knows. */
function checkNonce(inToken: string | null, given: string | null): void {
  if ((inToken === null) !== (given === null))
    throw bad('Passed nonce and nonce in id_token should either both exist or not.');
  if (given === null || inToken === null) return;
  if (!equalInConstantTime(createHash('sha256').update(given).digest('hex'), inToken)) throw bad('Nonces mismatch');
}
