import type { ProviderUser, SingleSignOn } from '#server/providers/ports.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import type { Call } from '../core/request.ts';
import { SAML_LANDING, startedInThisBrowser } from '../external/browser-binding.ts';
import { completeSignIn } from '../external/complete-sign-in.ts';
import type { ExternalIdentity } from '../external/external-identity.ts';
import { type Flow, takeFlow } from '../external/flows.ts';
import { redirectWithError } from '../external/redirect-back.ts';
import { markUsed } from '../external/replay-guard.ts';
import { requireSso } from './require-sso.ts';
import type { AuthContext } from '../core/context.ts';

/**
 * `POST /sso/saml/acs`: receives the response of a SAML identity provider. Accepts only responses to requests that began in this browser,
 * because any other response could sign a visitor in to another person's account.
 */
export async function finishSso(context: AuthContext, c: Call): Promise<Response> {
  const { db, config } = context;
  requireSso(context);
  const form = new URLSearchParams(await c.req.text());
  const state = form.get('RelayState') ?? '';
  const flow = await db.transaction((tx) => takeFlow(context, tx, state));
  if (flow?.method !== 'sso/saml' || !startedInThisBrowser(c, flow, state, SAML_LANDING))
    return redirectWithError(c, config.siteUrl, unknownRelayState());
  try {
    return await acceptResponse(context, c, flow, form.get('SAMLResponse') ?? '');
  } catch (error) {
    if (error instanceof AuthRefusal) return redirectWithError(c, flow.redirectTo, error);
    c.var.log.warn({ err: error, provider: flow.provider }, 'a SAML response was refused');
    return redirectWithError(c, flow.redirectTo, invalidAssertion());
  }
}

async function acceptResponse(context: AuthContext, c: Call, flow: Flow, response: string): Promise<Response> {
  const ssoProvider = context.ssoProviders.find((provider) => flow.provider === `sso:${provider.id}`);
  if (!ssoProvider || flow.requestId === null) throw unknownRelayState();
  if (response === '') throw refuse.validation('SAMLResponse is missing');
  const { user, id, expiresAt } = await ssoProvider.read(response, flow.requestId);
  checkUser(user, ssoProvider);
  const proof = { kind: 'saml', text: `${ssoProvider.id}\n${id}`, until: expiresAt };
  if (!(await markUsed(context, context.db, proof))) throw invalidAssertion();
  const identity: ExternalIdentity = { ...user, provider: flow.provider, needsEmail: true, sso: true };
  return completeSignIn(context, c, flow, identity, null);
}

/** Refuses a user without a stable id, or with an email address outside the provider's domains. */
function checkUser({ subject, email }: ProviderUser, ssoProvider: SingleSignOn): void {
  if (subject === '')
    throw new AuthRefusal(
      400,
      'saml_assertion_no_user_id',
      'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user',
    );
  if (email === null)
    throw new AuthRefusal(400, 'saml_assertion_no_email', 'SAML Assertion does not contain an email address');
  // An identity provider can sign in only people of its own domains.
  if (!/^[^@\s]+@[^@\s]+$/.test(email) || !ssoProvider.domains.includes(email.split('@')[1] ?? ''))
    throw new AuthRefusal(
      403,
      'email_address_not_authorized',
      'The identity provider is not authorized for email addresses of this domain',
    );
}

const unknownRelayState = (): AuthRefusal =>
  new AuthRefusal(404, 'saml_relay_state_not_found', 'SAML RelayState does not exist, try logging in again?');
const invalidAssertion = (): AuthRefusal => new AuthRefusal(400, 'validation_failed', 'SAML Assertion is not valid');
