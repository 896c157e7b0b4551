import type { Context } from 'hono';
import { deleteCookie, getCookie } from 'hono/cookie';
import type { Env } from '#server/http/caller.ts';
import type { KnownPerson } from '#server/providers/ports.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { type Operation, readFrom } from '../core/request.ts';
import { cookieOf } from './authorize.ts';
import type { Flow, ProviderTokens } from './flows.ts';
import { redirectWithCode, redirectWithError, redirectWithSession } from './redirect-back.ts';
import { accountOf, linkTo, type ExternalIdentity } from './external-identity.ts';

/** `GET` and `POST /callback`: an identity provider sends a browser back. Whatever went wrong is told to the page it leads to. */
export function createCallback(parts: AuthContext): Operation {
  const { db, config, flows, providers } = parts;
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
      return await finish(parts, c, flow, state, answer);
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
  const bound = getCookie(c, cookieOf(state)) === state;
  deleteCookie(c, cookieOf(state), { path: '/auth/v1/callback' });
  return bound;
}

async function finish(
  parts: AuthContext,
  c: Context<Env>,
  flow: Flow,
  state: string,
  answer: URLSearchParams,
): Promise<Response> {
  const provider = parts.providers.get(flow.provider);
  if (!provider) throw refuse.validation('Unsupported provider: provider is not enabled');
  const error = answer.get('error');
  if (error !== null) {
    const said = answer.get('error_description') ?? 'The provider refused the sign-in';
    const refusal = new AuthRefusal(403, 'access_denied', said.slice(0, 300));
    return redirectWithError(c, flow.redirectTo, refusal, /^\w{1,60}$/.test(error) ? error : 'access_denied');
  }
  const { person, accessToken, refreshToken } = await provider.redeem({
    ...parts.flows.secrets(flow.id),
    state,
    answer,
  });
  return admit(parts, c, flow, toExternalIdentity(flow.provider, person), {
    access: accessToken,
    refresh: refreshToken,
  });
}

export function toExternalIdentity(provider: string, person: KnownPerson): ExternalIdentity {
  const { subject, email, emailVerified, claims } = person;
  if (subject === '') throw refuse.validation('Missing sub claim');
  return { provider, subject, email, emailVerified, claims, needsEmail: true, sso: false };
}

/** Lets an outsider in: finds or makes the account, and ends the flow in a code or a session. */
export async function admit(
  parts: AuthContext,
  c: Context<Env>,
  flow: Flow,
  who: ExternalIdentity,
  tokens: ProviderTokens | null,
): Promise<Response> {
  const { db, flows, sessions } = parts;
  const from = readFrom(c);
  const done = await db.transaction(async (tx) => {
    const user =
      flow.linkUserId === null
        ? await accountOf(parts, tx, who, from.ip)
        : await linkTo(parts, tx, flow.linkUserId, who, from.ip);
    if (flow.challenge !== null) return { code: await flows.finish(tx, flow, user.id, tokens) };
    await tx.query('delete from auth.flow_state where id = $1::uuid', [flow.id]);
    return sessions.beginIn(tx, user, flow.method, from);
  });
  if ('code' in done) return redirectWithCode(c, flow.redirectTo, done.code);
  sessions.forget(done.ended);
  return redirectWithSession(c, flow.redirectTo, done.answer, {
    provider_token: tokens?.access ?? null,
    provider_refresh_token: tokens?.refresh ?? null,
  });
}
