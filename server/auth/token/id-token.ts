import { createHash } from 'node:crypto';
import { z } from 'zod';
import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import type { IdToken } from '#server/providers/ports.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody, readRequestInfo, requireUser } from '../core/request.ts';
import { toExternalIdentity } from '../external/external-identity.ts';
import { findOrCreateUser } from '../external/find-or-create-user.ts';
import { linkIdentity } from '../external/link-identity.ts';
import { markUsed } from '../external/replay-guard.ts';
import { beginSessionIn } from '../sessions/begin.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({
  provider: z.string().max(100).nullish(),
  id_token: z.string().min(1).max(16_384),
  access_token: z.string().max(16_384).nullish(),
  nonce: z.string().max(500).nullish(),
  link_identity: z.boolean().nullish(),
});
type Body = z.output<typeof schema>;
/**
 * `POST /token?grant_type=id_token`: signs in with an id token from the provider's own dialog. A token is accepted once, and only if it was
 * issued for one of our client ids.
 */
export async function signInWithIdToken(context: AuthContext, c: Call): Promise<Response> {
  const { db, config, sessions } = context;
  const body = await readBody(c, schema);
  const request = readRequestInfo(c);
  await takeLimit(context, authLimits.flowIp, `ip:${request.ip}`);
  const linkTo = body.link_identity === true ? await requireUser(context, c) : null;
  if (linkTo && !config.manualLinking) throw refuse.linkingDisabled();
  const provider = (body.provider ?? '').toLowerCase();
  const token = await readIdToken(context, c, provider, body);
  checkNonce(token.nonce, body.nonce || null);
  const identity = toExternalIdentity(provider, token.user);
  const begun = await db.transaction(async (tx) => {
    const proof = { kind: 'id-token', text: body.id_token, until: token.expiresAt };
    if (!(await markUsed(context, tx, proof))) throw refuse.validation('Bad ID token');
    const user = linkTo
      ? await linkIdentity(context, tx, linkTo.userId, identity, request.ip)
      : await findOrCreateUser(context, tx, identity, request.ip);
    return beginSessionIn(context, tx, user, 'oauth', request);
  });
  sessions.forget(begun.ended);
  return c.json(begun.response);
}

async function readIdToken({ providers }: AuthContext, c: Call, name: string, body: Body): Promise<IdToken> {
  const provider = providers.get(name);
  if (!provider?.readIdToken) throw new AuthRefusal(400, 'provider_disabled', 'Provider is not enabled');
  const token = await provider.readIdToken(body.id_token, body.access_token || null).catch((error: unknown) => {
    c.var.log.error({ err: error, provider: name }, 'an identity provider did not answer; the sign-in was refused');
    throw refuse.providerDown();
  });
  if (!token) throw refuse.validation('Bad ID token');
  return token;
}

/** Checks that the token contains the hash of the nonce, which only the requesting app knows. */
function checkNonce(inToken: string | null, nonce: string | null): void {
  if ((inToken === null) !== (nonce === null))
    throw refuse.validation('Passed nonce and nonce in id_token should either both exist or not.');
  if (nonce === null || inToken === null) return;
  if (!equalInConstantTime(createHash('sha256').update(nonce).digest('hex'), inToken))
    throw refuse.validation('Nonces mismatch');
}
