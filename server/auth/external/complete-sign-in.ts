import { type Call, readRequestInfo } from '../core/request.ts';
import { beginSessionIn } from '../sessions/begin.ts';
import type { ExternalIdentity } from './external-identity.ts';
import { findOrCreateUser } from './find-or-create-user.ts';
import { deleteFlow, finishFlow, type Flow, type ProviderTokens } from './flows.ts';
import { linkIdentity } from './link-identity.ts';
import { redirectWithCode, redirectWithSession } from './redirect-back.ts';
import type { AuthContext } from '../core/context.ts';

/** Completes a sign-in at a provider: finds or creates the account, then redirects with a code or a session. */
export async function completeSignIn(
  context: AuthContext,
  c: Call,
  flow: Flow,
  identity: ExternalIdentity,
  tokens: ProviderTokens | null,
): Promise<Response> {
  const { db, sessions } = context;
  const request = readRequestInfo(c);
  const done = await db.transaction(async (tx) => {
    const user =
      flow.linkUserId === null
        ? await findOrCreateUser(context, tx, identity, request.ip)
        : await linkIdentity(context, tx, flow.linkUserId, identity, request.ip);
    if (flow.challenge !== null) return { code: await finishFlow(context, tx, flow, user.id, tokens) };
    await deleteFlow(tx, flow);
    return beginSessionIn(context, tx, user, flow.method, request);
  });
  if ('code' in done) return redirectWithCode(c, flow.redirectTo, done.code);
  sessions.forget(done.ended);
  return redirectWithSession(c, flow.redirectTo, done.response, {
    provider_token: tokens?.access ?? null,
    provider_refresh_token: tokens?.refresh ?? null,
  });
}
