import type { Context } from 'hono';
import { deleteCookie, getCookie } from 'hono/cookie';
import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import type { Env } from '#server/http/caller.ts';
import type { KnownPerson } from '#server/providers/ports.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Handler, readRequestInfo } from '../core/request.ts';
import { cookieOf } from './authorize.ts';
import type { Flow, ProviderTokens } from './flows.ts';
import { redirectWithCode, redirectWithError, redirectWithSession } from './redirect-back.ts';
import { findOrCreateUser, linkIdentity, type ExternalIdentity } from './external-identity.ts';

/** `GET` and `POST /callback`: an identity provider sends a browser back. Errors go to the page of `redirect_to`. */
export function createCallback(context: AuthContext): Handler {
  const { db, config, flows, providers } = context;
  return async (c) => {
    if (providers.size === 0) throw refuse.validation('Unsupported provider: provider is not enabled');
    const text = c.req.method === 'POST' ? await c.req.text() : new URL(c.req.url).search;
    const answer = new URLSearchParams(text);
    const state = answer.get('state');
    if (!state) return redirectWithError(c, config.siteUrl, missingState());
    const flow = await db.transaction((tx) => flows.take(tx, state));
    if (flow?.method !== 'oauth' || !isOfThisBrowser(c, flow, state))
      return redirectWithError(c, config.siteUrl, unknownState());
    try {
      return await finish(context, c, flow, state, answer);
    } catch (error) {
      if (error instanceof AuthRefusal) return redirectWithError(c, flow.redirectTo, error);
      c.var.log.error({ err: error, provider: flow.provider }, 'a sign-in by an identity provider failed');
      const refusal = new AuthRefusal(503, 'unexpected_failure', 'Unable to exchange external code');
      return redirectWithError(c, flow.redirectTo, refusal, 'server_error');
    }
  };
}

const missingState = (): AuthRefusal => new AuthRefusal(400, 'bad_oauth_callback', 'OAuth state parameter missing');
const unknownState = (): AuthRefusal => new AuthRefusal(400, 'bad_oauth_state', 'OAuth state not found or expired');

function isOfThisBrowser(c: Context<Env>, flow: Flow, state: string): boolean {
  if (flow.challenge !== null || flow.linkUserId !== null) return true;
  const bound = equalInConstantTime(getCookie(c, cookieOf(state)) ?? '', state);
  deleteCookie(c, cookieOf(state), { path: '/auth/v1/callback' });
  return bound;
}

async function finish(
  context: AuthContext,
  c: Context<Env>,
  flow: Flow,
  state: string,
  answer: URLSearchParams,
): Promise<Response> {
  const provider = context.providers.get(flow.provider);
  if (!provider) throw refuse.validation('Unsupported provider: provider is not enabled');
  const error = answer.get('error');
  if (error !== null) {
    const description = answer.get('error_description') ?? 'The provider refused the sign-in';
    const refusal = new AuthRefusal(403, 'access_denied', description.slice(0, 300));
    return redirectWithError(c, flow.redirectTo, refusal, /^\w{1,60}$/.test(error) ? error : 'access_denied');
  }
  const { person, accessToken, refreshToken } = await provider.redeem({
    ...context.flows.secrets(flow.id),
    state,
    answer,
  });
  return completeSignIn(context, c, flow, toExternalIdentity(flow.provider, person), {
    access: accessToken,
    refresh: refreshToken,
  });
}

export function toExternalIdentity(provider: string, person: KnownPerson): ExternalIdentity {
  const { subject, email, emailVerified, claims } = person;
  if (subject === '') throw refuse.validation('Missing sub claim');
  return { provider, subject, email, emailVerified, claims, needsEmail: true, sso: false };
}

/** Completes a sign-in at a provider: finds or creates the account, then redirects with a code or a session. */
export async function completeSignIn(
  context: AuthContext,
  c: Context<Env>,
  flow: Flow,
  identity: ExternalIdentity,
  tokens: ProviderTokens | null,
): Promise<Response> {
  const { db, flows, sessions } = context;
  const request = readRequestInfo(c);
  const done = await db.transaction(async (tx) => {
    const user =
      flow.linkUserId === null
        ? await findOrCreateUser(context, tx, identity, request.ip)
        : await linkIdentity(context, tx, flow.linkUserId, identity, request.ip);
    if (flow.challenge !== null) return { code: await flows.finish(tx, flow, user.id, tokens) };
    await tx.query('delete from auth.flow_state where id = $1::uuid', [flow.id]);
    return sessions.beginIn(tx, user, flow.method, request);
  });
  if ('code' in done) return redirectWithCode(c, flow.redirectTo, done.code);
  sessions.forget(done.ended);
  return redirectWithSession(c, flow.redirectTo, done.answer, {
    provider_token: tokens?.access ?? null,
    provider_refresh_token: tokens?.refresh ?? null,
  });
}
