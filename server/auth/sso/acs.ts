import type { Context } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import { completeSignIn } from '../external/callback.ts';
import type { Flow } from '../external/flows.ts';
import { redirectWithError } from '../external/redirect-back.ts';
import type { ExternalIdentity } from '../external/external-identity.ts';
import { markUsed } from '../external/replay-guard.ts';
import type { Handler } from '../core/request.ts';
import { samlDisabled } from './sso.ts';

/**
 * `POST /sso/saml/acs`: receives the answer of a SAML identity provider. Accepts only answers to our own requests: an unrequested one
 * could sign a visitor in to somebody else's account.
 */
export function createAcs(context: AuthContext): Handler {
  const { db, config, ssoProviders, flows } = context;
  return async (c) => {
    if (ssoProviders.length === 0) throw samlDisabled();
    const form = new URLSearchParams(await c.req.text());
    const flow = await db.transaction((tx) => flows.take(tx, form.get('RelayState') ?? ''));
    if (flow?.method !== 'sso/saml') return redirectWithError(c, config.siteUrl, noState());
    try {
      return await finish(context, c, flow, form.get('SAMLResponse') ?? '');
    } catch (error) {
      if (error instanceof AuthRefusal) return redirectWithError(c, flow.redirectTo, error);
      c.var.log.warn({ err: error, provider: flow.provider }, 'a SAML response was refused');
      return redirectWithError(c, flow.redirectTo, notValid());
    }
  };
}

const noState = (): AuthRefusal =>
  new AuthRefusal(404, 'saml_relay_state_not_found', 'SAML RelayState does not exist, try logging in again?');
const notValid = (): AuthRefusal => new AuthRefusal(400, 'validation_failed', 'SAML Assertion is not valid');

async function finish(context: AuthContext, c: Context<Env>, flow: Flow, answer: string): Promise<Response> {
  const ssoProvider = context.ssoProviders.find((one) => flow.provider === `sso:${one.id}`);
  if (!ssoProvider || flow.requestId === null) throw noState();
  if (answer === '') throw new AuthRefusal(400, 'validation_failed', 'SAMLResponse is missing');
  const { person, id, expiresAt } = await ssoProvider.read(answer, flow.requestId);
  if (person.subject === '')
    throw new AuthRefusal(
      400,
      'saml_assertion_no_user_id',
      'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user',
    );
  if (person.email === null)
    throw new AuthRefusal(400, 'saml_assertion_no_email', 'SAML Assertion does not contain an email address');
  // An identity provider may sign in only people of its own domains.
  if (!/^[^@\s]+@[^@\s]+$/.test(person.email) || !ssoProvider.domains.includes(person.email.split('@')[1] ?? ''))
    throw new AuthRefusal(
      403,
      'email_address_not_authorized',
      'The identity provider may not vouch for addresses of this domain',
    );
  const proof = { kind: 'saml', text: `${ssoProvider.id}\n${id}`, until: expiresAt };
  if (!(await markUsed(context.db, context.keys, proof))) throw notValid();
  const identity: ExternalIdentity = { ...person, provider: flow.provider, needsEmail: true, sso: true };
  return completeSignIn(context, c, flow, identity, null);
}
